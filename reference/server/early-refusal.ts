import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { PATHS } from '../../conformance/contract/paths.ts';
import { refuseOverload } from './errors.ts';
import type { PlanningQueue } from './planning-queue.ts';
import { JSON_HEADERS, replyRefusal } from './reply.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const SWAP = `${PATHS.swap}?`;

/**
 * Returns a listener that refuses trades before anything of them is read where
 * more wait to be refused already, and hands all else on: to read a trade
 * costs more than to refuse it.
 */
export function refuseEarly(queue: PlanningQueue, logger: Logger, next: Listener): Listener {
  const log = logger.child({ method: 'GET', path: PATHS.swap });
  const met = new WeakSet<Socket>();

  const waitsForRefusal = (response: ServerResponse): boolean => {
    const refuse = (retryAfterMs: number): void => {
      const { status, body, code, retryAfterS } = replyRefusal(refuseOverload(retryAfterMs));
      const length = Buffer.byteLength(body);
      response.writeHead(status, {
        ...JSON_HEADERS,
        'Retry-After': retryAfterS,
        'Content-Length': length,
      });
      response.end(body);
      log.info({ status, error: code });
    };
    return queue.refuseEarly(refuse, () => response.destroyed);
  };

  return (request, response) => {
    const { method, url, socket } = request;
    const isFirst = !met.has(socket);
    if (isFirst) met.add(socket);
    queue.countRequest(isFirst);
    const isTrade = method === 'GET' && url?.startsWith(SWAP);
    return isTrade && waitsForRefusal(response) ? Promise.resolve() : next(request, response);
  };
}
