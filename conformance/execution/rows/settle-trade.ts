import { erc20Abi, toFunctionSelector } from 'viem';
import type { SkippedPlan } from '../../model/executor.ts';
import type { Scenario, TracedFrame } from '../../model/scenario.ts';
import {
  type Effects,
  effectsOf,
  type Settled,
  type SettledPlan,
  type Trade,
} from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import type { Fork } from '../fork/fork.ts';
import { describeOddity } from '../fork/inspect-tokens.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import type { Circumstances } from '../scenario/circumstances.ts';
import { holdersOf, scenarioOf, waitS, withinGasLimit } from '../scenario/scenario.ts';
import { isImpossible } from '../settle/impossible.ts';
import { poolsOf } from '../settle/read-swap-plan.ts';
import { simulate } from '../settle/simulate.ts';
import { partiesOf, straysIn } from '../settle/strays.ts';
import { callsOf } from '../settle/trace-call.ts';
import { fairEffects } from './fair-effects.ts';
import { yieldOfPools, yieldsOfOverspent } from './pool-yields.ts';
import { skip } from './settle-until-final.ts';

/** Calldata should remain valid for the time that a person takes to sign. */
const LATER_S = 60;
/** Blocks of mainnet in that time. */
const LATER_BLOCKS = 5;

/** Settles a trade in the given circumstances. The user may lack the sold amount. */
export async function settleTrade(
  fork: Fork,
  trade: Trade,
  circumstances: Circumstances,
  past: Pick<SettledPlan, 'frozen' | 'failedBefore'>,
  time?: number,
): Promise<SettledPlan | SkippedPlan> {
  const { request } = trade;
  const scenario = await scenarioOf(fork, trade, circumstances, time);
  if (isImpossible(scenario)) return skip(request, 'not-funded', scenario.why);
  return settleIn(fork, trade, scenario, { funds: circumstances.funds, ...past });
}

type Given = Pick<SettledPlan, 'funds' | 'frozen' | 'failedBefore'>;

/**
 * Settles a trade with its gas limit or, if that fails, with the scenario's ample gas. Then settles
 * it again a minute later.
 */
export async function settleIn(
  fork: Fork,
  trade: Trade,
  scenario: Scenario,
  given: Given,
): Promise<SettledPlan> {
  const settleOne = async (scenario: Scenario): Promise<Settled> => ({
    scenario,
    settlement: await simulate(fork, scenario),
  });
  const first = await settleOne(withinGasLimit(scenario, trade.transaction));
  const now = first.settlement.outcome === 'settled' ? first : await settleOne(scenario);
  const atGasLimit = now.settlement.outcome === 'settled' ? first : undefined;
  const later = await settleOne(aMinuteLater(fork, trade, scenario));
  return describeSettled(fork, trade, { now, atGasLimit, later, ...given });
}

function aMinuteLater(fork: Fork, trade: Trade, { fields, ...scenario }: Scenario): Scenario {
  const time = fork.lastBlockTime(scenario.time + LATER_S - waitS(fork, trade));
  return { ...scenario, time, fields: { ...fields, number: fields.number + LATER_BLOCKS } };
}

/** Returns a trade with its results, and facts from the chain about its tokens and contracts. */
export async function describeSettled(
  fork: Fork,
  trade: Trade,
  { now, atGasLimit, later, ...given }: Given & Pick<SettledPlan, 'now' | 'atGasLimit' | 'later'>,
): Promise<SettledPlan> {
  const { request, plan, transaction } = trade;
  const holders = holdersOf(fork, trade);
  const effects = await fairEffects(fork, trade, now, given.frozen);
  if (effects.kind === 'reverted')
    await Promise.all(plan.tokens.map((token) => fork.checkToken(token)));
  const parties = partiesOf(trade, holders, fork.wrappedNative);
  const { gasLimit, reportsGasLimit } = fork.block;
  const isCompared = !given.frozen && request.swapKind === 'exact-input';
  const alternativeYield = isCompared
    ? await yieldOfPools(fork, trade, plan.sell.amount)
    : undefined;
  return {
    ...trade,
    now,
    atGasLimit,
    later,
    ...given,
    holders,
    routerHasCode: await fork.hasCode(transaction.router),
    ...(await straysIn(fork, trade, parties, { ...now, settle: simulate })),
    untouched: given.frozen ? await untouchedPools(fork, trade, now) : [],
    effects: await addOddity(fork, trade, effects),
    effectsLater: effectsOf(trade, holders, later.settlement),
    blockGasLimit: reportsGasLimit ? gasLimit : undefined,
    transactionGasCap: await undefinedIfNodeFailed(() => fork.gasCap()),
    alternativeYield,
    poolsGive: await yieldsOfOverspent(fork, trade, effects),
    bystanders: fork.bystanders,
    nativeToken: fork.nativeToken,
  };
}

/**
 * Returns the pools of a plan at whose addresses nothing moves and which are not called, unlike
 * pools within a vault. Returns none if nothing moves anywhere. A market maker may pay from another
 * account.
 */
async function untouchedPools(
  fork: Fork,
  { request: { router, useRfq }, plan }: Trade,
  now: Settled,
): Promise<readonly Address[]> {
  const moved = new Set(now.settlement.payments.flatMap(({ from, to }) => [from, to]));
  if (moved.size === 0 || useRfq) return [];
  const silent = poolsOf(plan).filter((pool) => !moved.has(pool));
  // The calls of one settlement through each router show which pools are within a vault.
  const called = await Promise.all(
    silent.map((pool) =>
      now.settlement.calls === undefined
        ? fork.readOnce(`${router} calls ${pool}`, () => isCalled(fork, pool, now))
        : isCalled(fork, pool, now),
    ),
  );
  return silent.filter((_, index) => called[index] === false);
}

/** Every trade calls its tokens in these ways, so these calls do not make a token a pool. */
const TOKEN_CALLS: ReadonlySet<string> = new Set(
  erc20Abi.flatMap((item) => (item.type === 'function' ? [toFunctionSelector(item)] : [])),
);

/**
 * Returns whether a settlement calls an account as more than a token. A vault calls its pools.
 * Returns true if the node cannot trace the settlement.
 */
async function isCalled(fork: Fork, account: Address, settled: Settled): Promise<boolean> {
  const root = await callsOf(fork, settled);
  return typeof root === 'string' || callsAccount(root, account);
}

function callsAccount({ to, input, calls = [] }: TracedFrame, account: Address): boolean {
  const isCalled = to === account && !TOKEN_CALLS.has(input.slice(0, 10));
  return isCalled || calls.some((call) => callsAccount(call, account));
}

/** Adds a note on unusual behavior of the sold token to a failure that this may explain. */
async function addOddity(fork: Fork, { request, plan }: Trade, effects: Effects): Promise<Effects> {
  if (effects.kind === 'settled' || request.sell.native) return effects;
  const oddity = await describeOddity(fork, request.user, plan.sell);
  return oddity === '' ? effects : { ...effects, reason: `${effects.reason}; ${oddity}` };
}
