import { type Exchange, type Reply, statusOf } from '../client/exchange.ts';
import { isRateLimit } from '../client/rate-limiter.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { printable } from '../output/printable.ts';

/** The reason why a service rejects every lookup. */
export type Rejection =
  | {
      /** The service rejects the key, or every request. */
      readonly cause: 'key' | 'everything';
      /** Status and beginning of the body, as the service sent them. */
      readonly answer: string;
    }
  | {
      readonly cause: 'redirect';
      /** The base URL to which every lookup is redirected. */
      readonly baseUrl: string;
    };

/** The chain is arbitrary, since a service that rejects the key rejects it for every chain. */
const LOOKUPS: readonly { readonly path: string; readonly query: Query }[] = [
  { path: PATHS.chains, query: [] },
  { path: PATHS.tokens, query: [['chainId', '1']] },
  { path: PATHS.chainInfo, query: [['chainId', '1']] },
];

/**
 * Returns the reason why a service redirects every lookup to another base URL, or rejects every
 * lookup, both with the user's key and with an unknown key. Returns undefined if a lookup succeeds,
 * or if the replies to the two keys differ. If the reply is the same without any key and does not
 * mention keys, the cause is not the key. It may be a firewall or a missing header.
 *
 * @see Specification 5.3: "Response to a missing or invalid key [...]: not shown."
 */
export async function explainRejection(
  get: (target: RequestTarget) => Promise<Exchange>,
): Promise<Rejection | undefined> {
  let first: Exchange | undefined;
  let isSameWithoutKey = true;
  const redirectUrls = new Set<string | undefined>();
  for (const { path, query } of LOOKUPS) {
    const own = await get({ path, query });
    const redirectUrl = redirectUrlOf(own, path);
    redirectUrls.add(redirectUrl);
    if (redirectUrl !== undefined) continue;
    if (!mayRejectKey(own)) return undefined;
    first ??= own;
    const other: Query = [...query, ['apiKey', 'swapcheck-unknown-key']];
    const unknown = await get({ path, query: other, key: 'as-written' });
    if (contentWithoutIds(own) !== contentWithoutIds(unknown)) return undefined;
    const keyless = await get({ path, query, key: 'as-written' });
    isSameWithoutKey &&= contentWithoutIds(own) === contentWithoutIds(keyless);
  }
  const [baseUrl] = redirectUrls;
  if (baseUrl !== undefined && redirectUrls.size === 1) return { cause: 'redirect', baseUrl };
  if (first === undefined || redirectUrls.size > 1) return undefined;
  const answer = describeAnswer(first);
  const isAboutKey = /(?<![a-z])(api[\s_-]*)?keys?(?![a-z])|credential|unauthori[sz]ed/i.test(
    answer,
  );
  return { cause: isSameWithoutKey && !isAboutKey ? 'everything' : 'key', answer };
}

/** Returns the base URL of a redirect to the same path on another host, or from http to https. */
function redirectUrlOf({ outcome }: Exchange, path: string): string | undefined {
  if (outcome.kind !== 'reply' || outcome.status < 300 || outcome.status > 399) return undefined;
  const [location = ''] = outcome.headers['location'] ?? [];
  const [url = ''] = location.split(/[?#]/, 1);
  return /^https?:/.test(url) && url.endsWith(path) ? url.slice(0, -path.length) : undefined;
}

/** A 404 is about the path and a rate limit about the rate. Neither rejects a key. */
function mayRejectKey({ outcome }: Exchange): boolean {
  if (outcome.kind === 'no-reply' || isRateLimit(outcome)) return false;
  return outcome.status >= 400 && outcome.status < 500 && outcome.status !== 404;
}

function contentWithoutIds({ outcome }: Exchange): string {
  if (outcome.kind !== 'reply') return outcome.kind;
  const { error } = errorOf(outcome);
  return `${outcome.status} ${error ?? outcome.text.replace(/[0-9a-f-]{8,}|\d+/gi, '')}`;
}

const MAX_QUOTED = 120;

/**
 * Returns the status of a rejection, with its `error` and `message` or the beginning of its body.
 */
export function describeAnswer(exchange: Exchange): string {
  const { outcome } = exchange;
  const status = String(statusOf(exchange));
  if (outcome.kind !== 'reply') return status;
  const text = outcome.text.trim();
  if (text === '') return `${status} without a body`;
  const { error, message } = errorOf(outcome);
  if (error !== undefined) {
    const parts = message === undefined ? [error] : [error, message];
    return `${status} ${parts.map((part) => JSON.stringify(printable(part, MAX_QUOTED))).join(': ')}`;
  }
  const [title = text] = /(?<=<title>)[^<]+/i.exec(text) ?? [];
  return `${status} ${JSON.stringify(printable(title, MAX_QUOTED))}`;
}

function errorOf({ document }: Reply): { readonly error?: string; readonly message?: string } {
  const value = document.kind === 'json' ? document.value : undefined;
  const { error, message } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...(typeof error === 'string' && { error }),
    ...(typeof message === 'string' && { message }),
  };
}
