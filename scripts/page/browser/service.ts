import type { ErrorBody } from '../../../conformance/contract/resources.ts';

/** What the service answered, or why it did not. */
export type Answer<Body> =
  | { readonly kind: 'answered'; readonly body: Body; readonly text: string; readonly ms: number }
  | {
      readonly kind: 'refused';
      readonly error: string;
      readonly message: string;
      readonly parameter?: string;
    };

/** Asks the page's own origin; `path` has no leading slash, so that it holds behind a proxy that adds one. */
export async function ask<Body>(path: string, query: URLSearchParams): Promise<Answer<Body>> {
  const startedAt = performance.now();
  try {
    const reply = await fetch(`${path}?${query}`, { cache: 'no-store' });
    const text = await reply.text();
    const ms = performance.now() - startedAt;
    const body: unknown = JSON.parse(text);
    if (reply.ok) return { kind: 'answered', body: body as Body, text, ms };
    const { error, message, details } = body as ErrorBody;
    const parameter = details?.['parameter'];
    return { kind: 'refused', error, message, ...(typeof parameter === 'string' && { parameter }) };
  } catch (cause) {
    const why =
      cause instanceof SyntaxError
        ? 'It answered with something else than JSON.'
        : 'It does not answer: is it still running?';
    return { kind: 'refused', error: 'No answer', message: why };
  }
}
