import type { Transport, WireRequest } from './transport.ts';

/** What a service in process answers with; a body that is no text is written as JSON. */
export type Answer = {
  /** Default 200. */
  readonly status?: number;
  /** Beside `content-type: application/json`, or in its place. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** A transport to a function in this process: for tests in which HTTP is not the point. */
export function inProcess(
  answer: (url: URL, request: WireRequest) => Answer | Promise<Answer>,
): Transport {
  return {
    close: async () => undefined,
    send: async (request) => {
      const url = new URL(request.target, 'http://service.example');
      const { status = 200, headers, body } = await answer(url, request);
      return {
        kind: 'wire-reply',
        status,
        rawHeaders: Object.entries({ 'content-type': 'application/json', ...headers }).flat(),
        body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
        release: () => undefined,
      };
    },
  };
}
