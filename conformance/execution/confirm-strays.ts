import { accountsOf, type Payment, type SwapPlan, tokenSold } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { changesBetween, readBalances } from './balances.ts';
import type { Parties, Strays } from './find-strays.ts';
import type { ForkSession } from './fork-session.ts';
import { quantity, type Rpc } from './json-rpc.ts';
import { holdersOf, type PlannedTrade } from './planned-trade.ts';
import { readAddress } from './read-swap-plan.ts';

export const NO_STRAYS: Strays = { strays: [], taken: [] };

/** Returns the accounts that a trade may pay. */
export function partiesOf(session: ForkSession, trade: PlannedTrade): Parties {
  const { request, plan } = trade;
  const holders = holdersOf(session, trade);
  return {
    user: holders.user,
    known: new Set(accountsOf(holders)),
    pools: tokensTakenByPools(plan),
    tokens: new Set([...plan.tokens, session.wrappedNative ?? []].flat()),
    takenByMakers: new Set(
      request.useRfq ? plan.steps.flatMap(({ from }) => from.map(({ token }) => token)) : [],
    ),
  };
}

function tokensTakenByPools({ steps }: SwapPlan): Parties['pools'] {
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
 * Returns the strays of the latest transaction that balances confirm, since events may report more
 * than a token moved.
 */
export async function confirmStrays(
  rpc: Rpc,
  trade: PlannedTrade,
  { strays, taken }: Strays,
): Promise<Strays> {
  const { user } = trade.request;
  const others = taken.filter(({ token }) => token !== tokenSold(trade));
  const payments: readonly Payment[] = [
    ...strays,
    ...others.map((each) => ({ ...each, to: user })),
  ];
  if (payments.length === 0) return NO_STRAYS;
  const tokens = [...new Set(payments.map(({ token }) => token))];
  const holders = [...new Set(payments.map(({ to }) => to))];
  const height = Number(await rpc<string>('eth_blockNumber'));
  const [before, after] = await Promise.all(
    [height - 1, height].map((block) => readBalances(rpc, tokens, holders, quantity(block))),
  );
  if (before === undefined || after === undefined) return { strays, taken: others };
  const change = changesBetween(before, after);
  const pools = tokensTakenByPools(trade.plan);
  return {
    // The balance of a pool does not show a payment without a return, since it also gives.
    strays: strays
      .map((each) =>
        pools.has(each.to) ? each : { ...each, amount: change(each.token, each.to) ?? each.amount },
      )
      .filter(({ amount }) => amount > 0n),
    taken: others
      .map((each) => ({ ...each, amount: -(change(each.token, user) ?? -each.amount) }))
      .filter(({ amount }) => amount > 0n),
  };
}
