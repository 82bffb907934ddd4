import type { Exchange, Reply } from './exchange.ts';
import { readJson } from './read-json.ts';
import { KEY_PLACEHOLDER } from './request.ts';

/**
 * Returns an exchange of a `/swap` request. A string becomes the body of the reply unchanged; any
 * other value is serialized as JSON.
 */
export function exchangeWith(
  body: unknown,
  {
    status = 200,
    headers = {},
    document,
    ...changes
  }: Partial<Omit<Exchange, 'outcome'> & Pick<Reply, 'status' | 'headers' | 'document'>> = {},
): Exchange & { readonly outcome: Reply } {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    id: 1,
    endpoint: 'swap',
    origin: 'sent',
    method: 'GET',
    target: '/',
    query: [['apiKey', KEY_PLACEHOLDER]],
    startedAtMs: 0,
    durationMs: 1,
    ...changes,
    outcome: { kind: 'reply', status, headers, text, document: document ?? readJson(text) },
  };
}
