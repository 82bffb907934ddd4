import { isHexAddress } from '../checks/hex.ts';
import type { Exchange } from '../client/exchange.ts';
import { KEY_PLACEHOLDER, type Query } from '../client/request.ts';

/**
 * Returns the value of a query parameter as the bytes sent it, or undefined
 * where it was not given, or given more than once, which leaves open what was
 * asked.
 */
export function askedFor(exchange: Exchange, name: string): string | undefined {
  return requestOf(exchange).parameters.get(name);
}

/** Returns whether a query parameter was given at all. */
export function wasGiven(exchange: Exchange, name: string): boolean {
  return requestOf(exchange).parameters.has(name);
}

type Request = {
  readonly query: Query;
  /** By name; those that were given more than once have no value. */
  readonly parameters: ReadonlyMap<string, string | undefined>;
  readonly chainId: number | undefined;
};

function requestOf({ query }: Exchange): Request {
  if (latest?.query === query) return latest;
  const parameters = new Map<string, string | undefined>();
  for (const [name, value] of query) parameters.set(name, parameters.has(name) ? undefined : value);
  const chain = parameters.get('chainId');
  const isPlain = chain !== undefined && /^(0|[1-9][0-9]{0,15})$/.test(chain);
  latest = { query, parameters, chainId: isPlain ? Number(chain) : undefined };
  return latest;
}

/** The request that was looked at last: dozens of rules ask for parameters of each. */
let latest: Request | undefined;

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
  return requestOf(exchange).chainId;
}

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

/** Returns whether a request for a plan is known to leave out RFQ liquidity, whose market makers need not be pools. */
export function isWithoutRfq(exchange: Exchange): boolean {
  return requestIsKnown(exchange) && (askedFor(exchange, 'useRfq') ?? 'false') === 'false';
}
