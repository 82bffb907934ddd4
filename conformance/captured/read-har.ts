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
  readonly httpVersion?: unknown;
  /** Size of the body as it was sent, in bytes. */
  readonly bodySize?: unknown;
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
      status: isJudged ? status : undefined,
      body: isJudged ? bodyOf(response, headers, readAttached) : undefined,
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
 * Other replies were created by a browser (cache, service worker, HSTS), a proxy (407) or a test,
 * or are incomplete.
 */
function isCompleteReplyOfService(
  { _wasFulfilled, _wasAborted, _fetchType }: HarEntry,
  response: HarResponse,
  headers: readonly Pair[],
): boolean {
  const { status, statusText, _error, _failureText } = response;
  const isFromBrowser =
    status === 304 ||
    status === 407 ||
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
  response: HarResponse,
  headers: readonly Pair[],
  readAttached: (file: string) => Buffer | undefined,
): Buffer | undefined {
  const { text, encoding, size, comment, _truncated, _file: file } = response.content ?? {};
  const attached = typeof file === 'string' ? readAttached(file) : undefined;
  const body = attached ?? (typeof text === 'string' ? bytesOf(text, encoding) : undefined);
  if (body === undefined || isCompressed(body)) return undefined;
  if (_truncated === true || /truncated|discarded/i.test(String(comment))) return undefined;
  const sent = bytesSent(response, headers);
  if (sent !== undefined && sent !== body.length) return undefined;
  if (attached !== undefined || sent !== undefined) return body;
  const isShort = typeof size === 'number' && (size === -1 || size > body.length);
  return isShort && !isWholeJson(body) ? undefined : body;
}

/**
 * Returns the size of the body on the wire; undefined if the file does not contain it, or if the
 * body was sent in a coding or in chunks.
 */
function bytesSent(
  { bodySize, httpVersion }: HarResponse,
  headers: readonly Pair[],
): number | undefined {
  const headerOf = (name: string) =>
    headers.find(([each]) => each.toLowerCase() === name)?.[1]?.toString();
  if (/^(?!identity$)./i.test(headerOf('content-encoding') ?? '')) return undefined;
  const length = headerOf('content-length') ?? '';
  if (/^\d{1,15}$/.test(length)) return Number(length);
  // In HTTP/2, the size includes the frames.
  const isUnframed = /^http\/1/i.test(String(httpVersion)) && !headerOf('transfer-encoding');
  return isUnframed && typeof bodySize === 'number' && bodySize > 0 ? bodySize : undefined;
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
