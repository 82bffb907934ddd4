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
  return (request, response) => {
    const { method, url, socket } = request;
    queue.countRequest(!met.has(socket));
    met.add(socket);
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
    const isTrade = method === 'GET' && url?.startsWith(SWAP);
    const isRefused = isTrade && queue.refuseEarly(refuse, () => response.destroyed);
    return isRefused ? Promise.resolve() : next(request, response);
  };
}
