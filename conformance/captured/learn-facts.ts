import type { Exchange } from '../client/exchange.ts';
import { bodyOf, readChainInfo, readList } from '../discovery/discover.ts';
import type { Facts } from '../discovery/facts.ts';

/**
 * Collects from captured lookups the facts that discovery learns from a service. The first reply of
 * each kind counts.
 */
export function createLearner() {
  let chains: Facts['chains'] | undefined;
  const chainInfo = new Map<number, NonNullable<ReturnType<typeof readChainInfo>>>();
  const tokens = new Map<number, ReturnType<typeof readList<'tokens'>>>();
  const learners: Readonly<Record<string, (body: unknown, exchange: Exchange) => void>> = {
    chains: (body) => {
      if (Array.isArray(body)) chains ??= readList('chains', body);
    },
    chainInfo: (body) => {
      const info = readChainInfo(body);
      if (info !== undefined && !chainInfo.has(info.chainId)) chainInfo.set(info.chainId, info);
    },
    tokens: (body, { query }) => {
      const id = Number(query.find(([name]) => name === 'chainId')?.[1] || Number.NaN);
      if (!Number.isNaN(id) && Array.isArray(body) && !tokens.has(id)) {
        tokens.set(id, readList('tokens', body));
      }
    },
  };
  return {
    learn: (exchange: Exchange): void => {
      const body = bodyOf(exchange);
      if (body !== undefined) learners[exchange.endpoint ?? '']?.(body, exchange);
    },
    /** Returns the facts from the lookups; undefined if there were none. */
    facts: (): Facts | undefined =>
      chains === undefined && chainInfo.size === 0 && tokens.size === 0
        ? undefined
        : { chains: chains ?? [], chainInfo, tokens, markets: new Map() },
  };
}
