import { accountsOf, type Payment, type SwapPlan, tokenSold } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import type { Parties, Strays } from './find-strays.ts';
import type { ForkSession } from './fork-session.ts';
import { readAddress } from './read-swap-plan.ts';
import { replay } from './replay.ts';
import { holdersOf, type PlannedTrade, replayRequest, type TrialOptions } from './try-trades.ts';

/** Returns who may be paid by a trade. */
export function partiesOf(session: ForkSession, trade: PlannedTrade): Parties {
  const { request, plan } = trade;
  const holders = holdersOf(session, trade);
  return {
    user: holders.user,
    known: new Set(accountsOf(holders)),
    pools: takenByPools(plan),
    tokens: new Set([...plan.tokens, session.wrappedNative ?? []].flat()),
    takenByMakers: new Set(
      request.useRfq ? plan.steps.flatMap(({ from }) => from.map(({ token }) => token)) : [],
    ),
  };
}

function takenByPools({ steps }: SwapPlan): Parties['pools'] {
  const pools = new Map<Address, Set<Address>>();
  for (const { pool, from } of steps) {
    const address = readAddress(pool);
    if (address === undefined) continue;
    const taken = pools.get(address) ?? new Set();
    for (const { token } of from) taken.add(token);
    pools.set(address, taken);
  }
  return pools;
}

/**
 * Returns those of the strays that balances bear out: events may tell of more
 * than a token really moved. The trade is made once more, in a call; where it
 * fails there, events are believed.
 */
export async function confirmStrays(
  session: ForkSession,
  trade: PlannedTrade & TrialOptions,
  { strays, taken }: Strays,
): Promise<Strays> {
  const { user } = trade.request;
  const sold = tokenSold(trade);
  const others = taken.filter(({ token }) => token !== sold);
  const payments: readonly Payment[] = [
    ...strays,
    ...others.map((each) => ({ ...each, to: user })),
  ];
  const pools = takenByPools(trade.plan);
  if (payments.length === 0) return { strays, taken: others };
  const request = replayRequest(session, trade);
  const result = await replay(session.rpc(), {
    ...request,
    tokens: [...new Set([...request.tokens, ...payments.map(({ token }) => token)])],
    holders: [...new Set([...request.holders, ...payments.map(({ to }) => to)])],
  });
  if (result.kind === 'not-reached' || !result.success) return { strays, taken: others };
  const measured = (token: Address, holder: Address, told: bigint) =>
    result.change(token, holder) ?? told;
  return {
    // A pool gives more than it is paid for nothing: its balance does not tell.
    strays: strays
      .map((each) =>
        pools.has(each.to) ? each : { ...each, amount: measured(each.token, each.to, each.amount) },
      )
      .filter(({ amount }) => amount > 0n),
    taken: others
      .map((each) => ({ ...each, amount: -measured(each.token, user, -each.amount) }))
      .filter(({ amount }) => amount > 0n),
  };
}
