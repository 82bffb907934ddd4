import { afterExactInput } from '../pools/families.ts';
import type { ConcentratedPool } from '../pools/pool.ts';
import type { Plan, PlanSwap } from '../routing/plan.ts';
import type { SettlementOptions } from './encoder.ts';

/**
 * Gas of each part of a settlement, as `eth_estimateGas` sees it: fitted by least
 * squares to 700 random plans on the fixture chain, rounded up. Every slot is
 * written for the first time there (a recipient that held nothing, pairs and
 * ticks that never traded), which is the dearest that a part can be.
 */
const GAS = {
  /** Any transaction, and the bytes of its calldata. */
  transaction: 21_000,
  zeroByte: 4,
  otherByte: 16,
  /** Checks, the token's contracts, and the receiver's new balance. */
  trade: 43_000,
  exactOutput: 4_000,
  wrap: 26_000,
  unwrap: 17_500,
  /** The first call of the token proxy; later ones cost little. */
  tokenProxy: 6_500,
  /** A transfer from the user to a pool. */
  pull: 9_500,
  /** A transfer from the router to a pool, and the read of what it holds. */
  forward: 17_000,
  constantProductSwap: 88_000,
  concentratedSwap: 72_500,
  /** What nesting adds to a concentrated swap of an exact output. */
  nesting: 6_500,
  /** One more word of the tick bitmap. */
  bitmapWord: 7_500,
  crossedTick: 42_000,
} as const;

/** Tokens whose transfers do more than move a balance, and rounding of the fit. */
const MARGIN_PERCENT = 20;
/** Farthest that the price is expected to move before the transaction is mined, in ticks; a tick is a basis point. */
const MAX_DRIFT_TICKS = 100;
const TICKS_PER_WORD = 256;

/** What of a settlement its gas depends on, beside the plan. */
export type GasOptions = Pick<SettlementOptions, 'sellNative' | 'buyNative' | 'slippageBps'> & {
  /** The user's tokens come through a token proxy. */
  readonly throughProxy: boolean;
};

/**
 * Returns a gas limit that holds wherever the plan's market stands within the
 * slippage tolerance, up to 1 %: the sum of the table above over what the plan
 * does, plus a fifth.
 */
export function graphGasLimit(
  plan: Plan,
  calldata: `0x${string}`,
  { sellNative, buyNative, slippageBps, throughProxy }: GasOptions,
): bigint {
  const nested = plan.trade === 'exact-output';
  const drift = Math.min(slippageBps, MAX_DRIFT_TICKS);
  const trade =
    GAS.transaction +
    calldataGas(calldata) +
    GAS.trade +
    (nested ? GAS.exactOutput : 0) +
    (sellNative ? GAS.wrap : 0) +
    (buyNative ? GAS.unwrap : 0) +
    (throughProxy && !sellNative ? GAS.tokenProxy : 0);
  const gas = plan.swaps.reduce(
    (sum, swap) =>
      sum +
      (swap.tokenIn === plan.sellToken ? GAS.pull : GAS.forward) +
      (swap.pool.family === 'constant-product'
        ? GAS.constantProductSwap
        : GAS.concentratedSwap + (nested ? GAS.nesting : 0) + priceMoveGas(swap.pool, swap, drift)),
    trade,
  );
  return BigInt(Math.ceil((gas * (100 + MARGIN_PERCENT)) / 100));
}

function calldataGas(calldata: `0x${string}`): number {
  let gas = 0;
  for (let i = 2; i < calldata.length; i += 2) {
    gas += calldata.startsWith('00', i) ? GAS.zeroByte : GAS.otherByte;
  }
  return gas;
}

/** Gas of the ticks and bitmap words between the price before and after, and `drift` ticks around. */
function priceMoveGas(
  pool: ConcentratedPool,
  { tokenIn, amountIn }: PlanSwap,
  drift: number,
): number {
  const after = afterExactInput(pool, tokenIn, amountIn);
  const endTick = after.family === 'concentrated' ? after.tick : pool.tick;
  const lowest = Math.min(pool.tick, endTick) - drift;
  const highest = Math.max(pool.tick, endTick) + drift;
  const crossed = pool.ticks.filter(({ index }) => index > lowest && index <= highest).length;
  const word = (tick: number) => Math.floor(tick / pool.tickSpacing / TICKS_PER_WORD);
  return crossed * GAS.crossedTick + (word(highest) - word(lowest)) * GAS.bitmapWord;
}
