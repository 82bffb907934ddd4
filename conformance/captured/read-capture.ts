import type { Exchange, Reply } from '../client/exchange.ts';
import { decodeUtf8, NOT_UTF8, readJson } from '../client/read-json.ts';
import { createRedactor, isTelling } from '../client/redaction.ts';
import { API_PREFIX, type Endpoint } from '../contract/paths.ts';
import { type CapturedRequest, readRequest } from './read-request.ts';

/** A file of captured replies. */
export type CaptureSource = {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Reads a file that stands beside it; undefined where there is none. */
  readonly readAttached?: (file: string) => Uint8Array | undefined;
};

/**
 * Reads the replies of one file: a JSON body alone, NDJSON lines (a body alone,
 * or `{url, status, headers, body}`), or a HAR. Entries of a HAR that are not
 * of this interface are passed over; of one whose body was not captured, only
 * the request is returned. The API keys that requests carried are put
 * into `apiKeys`; no request that is returned holds one.
 *
 * @throws {CaptureError} naming the file, and the line, that cannot be read.
 */
export function readCapture(
  { name, bytes, readAttached }: CaptureSource,
  apiKeys: Set<string> = new Set(),
): readonly Exchange[] {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new CaptureError(name, 'is not UTF-8');
  if (name.endsWith('.ndjson')) return readLines(name, text, apiKeys);
  const whole = readJson(text);
  if (whole.kind === 'json' && isHar(whole.value)) {
    return readHar(name, whole.value.log.entries, apiKeys, readAttached);
  }
  if (whole.kind === 'json') {
    if (name.endsWith('.har')) throw new CaptureError(name, 'is not a HAR: it has no log.entries');
    return [readValue(name, whole.value, text, apiKeys)];
  }
  // Standard input has no name to tell the one from the other.
  if (name === '-' && text.trim().includes('\n')) return readLines(name, text, apiKeys);
  throw new CaptureError(name, `is not JSON: ${whole.reason}`);
}

/**
 * Reads replies that a program holds, each as a line of NDJSON would tell it.
 *
 * @throws {CaptureError} naming the reply, from 1, that is none of the interface.
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

function readLines(name: string, text: string, apiKeys: Set<string>): readonly Exchange[] {
  const exchanges = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `${name}:${index + 1}`;
    const read = readJson(line.trim());
    if (read.kind === 'not-json') throw new CaptureError(place, `is not JSON: ${read.reason}`);
    return tellsOfLoad(read.value) ? [] : [readValue(place, read.value, line.trim(), apiKeys)];
  });
  if (exchanges.length === 0) throw new CaptureError(name, 'holds no reply');
  return exchanges;
}

/** Whether a line is of a load run alone, as exports of one write between the replies: of a request that was timed, or of the run. */
function tellsOfLoad(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || 'body' in value) return false;
  return 'run' in value || ('request' in value && Array.isArray(value.request));
}

function readValue(place: string, value: unknown, text: string, apiKeys: Set<string>): Exchange {
  const envelope = readEnvelope(value);
  if (envelope !== undefined) return exchangeOf(place, envelope, apiKeys);
  const guess = guessOperation(value);
  if (guess === undefined) {
    throw new CaptureError(place, 'does not have the shape of a reply of this interface');
  }
  return bodyAlone(place, text, guess.endpoint, guess.status);
}

type Envelope = {
  readonly url: string | undefined;
  readonly method: string;
  readonly status: number | undefined;
  readonly headers: Reply['headers'];
  readonly keyless: boolean;
} & Body;

/** Bytes that are no UTF-8 stand in the text one by one, as in Latin-1. */
type Body = { readonly text: string; readonly isUtf8: boolean };

/** `{url?, method?, status?, headers?, body}`: the body is JSON, or a string that holds it, in base64 where `encoding` says so. */
function readEnvelope(value: unknown): Envelope | undefined {
  if (typeof value !== 'object' || value === null || !('body' in value)) return undefined;
  const { body, encoding, url, method, status, headers, keyless } = value as Partial<
    Record<keyof Envelope | 'body' | 'encoding', unknown>
  >;
  return {
    url: typeof url === 'string' ? url : undefined,
    method: typeof method === 'string' ? method : 'GET',
    status: typeof status === 'number' ? status : undefined,
    keyless: keyless === true,
    headers: readHeaders(
      typeof headers === 'object' && headers !== null ? Object.entries(headers) : [],
    ),
    ...(typeof body === 'string'
      ? decodeBody(body, encoding)
      : { text: JSON.stringify(body), isUtf8: true }),
  };
}

function exchangeOf(place: string, envelope: Envelope, apiKeys: Set<string>): Exchange {
  const document = readJson(envelope.text);
  const guess = document.kind === 'json' ? guessOperation(document.value) : undefined;
  if (envelope.url === undefined) {
    if (guess === undefined) throw new CaptureError(place, 'is not a reply of this interface');
    return bodyAlone(place, envelope.text, guess.endpoint, envelope.status ?? guess.status);
  }
  const request = readRequest(envelope.url);
  if (request === undefined) {
    throw new CaptureError(
      place,
      `asks ${JSON.stringify(envelope.url.split(/[?#]/, 1)[0])}, which is not of this interface`,
    );
  }
  return captured(request, envelope, envelope.status ?? guess?.status ?? 200, apiKeys);
}

