import { type Exchange, statusOf } from '../../conformance/client/exchange.ts';
import { targetFor } from '../../conformance/client/operations.ts';
import type { RequestTarget } from '../../conformance/client/request.ts';
import { NATIVE_ALIASES } from '../../conformance/contract/names.ts';
import { PATHS } from '../../conformance/contract/paths.ts';
import { hasAddress } from '../../conformance/discovery/candidates.ts';
import type { Asset, Facts } from '../../conformance/discovery/facts.ts';
import { readQuote } from '../../conformance/discovery/quote.ts';
import { kindName, type MixEntry } from '../model/profile.ts';

/** Statuses with which a service rejects a request that it has read but does not support. */
const REJECTIONS: readonly unknown[] = [400, 404, 422];

/**
 * Returns whether a reply shows what the service offers: a plan, another resource, or a rejection
 * of the request. An overloaded service, a gateway or a rate limit sends other replies, such as
 * 403, 430, 503, or an error with status 200.
 */
export function isConclusive(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  if (status !== 200) return REJECTIONS.includes(status);
  return !exchange.target.startsWith(PATHS.swap) || readQuote(exchange) !== undefined;
}

/**
 * Repeats the requests for a kind that discovery did not find, one at a time, because a busy
 * service may fail requests that it supports. Returns why the kind is absent, or the reply that
 * leaves it open.
 */
export async function confirmAbsent(
  entry: MixEntry,
  facts: Facts,
  get: (target: RequestTarget) => Promise<Exchange>,
): Promise<{ readonly reason: string } | { readonly doubt: Exchange }> {
  for (const target of requestsFor(entry, facts)) {
    const exchange = await get(target);
    if (!isConclusive(exchange) || (entry.calldata && hasCalldata(exchange))) {
      return { doubt: exchange };
    }
  }
  const name = kindName(entry);
  const routers = [...facts.markets.values()].flatMap((market) =>
    [...market.routers].flatMap(([router, kind]) => (kind === 'calldata' ? [router] : [])),
  );
  return entry.calldata && entry.router !== undefined && routers.length > 0
    ? {
        reason: `${name}: ${entry.router} returns no calldata; in the profile, set router: ${[...new Set(routers)].join(' or ')}`,
      }
    : { reason: `${name}: this service does not support such requests` };
}

/** Returns one request for each router that may settle the kind. */
function requestsFor(entry: MixEntry, { markets, chainInfo }: Facts): readonly RequestTarget[] {
  return [...markets.values()]
    .slice(0, 1)
    .flatMap(({ chainId, pairs, requiredParameters = [] }) => {
      const info = chainInfo.get(chainId);
      const wrapped = info?.wrappedNativeTokenAddress;
      const isWrapped = (asset: Asset) => hasAddress(asset, wrapped);
      const pair = pairs.find(({ sell, buy }) =>
        entry.native === 'sell' ? isWrapped(sell) : entry.native !== 'buy' || isWrapped(buy),
      );
      if (pair === undefined) return [];
      const encoders = info?.routers.flatMap(({ name, hasEncoder }) => (hasEncoder ? [name] : []));
      const routers =
        entry.router !== undefined ? [entry.router] : entry.calldata && encoders ? encoders : [];
      return (routers.length > 0 ? routers : [undefined]).map((router) => {
        const trade = {
          chainId,
          sellToken: entry.native === 'sell' ? NATIVE_ALIASES[0] : pair.sell.address,
          buyToken: entry.native === 'buy' ? NATIVE_ALIASES[0] : pair.buy.address,
          sellAmount: pair.sellAmount,
          ...Object.fromEntries(requiredParameters),
          ...(router !== undefined && { router }),
        };
        return targetFor('swap', entry.calldata ? { ...trade, ...CALLDATA } : trade);
      });
    });
}

const CALLDATA = {
  includeCalldata: true,
  userAddress: `0x${'1'.repeat(40)}`,
  slippageTolerance: 0.01,
} as const;

function hasCalldata({ outcome }: Exchange): boolean {
  if (outcome.kind !== 'reply' || outcome.document.kind !== 'json') return false;
  return typeof Object(outcome.document.value)['calldata'] === 'string';
}
