import {
  type FixedAmount,
  fixedAmount,
  parameterOf,
  type Query,
  type RequestTarget,
} from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import type { RouterName } from '../contract/resources.ts';
import type { ChainMarket, Facts, TradedPair } from '../discovery/facts.ts';

/** Wallet of the requests. Nobody has its key. */
export const USER_ADDRESS = '0x00000000000000000000000000000000c0ffee01';

/** Recipient of the requests. Nobody has its key. */
export const RECIPIENT_ADDRESS = '0x00000000000000000000000000000000c0ffee02';

/**
 * Tolerances at and next to both bounds, below one percent, and at values that floats cannot
 * represent.
 */
export const TOLERANCES = [
  // The quick profile tries only the first: 0.0003 * 10000 is no integer in floating point.
  '0.0003',
  '0',
  '0.0001',
  '0.0005',
  '0.0007',
  '0.005',
  '0.01',
  '0.07',
  '0.29',
  '0.9999',
  '1',
];

export type Trade = { readonly market: ChainMarket; readonly pair: TradedPair };

/** Returns every traded pair, alternating between the chains. */
export function tradesOf(facts: Facts): readonly Trade[] {
  const queues = [...facts.markets.values()].map((market) =>
    market.pairs.map((pair): Trade => ({ market, pair })),
  );
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, index) => index).flatMap((index) =>
    queues.flatMap((queue) => queue[index] ?? []),
  );
}

/**
 * Returns the given number of items. Half of them are from the front, where the most useful items
 * are. The other half is spread evenly over the rest, to find faults in late items too.
 *
 * @example spread([1, 2, 3, 4, 5, 6, 7, 8], 4) // [1, 2, 3, 6]
 */
export function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  const front = Math.ceil(count / 2);
  const back = items.slice(front);
  const rest = count - front;
  return [
    ...items.slice(0, front),
    ...back.filter(
      (_, index) =>
        Math.floor((index * rest) / back.length) !== Math.floor(((index - 1) * rest) / back.length),
    ),
  ];
}

/**
 * Returns the query of a swap that fixes an amount, with only the parameters that its chain
 * requires.
 */
export function queryFor({ market, pair }: Trade, name: FixedAmount, amount = pair[name]): Query {
  return [
    ['chainId', String(market.chainId)],
    ['sellToken', pair.sell.address],
    ['buyToken', pair.buy.address],
    [name, String(amount)],
    ...(market.requiredParameters ?? []),
  ];
}

export function exactInput(trade: Trade, sellAmount?: bigint): Query {
  return queryFor(trade, 'sellAmount', sellAmount);
}

export function exactOutput(trade: Trade, buyAmount?: bigint): Query {
  return queryFor(trade, 'buyAmount', buyAmount);
}

/** Returns the account for which calldata is requested on a chain. */
export function userOf({ user = USER_ADDRESS }: Pick<ChainMarket, 'user'>): string {
  return user;
}

/** Returns the query with the parameters that request calldata, with a tolerance of 1%. */
export function withCalldata(
  query: Query,
  router: RouterName,
  market: Pick<ChainMarket, 'user'>,
): Query {
  return [
    ...setParameter(query, 'router', [router]),
    ['includeCalldata', 'true'],
    ['userAddress', userOf(market)],
    ['slippageTolerance', '0.01'],
  ];
}

/**
 * Returns the query with exactly these values for a parameter, in its old position or at the end.
 * Without values, the parameter is removed.
 *
 * @example setParameter([['a', '1']], 'a', []) // []
 */
export function setParameter(query: Query, name: string, values: readonly string[]): Query {
  const pairs = values.map((value) => [name, value] as const);
  const at = query.findIndex(([each]) => each === name);
  if (at < 0) return [...query, ...pairs];
  const rest = query.filter(([each]) => each !== name);
  return [...rest.slice(0, at), ...pairs, ...rest.slice(at)];
}

/** Returns the query of a swap with another value of the amount that it fixes. */
export function changeAmount(query: Query, change: (amount: bigint) => bigint): Query {
  const name = fixedAmount(query);
  return setParameter(query, name, [String(change(BigInt(parameterOf(query, name) ?? 0)))]);
}

export function swapTarget(query: Query): RequestTarget {
  return { path: PATHS.swap, query };
}
