import type { Scenario } from '../../model/scenario.ts';
import {
  NATIVE_TOKEN,
  type PooledPlan,
  type PoolYields,
  type Quote,
  type Settled,
} from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { ampleCircumstances, ampleScenario } from '../scenario/circumstances.ts';
import { gasPriceIn } from '../settle/gas-price.ts';
import { type Impossible, impossible, isImpossible } from '../settle/impossible.ts';
import {
  MILLION,
  type PoolTrade,
  poolTradeOf,
  readFailure,
  readYields,
  tradeCall,
  traderAt,
} from '../settle/pool-trader.ts';
import { combine, NOTHING } from '../settle/provision.ts';
import { gasOfEach, simulate } from '../settle/simulate.ts';
import type { Fork } from './fork.ts';

/** A plan without a request does not trade the native token. */
type Planned = Pick<Quote, 'plan'> & Partial<Pick<Quote, 'request'>>;

/**
 * Returns the swaps with which the trader settles a plan, or the reason why it cannot. The request
 * determines whether the native token is sold or bought.
 */
export function poolTradeIn(
  { wrappedNative, nativeToken }: Fork,
  { request, plan }: Planned,
): PoolTrade | Impossible {
  const sides = { sellNative: request?.sell.native, buyNative: request?.buy.native };
  return poolTradeOf(plan, { wrappedNative, nativeToken, ...sides });
}

/** Settles a plan through its pools, without the service's calldata. */
export async function settlePools(
  fork: Fork,
  planned: Planned,
): Promise<Pick<PooledPlan, 'now' | 'pools'>> {
  const trade = poolTradeIn(fork, planned);
  if (isImpossible(trade)) return unknownPools(trade);
  const scenario = await poolScenarioOf(fork, trade);
  if (isImpossible(scenario)) return unknownPools(scenario);
  const now = { scenario, settlement: await simulate(fork, scenario) };
  return { now, pools: poolYieldsIn(now, trade) };
}

function unknownPools({ why }: Impossible): Pick<PooledPlan, 'now' | 'pools'> {
  return { now: undefined, pools: { kind: 'unknown', reason: why } };
}

/**
 * Returns the scenario in which the trader settles a plan. If the trader cannot be given the sold
 * amount, returns the reason.
 */
async function poolScenarioOf(fork: Fork, trade: PoolTrade): Promise<Scenario | Impossible> {
  const { needs, swaps } = trade;
  const { user, trader } = fork.accounts;
  const gas = gasOfEach(fork, 1);
  const pools = [...new Set(swaps.map(({ pool }) => pool))];
  const given =
    needs === undefined
      ? NOTHING
      : await fork.funding.give(needs.token, trader, needs.amount, new Set(pools));
  if (isImpossible(given))
    return impossible(`our trader cannot be given what it sells: ${given.why}`);
  const fields = { ...ampleCircumstances(fork).fields, gasLimit: gas };
  const paysGas = { [user]: { balance: gas * gasPriceIn(fields) } };
  const tokens = [NATIVE_TOKEN, ...swaps.flatMap(({ from, to }) => [from, to])];
  return ampleScenario(fork, {
    chainId: fork.chainId,
    time: fork.nextBlockTime(),
    fields,
    gas,
    ...combine(traderAt(trader), { overrides: paysGas, before: [] }, given),
    trade: tradeCall(trade, MILLION, { from: user, to: trader }),
    measured: { tokens: [...new Set(tokens)], holders: [trader, ...pools] },
  });
}

/** Returns what each of a plan's pools yielded in the settlement. */
export function poolYieldsIn({ scenario, settlement }: Settled, trade: PoolTrade): PoolYields {
  const { outcome, returned, gasUsed, reason = 'it was not executed' } = settlement;
  // If an inner call runs out of gas, some of the transaction's gas remains.
  const isOutOfGas = gasUsed * 10n > scenario.gas * 9n;
  if (returned === undefined || isOutOfGas) {
    return { kind: 'unknown', reason: `our own trade with its pools failed: ${reason}` };
  }
  return outcome === 'settled'
    ? { kind: 'settled', yields: readYields(trade, returned) }
    : readFailure(trade, returned);
}

/** Planned change of a balance, in base units. */
export type PlannedChange = {
  readonly account: Address;
  readonly token: Address;
  readonly amount: bigint;
};

/** Returns the planned changes of our trader's balances and the pools' balances. */
export function changesOfPools(fork: Fork, planned: Planned): readonly PlannedChange[] {
  const trade = poolTradeIn(fork, planned);
  if (isImpossible(trade)) return [];
  const { sell, buy } = planned.plan;
  const { trader } = fork.accounts;
  const sold = trade.needs?.token ?? NATIVE_TOKEN;
  const byPools = trade.swaps.flatMap(({ pool: account, from, to, amount }, index) => {
    const paid = (trade.steps[index]?.to ?? []).reduce((sum, each) => sum + each.amount, 0n);
    return trade.steps[index] === undefined
      ? []
      : [
          { account, token: from, amount },
          { account, token: to, amount: -paid },
        ];
  });
  return [
    { account: trader, token: sold, amount: -sell.amount },
    { account: trader, token: trade.bought, amount: buy.amount },
    ...byPools,
  ];
}
