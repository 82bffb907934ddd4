import type { Scenario, Settlement } from '../model/scenario.ts';
import {
  accountsOf,
  type Holders,
  type Stray,
  type SwapPlan,
  type TokenAmount,
  type Trade,
  tokenSold,
} from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { findStrays, mayHaveStrays, type Parties, type Strays } from './find-strays.ts';
import { readAddress } from './read-swap-plan.ts';
import type { Settle, StateSource } from './simulate.ts';
import { traceCall } from './trace-call.ts';

export const NO_STRAYS: Strays = { strays: [], taken: [] };

/** Returns the accounts that a trade may pay. */
export function partiesOf(
  { request, plan }: Trade,
  holders: Holders,
  wrappedNative: Address | undefined,
): Parties {
  return {
    user: holders.user,
    known: new Set(accountsOf(holders)),
    pools: tokensTakenByPools(plan),
    tokens: new Set([...plan.tokens, wrappedNative ?? []].flat()),
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
 * Returns the payments of a settlement to strangers, and the tokens that it took from the user. Its
 * calls are traced only if its payments raise a suspicion. Balances must confirm what events report.
 */
export async function straysIn(
  fork: StateSource,
  trade: Trade,
  parties: Parties,
  {
    scenario,
    settlement,
    settle,
  }: {
    readonly scenario: Scenario;
    readonly settlement: Settlement;
    readonly settle: Settle;
  },
): Promise<Strays> {
  if (settlement.outcome !== 'settled') return NO_STRAYS;
  const sold = tokenSold(trade);
  if (!mayHaveStrays(settlement.payments, parties, sold)) return NO_STRAYS;
  const calls = settlement.calls ?? (await traceCall(fork, scenario));
  if (calls === undefined) return NO_STRAYS;
  const { strays, taken } = findStrays(calls, parties);
  const others = taken.filter(({ token }) => token !== sold);
  if (strays.length + others.length === 0) return NO_STRAYS;
  const measured = {
    tokens: [...new Set([...strays, ...others].map(({ token }) => token))],
    holders: [...new Set([...strays.map(({ to }) => to), parties.user])],
  };
  const { changes } = await settle(fork, { ...scenario, measured });
  const changeOf = (token: Address, holder: Address, reported: bigint) => {
    const change = changes.find((each) => each.token === token && each.holder === holder);
    return change === undefined ? 0n : (change.amount ?? reported);
  };
  return {
    // The balance of a pool does not show a payment without a return, since it also gives.
    strays: strays
      .map(
        (each): Stray =>
          parties.pools.has(each.to)
            ? each
            : { ...each, amount: changeOf(each.token, each.to, each.amount) },
      )
      .filter(({ amount }) => amount > 0n),
    taken: others
      .map(
        (each): TokenAmount => ({
          ...each,
          amount: -changeOf(each.token, parties.user, -each.amount),
        }),
      )
      .filter(({ amount }) => amount > 0n),
  };
}
