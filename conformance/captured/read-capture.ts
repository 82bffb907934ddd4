import { constants } from 'node:buffer';
import type { Exchange } from '../client/exchange.ts';
import { decodeUtf8, readJson } from '../client/read-json.ts';
import { API_PREFIX, type Endpoint } from '../contract/paths.ts';
import { LineTooLongError, MAX_LINE_BYTES, splitLines } from '../output/read-file.ts';
import { bytesOf, capturedExchange, NOT_MEASURED } from './captured-exchange.ts';
import { readHar } from './read-har.ts';
import { readCapturedRequest } from './read-request.ts';

/** A file of captured replies. */
export type CaptureSource = {
  readonly name: string;
  /** The content of the file, in order. */
  readonly chunks: Iterable<Buffer>;
  /** True for NDJSON in a file whose name does not end in .ndjson. */
  readonly isLines?: boolean;
  /** Reads a file that a HAR names, next to the HAR; undefined if there is none. */
  readonly readAttached?: (file: string) => Buffer | undefined;
};

/**
 * Yields the exchanges in one file: a single JSON body, NDJSON lines (a body, or `{url, status,
 * headers, body}`), or a HAR. HAR entries of other interfaces are skipped. An entry whose body was
 * not captured yields only its request. Lines are read on demand. API keys are removed from the
 * requests and added to `apiKeys`.
 *
 * @throws {CaptureError} naming the file, and the line, that cannot be read.
 */
export function* readCapture(
  { name, chunks, isLines, readAttached }: CaptureSource,
  apiKeys: Set<string> = new Set(),
): Generator<Exchange> {
  if (isLines || name.endsWith('.ndjson')) return yield* readLines(name, chunks, apiKeys);
  const [first = Buffer.alloc(0), ...others] = chunks;
  const bytes = others.length === 0 ? first : Buffer.concat([first, ...others]);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw documentTooLong(name);
  const decoded = decode(name, bytes);
  // Programs that write a HAR or lines may add a byte-order mark. In a single body, the service
  // sent it.
  const text = name.endsWith('.json') ? decoded : decoded.replace(/^\uFEFF/, '');
  const whole = readJson(text, MAX_JSON_VALUES);
  if (whole === undefined) {
    const what = `contains more than ${MAX_JSON_VALUES} JSON values: convert it to .ndjson`;
    throw new CaptureError(name, what);
  }
  if (whole.kind === 'json') {
    const entries = readHar(whole.value, apiKeys, readAttached);
    if (entries?.length === 0) throw new CaptureError(name, `contains no request to ${API_PREFIX}`);
    if (entries !== undefined) return yield* entries;
    if (name.endsWith('.har')) throw new CaptureError(name, 'is not a HAR: it has no log.entries');
    return yield readValue(name, whole.value, text, apiKeys);
  }
  // Standard input has no name to distinguish NDJSON from JSON.
  if (name === '-' && text.trim().includes('\n')) return yield* readLines(name, [bytes], apiKeys);
  throw new CaptureError(name, `is not JSON: ${whole.reason}`);
}

/**
 * Yields exchanges from in-memory replies, which have the same form as NDJSON lines.
 *
 * @throws {CaptureError} naming the first reply, counted from 1, that is not from the interface.
 */
export async function* readReplies(
  replies: Iterable<unknown> | AsyncIterable<unknown>,
  apiKeys: Set<string>,
): AsyncGenerator<Exchange> {
  let number = 0;
  for await (const reply of replies) {
    number += 1;
    const text = JSON.stringify(reply) ?? 'nothing';
    yield readValue(`reply ${number}`, reply, text, apiKeys);
  }
}

function* readLines(
  name: string,
  chunks: Iterable<Buffer>,
  apiKeys: Set<string>,
): Generator<Exchange> {
  let replies = 0;
  let number = 0;
  for (const bytes of linesOf(name, chunks)) {
    const place = `${name}:${++number}`;
    const line = decode(place, bytes).trim();
    if (line === '') continue;
    const read = readJson(line, MAX_JSON_VALUES_PER_LINE);
    if (read === undefined) {
      throw new CaptureError(place, `contains more than ${MAX_JSON_VALUES_PER_LINE} JSON values`);
    }
    if (read.kind === 'not-json') throw new CaptureError(place, `is not JSON: ${read.reason}`);
    if (isLoadRecord(read.value)) continue;
    replies++;
    yield readValue(place, read.value, line, apiKeys);
  }
  if (replies === 0) throw new CaptureError(name, 'contains no reply');
}

/** Maximum size of a document that is not read line by line. */
export const MAX_DOCUMENT_BYTES = constants.MAX_STRING_LENGTH;

/** Returns the error for a document that is too long. */
export function documentTooLong(name: string): CaptureError {
  return new CaptureError(name, 'is too long to be read as one document: convert it to .ndjson');
}

