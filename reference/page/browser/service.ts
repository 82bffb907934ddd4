import type { ErrorBody } from '../../../conformance/contract/resources.ts';

/** The service's reply, or the reason why there is none. */
export type Reply<Body> =
  | { readonly kind: 'success'; readonly body: Body; readonly text: string; readonly ms: number }
  | Failure;

/** An Error body, or a failure to reach the service. */
export type Failure = {
  readonly kind: 'failure';
  readonly error: string;
  readonly message: string;
  readonly parameter?: string;
};

/**
 * Requests an operation from the page's own origin. `path` has no leading slash, so that the
 * request also works behind a proxy that adds a prefix.
 */
export async function request<Body>(path: string, query: URLSearchParams): Promise<Reply<Body>> {
  const startedAt = performance.now();
  try {
    const reply = await fetch(`${path}?${query}`, { cache: 'no-store' });
    const text = await reply.text();
    const ms = performance.now() - startedAt;
    const body: unknown = JSON.parse(text);
    if (reply.ok) return { kind: 'success', body: body as Body, text, ms };
    const { error, message, details } = body as ErrorBody;
    const parameter = details?.['parameter'];
    return { kind: 'failure', error, message, ...(typeof parameter === 'string' && { parameter }) };
  } catch (cause) {
    const message =
      cause instanceof SyntaxError
        ? 'The service returned something other than JSON.'
        : 'The service cannot be reached: is it still running?';
    return { kind: 'failure', error: 'No reply', message };
  }
}
