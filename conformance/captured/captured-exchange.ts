import type { Exchange, NoReply } from '../client/exchange.ts';
import { readReply } from '../client/read-reply.ts';
import { createRedactor, isDistinctive } from '../client/redaction.ts';
import type { CapturedRequest } from './read-request.ts';

/** Fields of a captured exchange, except the request's URL. */
export type CapturedFields = {
  readonly method: unknown;
  readonly keyless: unknown;
  readonly garbled: unknown;
  /** Undefined if the service did not send the reply, or not with this status. */
  readonly status: number | undefined;
  readonly headers: Iterable<readonly [name: string, value: unknown]>;
  /** Undefined if the capture lacks all or part of the body. */
  readonly body: Buffer | undefined;
};

/** Placeholders for measurements that a file does not contain. Reports never show them. */
export const NOT_MEASURED = { id: 0, startedAtMs: 0, durationMs: 0 } as const;

const NOT_CAPTURED: NoReply = {
  kind: 'no-reply',
  cause: 'not-captured',
  message: 'no body in the capture',
};

/** Returns a captured exchange without the request's API key, and adds the key to `apiKeys`. */
export function capturedExchange(
  { request, apiKey = '' }: CapturedRequest,
  { method, keyless, garbled, status, headers, body }: CapturedFields,
  apiKeys: Set<string>,
): Exchange {
  apiKeys.add(apiKey);
  const rawHeaders = [...headers].flatMap(([name, value]) =>
    [value].flat().flatMap((each) => [name, String(each)]),
  );
  const redaction = isDistinctive(apiKey) ? { redact: createRedactor(apiKey).redactText } : {};
  return {
    ...NOT_MEASURED,
    ...request,
    origin: 'captured',
    method: typeof method === 'string' ? method : 'GET',
    ...(keyless === true && { keyless }),
    ...(garbled === true && { garbled }),
    outcome:
      body === undefined || status === undefined
        ? { ...NOT_CAPTURED, ...(status !== undefined && { status }) }
        : readReply({ status, rawHeaders, body }, redaction),
  };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Returns the bytes of a body that a file stores as text. Returns undefined if `encoding` is
 * `base64` (in any letter case) and the text is not valid base64.
 */
export function bytesOf(text: string, encoding: unknown): Buffer | undefined {
  if (String(encoding).toLowerCase() !== 'base64') return Buffer.from(text);
  return BASE64.test(text.replace(/\s+/g, '')) ? Buffer.from(text, 'base64') : undefined;
}
