import { readReply } from '../client/client.ts';
import type { Exchange, NoReply } from '../client/exchange.ts';
import { createRedactor, isTelling } from '../client/redaction.ts';
import type { CapturedRequest } from './read-request.ts';

/** What a capture tells of a request beside its URL, and of its reply. */
export type Told = {
  readonly method: unknown;
  readonly keyless: unknown;
  readonly garbled: unknown;
  readonly status: number;
  readonly headers: Iterable<readonly [name: string, value: unknown]>;
  /** Undefined if the capture lacks it, or a part of it. */
  readonly body: Buffer | undefined;
};

/** What a file does not tell, or what no report shows of it. */
export const UNSENT = { id: 0, startedAtMs: 0, durationMs: 0 } as const;

const NOT_CAPTURED: NoReply = {
  kind: 'no-reply',
  cause: 'not-captured',
  message: 'no body in the capture',
};

/** Returns a captured request with its reply, without the key that it carried, which is put into `apiKeys`. */
export function capturedExchange(
  { asked, apiKey = '' }: CapturedRequest,
  { method, keyless, garbled, status, headers, body }: Told,
  apiKeys: Set<string>,
): Exchange {
  apiKeys.add(apiKey);
  const rawHeaders = [...headers].flatMap(([name, value]) =>
    [value].flat().flatMap((each) => [name, String(each)]),
  );
  const redaction = isTelling(apiKey) ? { redact: createRedactor(apiKey).said } : {};
  return {
    ...UNSENT,
    ...asked,
    origin: 'captured',
    method: typeof method === 'string' ? method : 'GET',
    ...(keyless === true && { keyless }),
    ...(garbled === true && { garbled }),
    outcome: body === undefined ? NOT_CAPTURED : readReply({ status, rawHeaders, body }, redaction),
  };
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/**
 * Returns the bytes of a body that a file holds as text, in base64 if `encoding`
 * says so; undefined if the text is not base64 then.
 */
export function bytesOf(text: string, encoding: unknown): Buffer | undefined {
  if (encoding !== 'base64') return Buffer.from(text);
  return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}
