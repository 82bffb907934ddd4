import type { Exchange } from '../client/exchange.ts';
import { decodeUtf8, readJson } from '../client/read-json.ts';
import { bytesOf, capturedExchange } from './captured-exchange.ts';
import { type CapturedRequest, readCapturedRequest } from './read-request.ts';

type HarEntry = {
  readonly _keyless?: unknown;
  readonly _garbled?: unknown;
  /** Playwright: true if a test replied to the request, or aborted it. */
  readonly _wasFulfilled?: unknown;
  readonly _wasAborted?: unknown;
  /** Safari: the source of the reply. */
  readonly _fetchType?: unknown;
  readonly request?: {
    readonly url?: unknown;
    readonly method?: unknown;
    readonly queryString?: unknown;
  };
  readonly response?: HarResponse;
};

type HarResponse = {
  readonly status?: unknown;
  readonly statusText?: unknown;
  readonly headers?: unknown;
  /** Chrome and Playwright: the error that ended the reply. */
  readonly _error?: unknown;
  readonly _failureText?: unknown;
  /** Chrome: whether a service worker replied, and where the worker got the reply. */
  readonly _fetchedViaServiceWorker?: unknown;
  readonly _serviceWorkerResponseSource?: unknown;
  readonly content?: {
    readonly text?: unknown;
    /** Size of the body in bytes, even if its text was not captured. */
    readonly size?: unknown;
    readonly encoding?: unknown;
    readonly comment?: unknown;
    readonly _truncated?: unknown;
    /** Playwright: a file next to the HAR that contains the body. */
    readonly _file?: unknown;
  };
};

type Pair = readonly [name: string, value: unknown];

/**
 * Returns the exchanges of this interface in a HAR; undefined if the document is not a HAR.
 * `readAttached` reads a file next to the HAR.
 *
 * @see http://www.softwareishard.com/blog/har-12-spec/
 */
export function readHar(
  document: unknown,
  apiKeys: Set<string>,
  readAttached: (file: string) => Buffer | undefined = () => undefined,
): readonly Exchange[] | undefined {
  const { log } = (document ?? {}) as { log?: { entries?: unknown } };
  if (!Array.isArray(log?.entries)) return undefined;
  return log.entries.flatMap((entry: HarEntry | null) => {
    const { request, response, _keyless: keyless, _garbled: garbled } = entry ?? {};
    const captured = requestOf(request);
    const { status } = response ?? {};
    // If there was no reply, browsers write status 0 and Playwright writes -1.
    if (captured === undefined || response === undefined || Number(status ?? 0) <= 0) return [];
    const headers = pairsOf(response.headers);
    const isJudged =
      typeof status === 'number' && isCompleteReplyOfService(entry ?? {}, response, headers);
    const fields = {
      ...{ method: request?.method, keyless, garbled, headers },
      status: typeof status === 'number' ? status : 0,
      body: isJudged ? bodyOf(response, readAttached) : undefined,
    };
    return [capturedExchange(captured, fields, apiKeys)];
  });
}

/** Some programs write the parameters only in `queryString`. */
function requestOf({
  url,
  queryString,
}: NonNullable<HarEntry['request']> = {}): CapturedRequest | undefined {
  if (typeof url !== 'string') return undefined;
  const listed = pairsOf(queryString).map(([name, value]) => [name, String(value)] as const);
  if (url.includes('?') || listed.length === 0) return readCapturedRequest(url);
  const query = listed.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
  return readCapturedRequest(`${url.replace(/#.*/s, '')}?${query}`);
}

function pairsOf(listed: unknown): readonly Pair[] {
  return (Array.isArray(listed) ? listed : []).map((pair) => [String(pair?.name), pair?.value]);
}

/**
 * Other replies were created by a browser (cache, service worker, HSTS) or a test, or are
 * incomplete.
 */
function isCompleteReplyOfService(
  { _wasFulfilled, _wasAborted, _fetchType }: HarEntry,
  response: HarResponse,
  headers: readonly Pair[],
): boolean {
  const { status, statusText, _error, _failureText } = response;
  const isFromBrowser =
    status === 304 ||
    (status === 307 && statusText === 'Internal Redirect') ||
    headers.some(([name]) => name.toLowerCase() === 'non-authoritative-reason') ||
    _fetchType === 'Inspector Override' ||
    _fetchType === 'Service Worker';
  const isFromWorker =
    response._fetchedViaServiceWorker === true &&
    response._serviceWorkerResponseSource !== 'network';
  const hasFailed = [_error, _failureText].some((text) => typeof text === 'string' && text !== '');
  return !(
    isFromBrowser ||
    isFromWorker ||
    hasFailed ||
    _wasFulfilled === true ||
    _wasAborted === true
  );
}

/**
 * Returns the complete, decompressed body. Returns undefined if the file contains only part of the
 * body, or a compressed body.
 */
function bodyOf(
  { content }: HarResponse,
  readAttached: (file: string) => Buffer | undefined,
): Buffer | undefined {
  const { text, encoding, size, comment, _truncated, _file: file } = content ?? {};
  if (typeof file === 'string') {
    const attached = readAttached(file);
    if (attached !== undefined) return isCompressed(attached) ? undefined : attached;
  }
  if (typeof text !== 'string') return undefined;
  const body = bytesOf(text, encoding);
  if (body === undefined || isCompressed(body)) return undefined;
  const isSaidCut = _truncated === true || /truncated|discarded/i.test(String(comment));
  const isShort = typeof size === 'number' && (size === -1 || size > body.length);
  return (isSaidCut || isShort) && !isWholeJson(body) ? undefined : body;
}

function isWholeJson(body: Buffer): boolean {
  const text = decodeUtf8(body)?.trim() ?? '';
  return /^[[{]/.test(text) && readJson(text).kind === 'json';
}

function isCompressed(body: Buffer): boolean {
  const [first, second] = body;
  const isZlib = first === 0x78 && (second === 0x01 || second === 0x9c || second === 0xda);
  return (first === 0x1f && second === 0x8b) || isZlib || (first === 0x28 && second === 0xb5);
}
