import { FINE } from './exact-input.ts';
import { leastInputFlows } from './least-input.ts';
import type { Network } from './network.ts';
import { type Pulled, pull } from './pull.ts';
import type { Search, Supports } from './search.ts';
import { nextStructureAmount, structureAmount } from './structure-amount.ts';

/** How many splits are tried before the best so far is taken. */
const MAX_SPLITS = 16;

/** What was settled, and lines above what any plan yields. */
export type Bought = Pulled & { readonly supports: Supports };

/**
 * Returns the swaps that buy exactly `buyAmount` for the least; `undefined` if
 * the pools do not hold it.
 *
 * Looks for the least input whose own split, that which exact input would use,
 * yields `buyAmount`: so what exact input returned can be bought for what it
 * sold. No less input can do than that of the best split in floats; more than
 * the best plan so far costs is of no use; what lies between is halved.
 */
export function fillExactOutput(search: Search, buyAmount: bigint): Bought | undefined {
  const output = Number(buyAmount);
  if (output > search.capacityOut * (1 + 1e-9)) return undefined;
  const least = search.inputFor(output);
  if (least === undefined) return undefined;
  const structureOf = (input: number) => structureAmount(Math.max(1, input), search.depth);
  const nextOf = (input: number) => nextStructureAmount(input, search.depth);
  const buy = buyer(buyAmount, least);
  let best: Pulled | undefined;
  let supports: Supports | undefined;
  let low = structureOf(least * (1 - 1e-9));
  let high = Number.POSITIVE_INFINITY;
  let input = low;
  for (let splits = 0; splits < MAX_SPLITS && low < high; splits++) {
    const split = search.split(input);
    const network = split?.kind === 'network' ? split : undefined;
    const first = network && buy(network.network);
    supports ??= network?.supports;
    // Twice as strict as exact input, so that what competes there does so here.
    const isFine = first !== undefined && first.rounding <= FINE / 2;
    const singles = isFine || splits > 0 ? [] : search.singles(input).map(buy);
    best = cheapest([best, first, ...singles]);
    if (best === undefined) {
      // Floats cannot tell what so drained pools still give: reach out.
      low = nextOf(input);
      input = structureOf(low * 4 ** splits);
      continue;
    }
    const cost = Number(best.amountIn);
    if (cost < nextOf(input)) high = input;
    else {
      low = nextOf(input);
      high = Math.min(high, nextOf(structureOf(cost)));
    }
    input = Math.max(low, structureOf(Math.sqrt(low) * Math.sqrt(high)));
  }
  return best && { ...best, supports: supports ?? (() => []) };
}

/** Returns what buys through a network, each once. */
function buyer(buyAmount: bigint, least: number): (network: Network) => Pulled | undefined {
  const bought = new Map<Network, Pulled | undefined>();
  return (network) => {
    if (!bought.has(network)) bought.set(network, buyThrough(network, buyAmount, least));
    return bought.get(network);
  };
}

/** Finds the least input that yields enough through the network, then buys exactly that much back to front. */
function buyThrough(network: Network, buyAmount: bigint, least: number): Pulled | undefined {
  if (network.nodes.every((arcs) => arcs.length <= 1)) return pull(network, new Map(), buyAmount);
  const flows = leastInputFlows(network, buyAmount, BigInt(Math.ceil(Math.max(1, least))));
  if (flows === undefined) return undefined;
  return pull(network, new Map(flows.map((flow) => [flow.arc, flow.amountOut])), buyAmount);
}

function cheapest(candidates: readonly (Pulled | undefined)[]): Pulled | undefined {
  return candidates
    .filter((pulled) => pulled !== undefined)
    .reduce<Pulled | undefined>(
      (best, pulled) => (best === undefined || isCheaper(pulled, best) ? pulled : best),
      undefined,
    );
}

function isCheaper(one: Pulled, other: Pulled): boolean {
  if (one.amountIn !== other.amountIn) return one.amountIn < other.amountIn;
  return one.flows.length < other.flows.length;
}
