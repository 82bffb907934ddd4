import type { Transport, WireRequest } from './transport.ts';

/** What a service in process answers with; a body that is neither text nor bytes is written as JSON. */
export type Answer = {
  /** Default 200. */
  readonly status?: number;
  /** Beside `content-type: application/json`, or in its place. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** A service in process; it may take its time, of which an aborted request waits for none. */
export type Service = (url: URL, request: WireRequest) => Answer | Promise<Answer>;

/** A transport to a service in this process: for tests in which HTTP is not the point. */
export function inProcess(service: Service): Transport {
  return {
    close: async () => undefined,
    send: async (request) => {
      const url = new URL(request.target, 'http://service.example');
      const { status = 200, headers, body } = await service(url, request);
      if (request.signal.aborted) {
        return { kind: 'no-reply', cause: 'aborted', message: 'the run was ended' };
      }
      return {
        kind: 'wire-reply',
        status,
        rawHeaders: Object.entries({ 'content-type': 'application/json', ...headers }).flat(),
        body: Buffer.isBuffer(body) ? body : Buffer.from(textOf(body)),
        release: () => undefined,
      };
    },
  };
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
