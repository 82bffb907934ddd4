import type { NoReply } from './exchange.ts';
import type { Transport, WireRequest } from './transport.ts';

/** A reply of an in-process service. A body that is neither text nor bytes is sent as JSON. */
export type Answer = {
  /** Status of the reply. Default: 200. */
  readonly status?: number;
  /** Headers to add to `content-type: application/json`, or to replace it. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** An in-process service, which may reply late or never. */
export type Service = (
  url: URL,
  request: WireRequest,
) => Answer | NoReply | Promise<Answer | NoReply>;

/** The outcome of a request to a silent service. */
export const SILENCE: NoReply = { kind: 'no-reply', cause: 'timeout', message: 'none in time' };

/** Returns a transport to a service in this process, for tests that are not about HTTP. */
export function inProcess(service: Service): Transport {
  return {
    close: async () => undefined,
    send: async (request) => {
      const answer = await service(new URL(request.target, 'http://service.example'), request);
      if (request.signal.aborted) {
        return { kind: 'no-reply', cause: 'aborted', message: 'the run was ended' };
      }
      if ('kind' in answer) return answer;
      const { status = 200, headers, body = [] } = answer;
      return {
        kind: 'wire-reply',
        status,
        rawHeaders: Object.entries({ 'content-type': 'application/json', ...headers }).flat(),
        body: Buffer.isBuffer(body) ? body : Buffer.from(textOf(body)),
      };
    },
  };
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