/** Maximum numbers of JSON values, because a value takes many times its size in memory. */
const MAX_JSON_VALUES_PER_LINE = 2 ** 21;
const MAX_JSON_VALUES = 2 ** 23;

function* linesOf(name: string, chunks: Iterable<Buffer>): Generator<Buffer> {
  try {
    yield* splitLines(chunks, MAX_LINE_BYTES);
  } catch (cause) {
    if (!(cause instanceof LineTooLongError)) throw cause;
    throw new CaptureError(`${name}:${cause.number}`, `${cause.message}, which no reply needs`);
  }
}

function decode(place: string, bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new CaptureError(place, 'is not UTF-8');
  return text;
}

/** Load runs write such lines between exported replies. */
function isLoadRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || 'body' in value) return false;
  if ('run' in value || 'lost' in value) return true;
  return 'request' in value && Array.isArray(value.request);
}

type Envelope = {
  readonly [Field in
    | 'url'
    | 'method'
    | 'status'
    | 'headers'
    | 'body'
    | 'encoding'
    | 'keyless'
    | 'garbled']?: unknown;
};

/**
 * Accepts a body, or `{url?, method?, status?, headers?, body}`, where `body` is JSON or a string
 * that contains JSON.
 */
function readValue(place: string, value: unknown, text: string, apiKeys: Set<string>): Exchange {
  if (typeof value !== 'object' || value === null || !('body' in value)) {
    const guess = guessOperation(value);
    if (guess !== undefined) return exchangeOfBody(place, text, guess);
    throw new CaptureError(place, 'does not have the shape of a reply of this interface');
  }
  const { url, status, headers, encoding, ...fields }: Envelope = value;
  const isReadable = status === undefined || typeof status === 'number';
  const captured =
    typeof fields.body === 'string'
      ? bytesOf(fields.body, encoding)
      : Buffer.from(JSON.stringify(fields.body));
  const body = captured ?? Buffer.alloc(0);
  const document = readJson(body.toString());
  const guess = document.kind === 'json' ? guessOperation(document.value) : undefined;
  const known = typeof status === 'number' ? { status } : {};
  if (typeof url !== 'string') {
    if (guess !== undefined) return exchangeOfBody(place, body.toString(), { ...guess, ...known });
    throw new CaptureError(place, 'is not a reply from this interface');
  }
  const request = readCapturedRequest(url);
  if (request === undefined) {
    const path = JSON.stringify(url.split(/[?#]/, 1)[0]);
    throw new CaptureError(place, `is a request to ${path}, which is not part of this interface`);
  }
  const { method, keyless, garbled } = fields;
  const isFromService = isReadable && status !== 304 && status !== 407;
  const reply = {
    ...{ status: 200, ...guess, ...known, headers: headersOf(headers) },
    // An unreadable body is omitted and counted, like a body that the file lacks.
    ...(isFromService ? { body: captured } : { body: undefined, status: undefined }),
  };
  return capturedExchange(request, { method, keyless, garbled, ...reply }, apiKeys);
}

function headersOf(headers: unknown): readonly (readonly [string, unknown])[] {
  return typeof headers === 'object' && headers !== null ? Object.entries(headers) : [];
}

function exchangeOfBody(target: string, text: string, { endpoint, status }: Guess): Exchange {
  return {
    ...NOT_MEASURED,
    endpoint,
    origin: 'body-only',
    method: 'GET',
    target,
    query: [],
    outcome: { kind: 'reply', status, headers: {}, text, document: readJson(text) },
  };
}

/** A file of captured replies cannot be read. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';

  constructor(place: string, what: string) {
    super(`${place === '-' ? 'standard input' : place} ${what}`);
  }
}

type Guess = { readonly endpoint: Endpoint; readonly status: number };

/** Fields by which an object, or the first entry of a list, reveals its operation. */
const OF_LIST = { tokens: ['symbol', 'decimals', 'address', 'metadata'], chains: ['chainId'] };
const OF_OBJECT = {
  swap: ['routes', 'sell', 'buy'],
  chainInfo: ['routers', 'wrappedNativeTokenAddress', 'usdTokenAddress'],
};

/** An Error does not reveal its operation, and counts as a reply to `/swap`. */
function guessOperation(body: unknown): Guess | undefined {
  if (Array.isArray(body) && body.length === 0) return { endpoint: 'tokens', status: 200 };
  const [value, operations] = Array.isArray(body) ? [body[0], OF_LIST] : [body, OF_OBJECT];
  if (typeof value !== 'object' || value === null) return undefined;
  const hasAny = (names: readonly string[]) => names.some((name) => name in value);
  const [endpoint] = Object.entries(operations).find(([, names]) => hasAny(names)) ?? [];
  if (endpoint !== undefined) return { endpoint: endpoint as Endpoint, status: 200 };
  const isError = !Array.isArray(body) && hasAny(['error', 'message']);
  return isError ? { endpoint: 'swap', status: 400 } : undefined;
}
