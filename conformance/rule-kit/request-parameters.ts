import { isHexAddress } from '../checks/hex.ts';
import type { Exchange } from '../client/exchange.ts';
import { KEY_PLACEHOLDER, parameterOf } from '../client/request.ts';

/** Returns whether a query parameter is present. */
export function isGiven({ query }: Exchange, name: string): boolean {
  return query.some(([each]) => each === name);
}

/**
 * Returns whether the request of an exchange is known. Returns false if only the body was captured.
 */
export function requestIsKnown(exchange: Exchange): boolean {
  return exchange.origin !== 'body-only';
}

/**
 * Returns whether the request has the caller's key exactly once. Captured requests count as having
 * the key, unless the capture shows that they do not.
 */
export function carriesKey(exchange: Exchange): boolean {
  const { origin, keyless } = exchange;
  if (origin !== 'sent') return keyless !== true;
  return parameterOf(exchange.query, 'apiKey') === KEY_PLACEHOLDER;
}

/**
 * Returns the requested token. Returns undefined if there is none, or if only lenient parsers would
 * read the value as an address.
 */
export function requestedToken(
  exchange: Exchange,
  parameter: 'sellToken' | 'buyToken',
): string | undefined {
  const text = parameterOf(exchange.query, parameter);
  if (text === undefined || isHexAddress(text)) return text;
  const trimmed = text.trim();
  const isArguable = trimmed !== text || /^(0X)?[0-9a-fA-F]{40}$/.test(trimmed);
  return isArguable ? undefined : text;
}

/**
 * Returns whether a request for a plan is known to exclude RFQ liquidity. Plans with RFQ liquidity
 * may trade with market makers, which are not always pools.
 */
export function isWithoutRfq(exchange: Exchange): boolean {
  return requestIsKnown(exchange) && (parameterOf(exchange.query, 'useRfq') ?? 'false') === 'false';
}
