import fc from 'fast-check';
import { targetFor } from '../client/operations.ts';
import { pairsIn, type RequestTarget } from '../client/request.ts';
import type { RouterName } from '../contract/resources.ts';
import type { Facts } from '../discovery/facts.ts';
import { CALLDATA_SHARE, MAX_LOOKUPS, MIN_LOOKUPS, PROFILES, type Profile } from './budget.ts';
import { createDeck } from './deck.ts';
import { changeAmount, type Trade } from './trades.ts';
import { type Mode, variationArbitrary, vary } from './variation.ts';

/**
 * Powers of ten that scale amounts, from dust to more than the pools hold. The middle powers appear
 * more often, since such amounts return plans.
 */
const DECADES = [-30, -9, -6, -5, -4, -3, -3, -2, -2, -1, -1, 0, 0, 0, 1, 1, 2, 3, 5];

/**
 * Yields the requests that cover the market. On each chain in turn, every combination of trade
 * kind, amount decade, router and calldata appears once before any is repeated. Pairs are dealt in
 * the same way. Lookups are sent in between. fast-check draws all other properties of a request:
 * order, letter case, encoding and optional parameters. The same seed always yields the same
 * requests.
 */
export function* coverMarket(
  facts: Facts,
  seed: number,
  profile: Profile = PROFILES.standard,
): Generator<RequestTarget> {
  // Requests are built one at a time, since the run may end early.
  for (const request of interleave(swaps(facts, seed, profile), lookups(facts, profile)))
    yield request();
}

type Request = () => RequestTarget;

function swaps(facts: Facts, seed: number, { trafficSwaps }: Profile): readonly Request[] {
  const chains = [...facts.markets.values()].filter((market) => market.pairs.length > 0);
  if (chains.length === 0) return [];
  const tables = chains.map((market, index) => ({
    trades: createDeck(
      market.pairs.map((pair): Trade => ({ market, pair })),
      seed + index,
    ),
    modes: createDeck(modesOf(market.routers), seed + 7_919 + index),
  }));
  const variations = fc.sample(variationArbitrary, { seed, numRuns: trafficSwaps });
  const requested: RequestTarget[] = [];
  return variations.map((variation, index) => () => {
    const { trades, modes } = tables[index % tables.length] as (typeof tables)[number];
    const before = index % NEIGHBOR_EVERY === 0 ? requested[index - NEIGHBOR_AFTER] : undefined;
    const target = before
      ? withOneBaseUnitMore(before)
      : vary(trades.deal(), modes.deal(), variation);
    requested[index] = target;
    return target;
  });
}

/**
 * Every 41st swap repeats an earlier swap with one base unit more. A cache whose key rounds amounts
 * would return the earlier plan.
 */
const NEIGHBOR_EVERY = 41;
const NEIGHBOR_AFTER = 40;

function withOneBaseUnitMore(target: RequestTarget): RequestTarget {
  return { ...target, query: changeAmount(pairsIn(target), (amount) => amount + 1n) };
}

/** Repeats combinations with calldata until these make up their share of the traffic. */
function modesOf(routers: ReadonlyMap<RouterName, 'plan' | 'calldata'>): readonly Mode[] {
  const plain: (RouterName | undefined)[] = [undefined, ...routers.keys()];
  const encoding = [...routers]
    .filter(([, returned]) => returned === 'calldata')
    .map(([name]) => name);
  const copies = Math.max(
    1,
    Math.round((plain.length * CALLDATA_SHARE) / ((1 - CALLDATA_SHARE) * encoding.length)),
  );
  const forms = [
    ...plain.map((router) => ({ router, calldata: false })),
    ...encoding.flatMap((router) =>
      Array.from({ length: copies }, () => ({ router, calldata: true })),
    ),
  ];
  return forms.flatMap((form) =>
    (['exact-input', 'exact-output'] as const).flatMap((kind) =>
      DECADES.map((decade) => ({ ...form, kind, decade })),
    ),
  );
}

function lookups(facts: Facts, profile: Profile): readonly Request[] {
  const ids = facts.markets.size > 0 ? [...facts.markets.keys()] : [...facts.chainInfo.keys()];
  const ofEach = ids.flatMap((chainId) => [
    targetFor('tokens', { chainId }),
    targetFor('chainInfo', { chainId }),
  ]);
  const fair = Math.floor(MAX_LOOKUPS / Math.max(1, ofEach.length));
  const rounds = Math.min(profile.lookups, Math.max(MIN_LOOKUPS, fair));
  const targets = interleave(
    Array.from({ length: profile.lookups }, () => targetFor('chains', {})),
    Array.from({ length: rounds }, () => ofEach).flat(),
  );
  return Array.from(targets, (target) => () => target);
}

function* interleave<T>(one: readonly T[], other: readonly T[]): Generator<T> {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one];
  let taken = 0;
  for (const [index, item] of long.entries()) {
    yield item;
    const due = Math.floor(((index + 1) * short.length) / long.length);
    for (; taken < due; taken += 1) yield short[taken] as T;
  }
}
