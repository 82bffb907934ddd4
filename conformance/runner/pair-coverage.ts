import { addressKey } from '../checks/hex.ts';
import type { Exchange } from '../client/exchange.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Report } from '../model/report.ts';

/** Returns the key of the pair in a request to `/swap`. */
export function pairOf({ query }: Exchange): string {
  const { chainId, sellToken = '', buyToken = '' } = Object.fromEntries(query);
  return keyOf(chainId, sellToken, buyToken);
}

/**
 * Counts the ordered pairs of listed tokens, and the pairs for which the service returned a plan or
 * a rejection.
 */
export function countPairs(
  { markets, tokens }: Facts,
  planned: ReadonlySet<string>,
): Report['pairs'] {
  const perChain = [...markets.values()].map(({ chainId, pairsWithoutPlan }) => {
    const listed = new Set((tokens.get(chainId) ?? []).map(({ address }) => addressKey(address)));
    const rejected = pairsWithoutPlan.map(([sell, buy]) =>
      keyOf(chainId, sell.address, buy.address),
    );
    const requested = [...new Set([...planned, ...rejected])].filter((key) => {
      const [chain, sell = '', buy = ''] = key.split(' ');
      return chain === String(chainId) && sell !== buy && listed.has(sell) && listed.has(buy);
    }).length;
    return { requested, listed: listed.size * (listed.size - 1) };
  });
  const sum = (field: 'requested' | 'listed') =>
    perChain.reduce((total, each) => total + each[field], 0);
  return sum('listed') === 0 ? undefined : { requested: sum('requested'), listed: sum('listed') };
}

function keyOf(chainId: unknown, sell: string, buy: string): string {
  return [chainId, addressKey(sell), addressKey(buy)].join(' ');
}
