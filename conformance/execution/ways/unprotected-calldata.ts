import type { Call } from '../../model/scenario.ts';
import { effectsOf, type SwapPlan, type SwapStep, type Trade } from '../../model/settlement.ts';
import type { ForkSession } from '../fork/fork-session.ts';
import { NEXT_BLOCK_S } from '../fork/fork-session.ts';
import { poolTradeIn, settlePools } from '../fork/pool-scenario.ts';
import { callOf, holdersOf, scenarioOf } from '../fork/scenario.ts';
import { tradeCall } from '../settle/pool-trader.ts';
import { joined, type Provision } from '../settle/provision.ts';
import { readAddress } from '../settle/read-swap-plan.ts';
import { simulate } from '../settle/simulate.ts';
import { isBeyond, limitOf, type MovedMarket } from './moved-markets.ts';
import { traderFor } from './pool-yields.ts';

/** Moves in parts of what the plan sells in pools that can be traded with. */
const MOVES = [-3, -1, 0, 1, 2, 3].map((power) => BigInt(Math.ceil(1e6 * 16 ** power)));
/** Markets that are tried between the two nearest ones to the limit. */
const BETWEEN = [0.25, 0.5, 0.75];
/** Numbers of repeated trades that move a market in which we cannot trade. */
const REPEATS = [1, 2, 4, 8, 16, 32];

/**
 * Returns markets around the limit of a trade whose pools cannot all be traded with, such as orders
 * of market makers and pools within one contract. Its calldata without protection measures the
 * yield. The pools among those of the sold token that can be traded with are moved; if there are
 * none, that calldata is repeated.
 */
export async function marketsByCalldata(
  session: ForkSession,
  trade: Trade,
  unprotected: Trade,
): Promise<readonly MovedMarket[] | string> {
  const measure = measuring(session, trade, unprotected);
  const move = await moverOf(session, trade.plan, unprotected);
  const limit = limitOf(trade);
  const markets: (MovedMarket & { readonly at: number })[] = [];
  const add = async (at: number) => {
    const provision = move.provide(at);
    const received = await measure(provision);
    if (received !== undefined) markets.push({ provision, received, at });
    return received;
  };
  for (const at of move.sizes) {
    const received = await add(at);
    if (received === undefined || isBeyond({ provision: move.provide(at), received }, limit)) break;
  }
  if (markets.length === 0) return 'its calldata for a tolerance of 1 does not settle twice';
  const [near, far] = markets.slice(-2);
  if (move.isFine && near && far && isBeyond(far, limit)) {
    for (const weight of BETWEEN) await add(near.at * (far.at / near.at) ** weight);
  }
  return markets.sort((one, other) => one.at - other.at);
}

/** Returns a function that returns the yield of a trade's limit after a move, by calldata without protection. */
function measuring(session: ForkSession, trade: Trade, unprotected: Trade) {
  const time = session.blockTimeIn(NEXT_BLOCK_S);
  const scenario = scenarioOf(session, unprotected, time);
  return async (provision: Provision): Promise<bigint | undefined> => {
    const plain = await scenario;
    if (typeof plain === 'string') return undefined;
    const moved = { ...plain, ...joined(plain, provision) };
    const settlement = await simulate(session.fork(), moved);
    const effects = effectsOf(unprotected, holdersOf(session, unprotected), settlement);
    if (effects.kind === 'reverted' || effects.spent <= 0n) return undefined;
    if (trade.request.swapKind === 'exact-input') return effects.received;
    // The yield of the most that the trade may sell, at the price of what was spent.
    const most = trade.plan.sell.amount * BigInt(10_000 + (trade.request.slippageBps ?? 0));
    return (trade.plan.buy.amount * most) / (effects.spent * 10_000n);
  };
}

type Mover = {
  readonly sizes: readonly number[];
  readonly provide: (size: number) => Provision;
  /** True if sizes may be any number. */
  readonly isFine: boolean;
};

async function moverOf(session: ForkSession, plan: SwapPlan, unprotected: Trade): Promise<Mover> {
  const part = await tradablePart(session, plan);
  const pools = poolTradeIn(session, { plan: part });
  const trader = typeof pools === 'string' ? pools : await traderFor(session, pools, MOVES);
  if (typeof pools === 'string' || typeof trader === 'string' || part.steps.length === 0) {
    const call: Call = callOf(unprotected);
    const repeated = (times: number) => Array.from({ length: times }, () => call);
    return {
      sizes: REPEATS,
      provide: (times) => ({ overrides: {}, before: repeated(times) }),
      isFine: false,
    };
  }
  const { overrides } = trader;
  const { user } = unprotected.request;
  return {
    sizes: trader.moves.map((each) => Number(each)),
    provide: (parts) => ({
      overrides,
      before: [tradeCall(pools, BigInt(Math.round(parts)), user)],
    }),
    isFine: true,
  };
}

/** Returns the part of a plan that sells its token in pools that can be traded with. */
async function tradablePart(session: ForkSession, plan: SwapPlan): Promise<SwapPlan> {
  const isTraded = ({ from, to, pool }: SwapStep) =>
    readAddress(pool) !== undefined &&
    [...from, ...to].every(({ token }) => [from[0]?.token, to[0]?.token].includes(token)) &&
    from[0]?.token === plan.sell.token;
  let part = partOf(plan, plan.steps.filter(isTraded));
  while (part.steps.length > 0) {
    const { pools } = await settlePools(session, { plan: part });
    if (pools.kind === 'settled') break;
    const { step } = pools;
    part = partOf(plan, step === undefined ? [] : part.steps.filter((each) => each !== step));
  }
  return part;
}

function partOf(plan: SwapPlan, steps: readonly SwapStep[]): SwapPlan {
  const amount = steps.flatMap(({ from }) => from).reduce((sum, leg) => sum + leg.amount, 0n);
  return { ...plan, sell: { ...plan.sell, amount }, buy: steps[0]?.to[0] ?? plan.buy, steps };
}
