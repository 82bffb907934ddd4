import type { Exchange } from '../client/exchange.ts';
import { bytesOf, capturedExchange } from './captured-exchange.ts';
import { readCapturedRequest } from './read-request.ts';

/** The parts of a HAR entry that are read; none of them is known to be there. */
type HarEntry = {
  readonly _keyless?: unknown;
  readonly _garbled?: unknown;
  readonly request?: { readonly url?: unknown; readonly method?: unknown };
  readonly response?: {
    readonly status?: unknown;
    readonly headers?: unknown;
    readonly content?: {
      readonly text?: unknown;
      /** Bytes of the body, whether or not its text was kept. */
      readonly size?: unknown;
      readonly encoding?: unknown;
      /** A file beside the HAR, as Playwright writes it. */
      readonly _file?: unknown;
    };
  };
};

/**
 * Returns the exchanges of this interface in a HAR, or undefined where a document is
 * none. `readAttached` reads a file that stands beside it.
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
    const asked = typeof request?.url === 'string' ? readCapturedRequest(request.url) : undefined;
    const { status, headers, content } = response ?? {};
    // Status 0 is a request that was never answered: nothing to judge.
    if (asked === undefined || typeof status !== 'number' || status === 0) return [];
    const { text, encoding, size, _file: file } = content ?? {};
    const isKept = typeof text === 'string' && !(text === '' && Number(size) > 0);
    const attached = typeof file === 'string' ? readAttached(file) : undefined;
    const told = {
      ...{ method: request?.method, keyless, garbled, status },
      headers: (Array.isArray(headers) ? headers : []).map(
        (header) => [String(header?.name), header?.value] as const,
      ),
      body: attached ?? (isKept ? bytesOf(text, encoding) : undefined),
    };
    return [capturedExchange(asked, told, apiKeys)];
  });
}
