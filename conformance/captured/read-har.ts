import type { Exchange } from '../client/exchange.ts';
import { bytesOf, capturedExchange } from './captured-exchange.ts';
import { readCapturedRequest } from './read-request.ts';

/** The fields of a HAR entry that are read, of any type. */
type HarEntry = {
  readonly _keyless?: unknown;
  readonly _garbled?: unknown;
  readonly request?: { readonly url?: unknown; readonly method?: unknown };
  readonly response?: {
    readonly status?: unknown;
    readonly statusText?: unknown;
    readonly headers?: unknown;
    readonly content?: {
      readonly text?: unknown;
      /** Size of the body in bytes, even if its text was not captured. */
      readonly size?: unknown;
      readonly encoding?: unknown;
      /** A file next to the HAR that contains the body, as Playwright writes it. */
      readonly _file?: unknown;
    };
  };
};

/**
 * Returns the exchanges of this interface in a HAR, or undefined if the document is not a HAR.
 * `readAttached` reads a file next to it.
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
    const captured =
      typeof request?.url === 'string' ? readCapturedRequest(request.url) : undefined;
    const { status, headers: listed } = response ?? {};
    // Status 0 means that there was no reply to judge.
    if (captured === undefined || response === undefined || Number(status ?? 0) === 0) return [];
    const headers = (Array.isArray(listed) ? listed : []).map(
      (header) => [String(header?.name), header?.value] as const,
    );
    const isComplete = typeof status === 'number' && !isFromBrowser(response);
    const fields = {
      ...{ method: request?.method, keyless, garbled, headers },
      status: typeof status === 'number' ? status : 0,
      body: isComplete ? bodyOf(response, readAttached) : undefined,
    };
    return [capturedExchange(captured, fields, apiKeys)];
  });
}

type HarResponse = NonNullable<HarEntry['response']>;

/** Returns whether a browser replied instead of the service: from its cache, or by HSTS. */
function isFromBrowser({ status, statusText }: HarResponse): boolean {
  return status === 304 || (status === 307 && statusText === 'Internal Redirect');
}

/**
 * Returns the complete decompressed body; undefined if the file lacks a part of it or contains it
 * compressed.
 */
function bodyOf(
  { content }: HarResponse,
  readAttached: (file: string) => Buffer | undefined,
): Buffer | undefined {
  const { text, encoding, size, _file: file } = content ?? {};
  if (typeof file === 'string') {
    const attached = readAttached(file);
    if (attached !== undefined) return isCompressed(attached) ? undefined : attached;
  }
  if (typeof text !== 'string' || size === -1) return undefined;
  const body = bytesOf(text, encoding);
  if (body === undefined || isCompressed(body)) return undefined;
  return typeof size === 'number' && size > body.length ? undefined : body;
}

/** Returns whether bytes begin with the magic number of gzip, zstd or zlib; no JSON does. */
function isCompressed(body: Buffer): boolean {
  const [first, second] = body;
  const isZlib = first === 0x78 && (second === 0x01 || second === 0x9c || second === 0xda);
  return (first === 0x1f && second === 0x8b) || isZlib || (first === 0x28 && second === 0xb5);
}
