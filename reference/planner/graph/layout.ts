import type { Address } from '../domain/address.ts';
import { type Elimination, eliminationAmong } from './elimination.ts';
import { byToken, type Hop, numberOfToken } from './hop.ts';
import { placesOf, type Topology } from './topology.ts';

/** How hops lie between two tokens, whatever their pools hold: it stays while these change. */
export type Layout = {
  /** The tokens that the hops trade, in the order of elimination: the nodes. */
  readonly tokens: readonly Address[];
  readonly sell: number;
  readonly buy: number;
  /** Nodes of each hop's two tokens. */
  readonly hopIn: Int32Array;
  readonly hopOut: Int32Array;
  /** The hops that sell the sell token. */
  readonly fromSell: readonly number[];
  readonly elimination: Elimination;
};

/** Returns how some hops of a topology lie between two tokens. */
export function layOut(
  topology: Topology,
  hops: readonly Hop[],
  sellToken: Address,
  buyToken: Address,
): Layout {
  const isMet = byToken(0);
  for (const { tail, head } of hops) isMet[tail] = isMet[head] = 1;
  const kept = [...topology.tokens.entries()].flatMap(([place, token]) =>
    isMet[numberOfToken(token)] ? [place] : [],
  );
  const tokens = kept.map((place) => topology.tokens[place] as Address);
  const nodeOf = placesOf(tokens);
  const nodeFor = (token: number) => Math.max(0, nodeOf[token] ?? 0);
  const [sell, buy] = [nodeFor(numberOfToken(sellToken)), nodeFor(numberOfToken(buyToken))];
  const hopIn = Int32Array.from(hops, ({ tail }) => nodeFor(tail));
  return {
    tokens,
    sell,
    buy,
    hopIn,
    hopOut: Int32Array.from(hops, ({ head }) => nodeFor(head)),
    fromSell: [...hops.keys()].filter((hop) => hopIn[hop] === sell),
    elimination: eliminationAmong(topology.elimination, kept),
  };
}
