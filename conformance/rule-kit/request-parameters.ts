import { isHexAddress } from '../checks/hex.ts';
import type { Exchange } from '../client/exchange.ts';
import { KEY_PLACEHOLDER } from '../client/request.ts';

/**
 * Returns the value of a query parameter as it was sent. Returns undefined if the parameter is
 * missing, or if it is repeated, since either value may count.
 */
export function requestedValue({ query }: Exchange, name: string): string | undefined {
  let found: string | undefined;
  for (const [each, value] of query) {
    if (each !== name) continue;
    if (found !== undefined) return undefined;
    found = value;
  }
  return found;
}

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
 * the key, faultUnless the capture shows that they do not.
 */
export function carriesKey(exchange: Exchange): boolean {
  const { origin, keyless } = exchange;
  if (origin !== 'sent') return keyless !== true;
  return requestedValue(exchange, 'apiKey') === KEY_PLACEHOLDER;
}

/**
 * Returns the requested token. Returns undefined if there is none, or if only lenient parsers would
 * read the value as an address.
 */
export function requestedToken(
  exchange: Exchange,
  parameter: 'sellToken' | 'buyToken',
): string | undefined {
  const text = requestedValue(exchange, parameter);
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
  return requestIsKnown(exchange) && (requestedValue(exchange, 'useRfq') ?? 'false') === 'false';
}
