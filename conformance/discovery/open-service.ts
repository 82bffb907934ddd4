import { type Access, createClient, type Peer } from '../client/client.ts';
import type { Clock } from '../client/clock.ts';
import type { Exchange } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { type Limits, Scheduler } from '../client/scheduler.ts';
import { PATHS } from '../contract/paths.ts';
import { printable } from '../output/printable.ts';

/** A service, settings of the client, and limits on its requests. */
export type ServiceAccess = Omit<Access, 'connections'> &
  Peer &
  Limits & {
    /** Called before each wait that a reply with 429 or `retry-after` causes. */
    readonly onRateLimited?: ((waitMs: number) => void) | undefined;
    /** After the signal aborts, no more requests are sent: `get` throws `RunStopped`. */
    readonly signal?: AbortSignal | undefined;
    /** Default: the system's clock. */
    readonly clock?: Clock | undefined;
  };

/** A service that is open for requests. */
export type OpenService = ReturnType<typeof openService>;

/**
 * Opens a service for discovery and any other requests, with the pacing of a conformance run. A
 * request rejected with 429 is repeated after the time that `retry-after` requires. A request that
 * returns a server error is repeated too. If an operation stops replying, no more requests are sent
 * to it. The caller must `close` the service.
 *
 * @example const service = openService({ url, apiKey, signal }); try { await
 * service.requestChains(); // throws UnusableService unless the status is 200 const facts = await
 * discover({ get: service.get, chains: [1] }); const { outcome } = await
 * service.get(targetFor('swap', { chainId: 1, ... })); } catch (error) { if (!(error instanceof
 * UnusableService || error instanceof RunStopped)) throw error; console.log(error.message); }
 * finally { await service.close(); }
 */
export function openService({ signal, onRateLimited, ...options }: ServiceAccess) {
  const client = createClient({ ...options, connections: options.concurrency });
  const scheduler = new Scheduler(client, options);
  if (onRateLimited !== undefined) scheduler.onRateLimited = onRateLimited;
  const stopListening = scheduler.stopOnAbort(signal);
  const { redactor } = client;
  /** @throws {RunStopped} if nothing more may be sent, at all or to this operation. */
  const get = (target: RequestTarget): Promise<Exchange> => scheduler.get(target);
  return {
    client,
    scheduler,
    get,
    /**
     * Requests `/chains`.
     *
     * @throws {UnusableService} without a reply, or for a status other than 200.
     * @throws {RunStopped} if the service limits the rate for too long.
     */
    requestChains: async (): Promise<Exchange> => {
      const exchange = await get({ path: PATHS.chains, query: [] });
      const { outcome } = exchange;
      if (outcome.kind === 'no-reply') {
        throw new UnusableService(redactor.redactSentence(outcome.message));
      }
      if (outcome.status === 200) return exchange;
      const shown = (text: string) => printable(redactor.redactText(text), MAX_QUOTED_CHARACTERS);
      const [location] = outcome.headers['location'] ?? [];
      const redirect = location === undefined ? '' : `, a redirect to ${shown(location)}`;
      const body = outcome.text === '' ? '' : `: ${shown(outcome.text)}`;
      throw new UnusableService(`it replied to /chains with ${outcome.status}${redirect}${body}`);
    },
    /** Ends all requests in flight, and closes the connections. */
    close: async (): Promise<void> => {
      stopListening();
      await client.close();
    },
  };
}

const MAX_QUOTED_CHARACTERS = 200;

/** A service that does not return its chains. The message is the reason, without secrets. */
export class UnusableService extends Error {
  override readonly name = 'UnusableService';
}
