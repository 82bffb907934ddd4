import { type Flow, type Network, push } from './network.ts';

type Reached = {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly flows: readonly Flow[];
};

const MAX_PUSHES = 64;

/**
 * Returns the swaps by which about the least input yields `amountOut` or more:
 * those of the least found that yields it. Output rises with input in steps, so
 * the search brackets the step: outwards from `guess`, then inwards.
 */
export function leastInputFlows(
  network: Network,
  amountOut: bigint,
  guess: bigint,
): readonly Flow[] | undefined {
  let below: Bound = { amountIn: 0n, residual: amountOut };
  let above: (Bound & { readonly flows: readonly Flow[] }) | undefined;
  let amountIn = guess;
  let stride = 1n;
  for (let pushes = 0; pushes < MAX_PUSHES; pushes++) {
    const reached = reach(network, amountIn);
    if (reached === undefined) return above?.flows;
    if (reached.amountOut === amountOut) return reached.flows;
    const residual = magnitude(amountOut - reached.amountOut);
    // The Illinois rule: an end that stays counts half, so that the other moves too.
    if (reached.amountOut > amountOut) {
      above = { amountIn, residual, flows: reached.flows };
      below = { ...below, residual: halved(below.residual) };
    } else {
      below = { amountIn, residual };
      if (above !== undefined) above = { ...above, residual: halved(above.residual) };
    }
    if (above !== undefined && above.amountIn - below.amountIn <= 1n) break;
    const isBracketed = above !== undefined && below.amountIn > 0n;
    if (above !== undefined && isBracketed) {
      amountIn = within(below, above);
    } else {
      const step = max(stride, distance(reached, residual));
      amountIn = above === undefined ? amountIn + step : max(1n, amountIn - step);
    }
    stride *= 4n;
  }
  return above?.flows;
}

/** An end of the bracket, and how far its output is from what is wanted. */
type Bound = { readonly amountIn: bigint; readonly residual: bigint };

/** How much input, at the average price, the residual is worth. */
function distance({ amountIn, amountOut }: Reached, residual: bigint): bigint {
  return amountOut === 0n ? amountIn : (residual * amountIn) / amountOut + 1n;
}

/** Where the straight line between the ends meets the goal; strictly between them. */
function within(below: Bound, above: Bound): bigint {
  const width = above.amountIn - below.amountIn;
  const offset = (width * below.residual) / (below.residual + above.residual);
  return below.amountIn + max(1n, offset < width ? offset : width - 1n);
}

function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

function halved(amount: bigint): bigint {
  return max(1n, amount / 2n);
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function reach(network: Network, amountIn: bigint): Reached | undefined {
  const pushed = push(network, amountIn);
  if (pushed.kind === 'exhausted') return undefined;
  if (pushed.kind === 'dust') return { amountIn, amountOut: 0n, flows: [] };
  return { amountIn, amountOut: pushed.amountOut, flows: pushed.flows };
}
