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
  let below: Reached = { amountIn: 0n, amountOut: 0n, flows: [] };
  let above: Reached | undefined;
  let amountIn = guess;
  let stride = 1n;
  for (let pushes = 0; pushes < MAX_PUSHES; pushes++) {
    const reached = reach(network, amountIn);
    if (reached === undefined) return above?.flows;
    if (reached.amountOut === amountOut) return reached.flows;
    if (reached.amountOut > amountOut) above = reached;
    else below = reached;
    if (above !== undefined && above.amountIn - below.amountIn <= 1n) break;
    const missing = amountOut - reached.amountOut;
    const step = magnitude(reached, missing);
    if (above === undefined) amountIn += step > stride ? step : stride;
    else if (below.amountIn === 0n) amountIn = max(1n, amountIn - (step > stride ? step : stride));
    else amountIn = within(below, above, amountOut, pushes);
    stride *= 4n;
  }
  return above?.flows;
}

/** How far away, at the average price, the missing output is. */
function magnitude({ amountIn, amountOut }: Reached, missing: bigint): bigint {
  if (amountOut === 0n) return amountIn;
  const distance = missing < 0n ? -missing : missing;
  return (distance * amountIn) / amountOut + 1n;
}

/** Between the two: where the straight line meets the goal, and every other time half way. */
function within(below: Reached, above: Reached, amountOut: bigint, pushes: number): bigint {
  const width = above.amountIn - below.amountIn;
  const offset =
    pushes % 2 === 0
      ? width / 2n
      : (width * (amountOut - below.amountOut)) / (above.amountOut - below.amountOut);
  return below.amountIn + max(1n, offset < width ? offset : width - 1n);
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
