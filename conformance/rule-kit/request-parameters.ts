import { isHexAddress } from '../checks/hex.ts';
import type { Exchange } from '../client/exchange.ts';
import { KEY_PLACEHOLDER, type Query } from '../client/request.ts';
import { NATIVE_ALIASES } from '../contract/names.ts';

/**
 * Returns the value of a query parameter as the bytes sent it, or undefined
 * where it was not given, or given more than once, which leaves open what was
 * asked.
 */
export function askedFor(exchange: Exchange, name: string): string | undefined {
  let value: string | undefined;
  for (const parameter of exchange.query) {
    if (parameter[0] !== name) continue;
    if (value !== undefined) return undefined;
    value = parameter[1];
  }
  return value;
}

/** Returns whether a query parameter was given at all. */
export function wasGiven(exchange: Exchange, name: string): boolean {
  return exchange.query.some(([each]) => each === name);
}

/** Returns whether the request is known; a captured body alone does not tell what was asked. */
export function requestIsKnown(exchange: Exchange): boolean {
  return exchange.origin !== 'body-only';
}

/** Returns whether the request carried the caller's key, once. Captured requests are taken to. */
export function carriesKey(exchange: Exchange): boolean {
  const { origin, keyless } = exchange;
  if (origin !== 'sent') return keyless !== true;
  return askedFor(exchange, 'apiKey') === KEY_PLACEHOLDER;
}

/** Returns the chain asked for, or undefined where the request does not name one plainly. */
export function chainAskedFor(exchange: Exchange): number | undefined {
  if (latest?.query === exchange.query) return latest.chainId;
  const text = askedFor(exchange, 'chainId');
  const chainId =
    text !== undefined && /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined;
  latest = { query: exchange.query, chainId };
  return chainId;
}

/** The request that was looked at last: a dozen rules ask for the chain of each. */
let latest: { readonly query: Query; readonly chainId: number | undefined } | undefined;

/**
 * Returns the token asked for, or undefined where the request does not name one
 * plainly: what a lenient reader takes for an address, and a strict one for none.
 */
export function tokenAskedFor(
  exchange: Exchange,
  parameter: 'sellToken' | 'buyToken',
): string | undefined {
  const text = askedFor(exchange, parameter);
  if (text === undefined || isHexAddress(text)) return text;
  const trimmed = text.trim();
  const isArguable = trimmed !== text || /^(0X)?[0-9a-fA-F]{40}$/.test(trimmed);
  return isArguable ? undefined : text;
}

/** Returns whether an address is one of the two spellings of the native token, in any letter case. */
export function isNative(address: string): boolean {
  const [zeros, eees] = NATIVE_ALIASES;
  return address === zeros || address.toLowerCase() === eees;
}

/** Returns whether a request for a plan is known to leave out RFQ liquidity, whose market makers need not be pools. */
export function isWithoutRfq(exchange: Exchange): boolean {
  return requestIsKnown(exchange) && (askedFor(exchange, 'useRfq') ?? 'false') === 'false';
}