function captured(
  request: CapturedRequest,
  envelope: Envelope,
  status: number,
  apiKeys: Set<string>,
): Exchange {
  const { apiKey = '' } = request;
  apiKeys.add(apiKey);
  const text = isTelling(apiKey) ? createRedactor(apiKey).said(envelope.text) : envelope.text;
  const document: Reply['document'] = envelope.isUtf8
    ? readJson(text)
    : { kind: 'not-json', reason: NOT_UTF8 };
  return {
    ...unsent,
    ...request.asked,
    origin: 'captured',
    method: envelope.method,
    ...(envelope.keyless && { keyless: true as const }),
    outcome: { kind: 'reply', status, headers: envelope.headers, text, document },
  };
}

function bodyAlone(target: string, text: string, endpoint: Endpoint, status: number): Exchange {
  return {
    ...unsent,
    endpoint,
    origin: 'body-only',
    method: 'GET',
    target,
    query: [],
    outcome: { kind: 'reply', status, headers: {}, text, document: readJson(text) },
  };
}

const unsent = { id: 0, startedAtMs: 0, durationMs: 0 };

type Har = { readonly log: { readonly entries: readonly unknown[] } };

function isHar(value: unknown): value is Har {
  const { log } = (value ?? {}) as { log?: { entries?: unknown } };
  return Array.isArray(log?.entries);
}

/** The parts of a HAR entry that are read; none of them is known to be there. */
type HarEntry = {
  readonly _keyless?: unknown;
  readonly request?: { readonly url?: unknown; readonly method?: unknown };
  readonly response?: {
    readonly status?: unknown;
    readonly headers?: unknown;
    readonly content?: {
      readonly text?: unknown;
      readonly encoding?: unknown;
      /** A file beside the HAR, as Playwright writes it. */
      readonly _file?: unknown;
    };
  };
};

function readHar(
  name: string,
  entries: readonly unknown[],
  apiKeys: Set<string>,
  readAttached: CaptureSource['readAttached'] = () => undefined,
): readonly Exchange[] {
  const exchanges = entries.flatMap((entry) => {
    const { request, response, _keyless } = (entry ?? {}) as HarEntry;
    const asked = typeof request?.url === 'string' ? readRequest(request.url) : undefined;
    // Status 0 is a request that was never answered: nothing to judge.
    if (asked === undefined || typeof response?.status !== 'number' || response.status === 0)
      return [];
    const { text, encoding, _file: file } = response.content ?? {};
    const attached = typeof file === 'string' ? readAttached(file) : undefined;
    const body = attached
      ? textOf(attached)
      : typeof text === 'string'
        ? decodeBody(text, encoding)
        : undefined;
    const method = typeof request?.method === 'string' ? request.method : 'GET';
    if (body === undefined) return [withoutBody(asked, method, apiKeys)];
    const headers = Array.isArray(response.headers) ? response.headers : [];
    const envelope: Envelope = {
      url: undefined,
      status: response.status,
      method,
      keyless: _keyless === true,
      headers: readHeaders(
        headers.map((header: { name?: unknown; value?: unknown }) => [
          String(header?.name),
          header?.value,
        ]),
      ),
      ...body,
    };
    return [captured(asked, envelope, response.status, apiKeys)];
  });
  if (exchanges.length === 0) throw new CaptureError(name, `holds no request to ${API_PREFIX}`);
  return exchanges;
}

/** What is known of a reply whose body the capture left out. */
function withoutBody(
  { asked, apiKey = '' }: CapturedRequest,
  method: string,
  apiKeys: Set<string>,
): Exchange {
  apiKeys.add(apiKey);
  return {
    ...unsent,
    ...asked,
    origin: 'captured',
    method,
    outcome: { kind: 'no-reply', cause: 'not-captured', message: 'no body in the capture' },
  };
}

function decodeBody(text: string, encoding: unknown): Body {
  return encoding === 'base64' ? textOf(Buffer.from(text, 'base64')) : { text, isUtf8: true };
}

function textOf(bytes: Uint8Array): Body {
  const text = decodeUtf8(bytes);
  const isUtf8 = text !== undefined;
  return { text: isUtf8 ? text : Buffer.from(bytes).toString('latin1'), isUtf8 };
}

function readHeaders(entries: readonly (readonly [string, unknown])[]): Reply['headers'] {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of entries) {
    const values = Array.isArray(value) ? value.map(String) : [String(value)];
    headers[name.toLowerCase()] = [...(headers[name.toLowerCase()] ?? []), ...values];
  }
  return headers;
}

/** A file of captured replies that cannot be read. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';

  constructor(place: string, what: string) {
    super(`${place === '-' ? 'standard input' : place} ${what}`);
  }
}

/** Which operation a body is of, and the status it came with. */
type Guess = { readonly endpoint: Endpoint; readonly status: 200 | 400 };

/**
 * Guesses from its fields what a body is; undefined where it is nothing of this
 * interface. An Error does not tell its operation: it is taken for one of `/swap`.
 */
function guessOperation(body: unknown): Guess | undefined {
  if (Array.isArray(body)) {
    const entry: unknown = body[0];
    if (body.length === 0) return { endpoint: 'tokens', status: 200 };
    if (hasAny(entry, ['symbol', 'decimals', 'address', 'metadata'])) {
      return { endpoint: 'tokens', status: 200 };
    }
    return hasAny(entry, ['chainId']) ? { endpoint: 'chains', status: 200 } : undefined;
  }
  if (hasAny(body, ['routes', 'sell', 'buy'])) return { endpoint: 'swap', status: 200 };
  if (hasAny(body, ['routers', 'wrappedNativeTokenAddress', 'usdTokenAddress'])) {
    return { endpoint: 'chainInfo', status: 200 };
  }
  return hasAny(body, ['error', 'message']) ? { endpoint: 'swap', status: 400 } : undefined;
}

function hasAny(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.some((name) => name in value);
}
