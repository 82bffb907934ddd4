import type { Address } from '../domain/address.ts';
import { at } from '../domain/at.ts';
import type { Arc } from './arc.ts';
import { edgesBetween } from './reach.ts';
import { placesOf, type Topology } from './topology.ts';

/** Arcs between two tokens, independent of the states of pools. */
export type Layout = {
  /** Nodes: the tokens of the arcs. */
  readonly tokens: readonly Address[];
  /** Nodes of the sell and the buy token. */
  readonly sell: number;
  readonly buy: number;
  /** Nodes at which each arc starts and ends. */
  readonly tails: Int32Array;
  readonly heads: Int32Array;
};

/** The arcs on paths from the sell token to the buy token. */
export type Subgraph = {
  readonly topology: Topology;
  readonly sellToken: Address;
  readonly buyToken: Address;
  /** Empty if the tokens are not connected. */
  readonly arcs: readonly Arc[];
  readonly layout: Layout;
};

/** Returns a subgraph from some of the arcs of a topology. */
export function subgraphOf(
  topology: Topology,
  arcs: readonly Arc[],
  sellToken: Address,
  buyToken: Address,
): Subgraph {
  return {
    topology,
    sellToken,
    buyToken,
    arcs,
    layout: layOut(topology, arcs, sellToken, buyToken),
  };
}

function layOut(
  { numbers, tokens: all }: Topology,
  arcs: readonly Arc[],
  sellToken: Address,
  buyToken: Address,
): Layout {
  const isMet = numbers.array(0);
  for (const { tail, head } of arcs) isMet[tail] = isMet[head] = 1;
  const tokens = all.filter((token) => isMet[numbers.numberOf(token)]);
  const nodeOf = placesOf(tokens, numbers);
  const nodeFor = (token: number) => Math.max(0, at(nodeOf, token));
  return {
    tokens,
    sell: nodeFor(numbers.numberOf(sellToken)),
    buy: nodeFor(numbers.numberOf(buyToken)),
    tails: Int32Array.from(arcs, ({ tail }) => nodeFor(tail)),
    heads: Int32Array.from(arcs, ({ head }) => nodeFor(head)),
  };
}

/** Returns the arcs that lie on walks from the sell token to the buy token of a subgraph. */
export function arcsBetween(
  arcs: readonly Arc[],
  { topology, sellToken, buyToken }: Pick<Subgraph, 'topology' | 'sellToken' | 'buyToken'>,
): readonly Arc[] {
  const { numbers } = topology;
  return edgesBetween(arcs, numbers.numberOf(sellToken), numbers.numberOf(buyToken));
}
