import fc from 'fast-check';
import { targetFor } from '../client/operations.ts';
import type { RequestTarget } from '../client/request.ts';
import type { RouterName } from '../contract/resources.ts';
import type { Facts } from '../discovery/facts.ts';
import { CALLDATA_SHARE, MAX_LOOKUPS, MIN_LOOKUPS, PROFILES, type Profile } from './budget.ts';
import { createDeck } from './deck.ts';
import type { Trade } from './trades.ts';
import { type Mode, variationArbitrary, vary } from './variation.ts';

/** From dust to beyond what the pools hold; the middle more often, since it is answered with plans. */
const DECADES = [-30, -9, -6, -5, -4, -3, -3, -2, -2, -1, -1, 0, 0, 0, 1, 1, 2, 3, 5];

/**
 * Yields the requests that cover the market: on each chain in turn, every
 * combination of trade kind, amount decade, router and calldata is dealt once
 * before any is dealt again, over pairs that are dealt likewise; lookups stand
 * between them. Everything else about a request (order, letter case, encoding,
 * optional parameters) is drawn by fast-check. One seed gives one list.
 */
export function* coverMarket(
  facts: Facts,
  seed: number,
  profile: Profile = PROFILES.standard,
): Generator<RequestTarget> {
  // A run that ends early need not wait for the rest.
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
  const asked: RequestTarget[] = [];
  return variations.map((variation, index) => () => {
    const { trades, modes } = tables[index % tables.length] as (typeof tables)[number];
    const before = index % NEIGHBOUR_EVERY === 0 ? asked[index - NEIGHBOUR_AFTER] : undefined;
    const target = before ? withOneMore(before) : vary(trades.deal(), modes.deal(), variation);
    asked[index] = target;
    return target;
  });
}

/** One swap in so many asks again what was asked so many swaps before, of an amount beside that one. */
const NEIGHBOUR_EVERY = 41;
const NEIGHBOUR_AFTER = 40;

/** Returns the request for one base unit more: what is kept by a rounded amount answers it with the other. */
function withOneMore(target: RequestTarget): RequestTarget {
  const query = [...new URLSearchParams(target.query as string)];
  return {
    ...target,
    query: query.map(([name, value]) =>
      /^(sell|buy)Amount$/.test(name) ? [name, String(BigInt(value) + 1n)] : [name, value],
    ),
  };
}

/** Every combination; those with calldata often enough to be the share of all that the budget says. */
function modesOf(routers: ReadonlyMap<RouterName, 'plan' | 'calldata'>): readonly Mode[] {
  const plain: (RouterName | undefined)[] = [undefined, ...routers.keys()];
  const encoding = [...routers].filter(([, answer]) => answer === 'calldata').map(([name]) => name);
  const copies = Math.max(
    1,
    Math.round((plain.length * CALLDATA_SHARE) / ((1 - CALLDATA_SHARE) * encoding.length)),
  );
  const asked = [
    ...plain.map((router) => ({ router, calldata: false })),
    ...encoding.flatMap((router) =>
      Array.from({ length: copies }, () => ({ router, calldata: true })),
    ),
  ];
  return asked.flatMap((how) =>
    (['exact-input', 'exact-output'] as const).flatMap((kind) =>
      DECADES.map((decade) => ({ ...how, kind, decade })),
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
  const asked = interleave(
    Array.from({ length: profile.lookups }, () => targetFor('chains', {})),
    Array.from({ length: rounds }, () => ofEach).flat(),
  );
  return Array.from(asked, (target) => () => target);
}

/** Spreads the shorter list evenly over the longer. */
function* interleave<T>(one: readonly T[], other: readonly T[]): Generator<T> {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one];
  let taken = 0;
  for (const [index, item] of long.entries()) {
    yield item;
    const due = Math.floor(((index + 1) * short.length) / long.length);
    for (; taken < due; taken += 1) yield short[taken] as T;
  }
}
