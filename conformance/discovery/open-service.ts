import type { ChainId } from '../client/chain-ids.ts';
import { createClient } from '../client/client.ts';
import type { Clock } from '../client/clock.ts';
import type { Exchange } from '../client/exchange.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import type { Reach } from '../client/reach.ts';
import type { RequestTarget } from '../client/request.ts';
import type { RouterNames } from '../client/router-names.ts';
import { Scheduler } from '../client/scheduler.ts';
import type { Transport } from '../client/transport.ts';
import { PATHS } from '../contract/paths.ts';
import { printable } from '../output/printable.ts';
import { type DiscoveryOptions, discover } from './discover.ts';
import type { Facts } from './facts.ts';

/** Settings for reaching a service, and limits on the requests to it. */
export type ServiceAccess = {
  readonly url: URL;
  /** API key, sent as `apiKey` and never shown. */
  readonly apiKey: string;
  /** Headers, proxy and certificates for requests. */
  readonly reach?: Reach | undefined;
  readonly routerNames?: RouterNames | undefined;
  /** Chains that the user named, with their exact digits. */
  readonly chains?: readonly ChainId[] | undefined;
  /** Maximum duration of an exchange, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum concurrent requests. Default 8. */
  readonly concurrency?: number | undefined;
  /** Maximum requests per second. Default: as fast as replies arrive. */
  readonly rate?: number | undefined;
  /** Maximum number of requests. Default: unlimited. */
  readonly maxRequests?: number | undefined;
  /** Called before each wait that a reply with 429 or `retry-after` causes. */
  readonly onRateLimited?: ((waitMs: number) => void) | undefined;
  /**
   * After the signal aborts, no more requests are sent: `get` and `discover` throw `RunStopped`.
   */
  readonly signal?: AbortSignal | undefined;
  /** Sends the requests. Default: over HTTP. */
  readonly transport?: Transport | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
};

/** A service that is open for requests. */
export type OpenService = ReturnType<typeof openService>;

const DEFAULT_CONCURRENCY = 8;

/**
 * Opens a service for discovery and any other requests, with the pacing of a conformance run. A
 * request rejected with 429 is repeated after the time that `retry-after` requires. A request that
 * returns a server error is repeated too. If an operation stops replying, no more requests are sent
 * to it. The caller must `close` the service.
 *
 * @example const service = openService({ url, apiKey, signal }); try { await
 * service.requestChains(); // throws UnusableService unless the status is 200 const facts = await
 * service.discover({ chains: [1] }); const { outcome } = await service.get(targetFor('swap', {
 * chainId: 1, ... })); } catch (error) { if (!(error instanceof UnusableService || error instanceof
 * RunStopped)) throw error; console.log(error.message); } finally { await service.close(); }
 */
export function openService({
  url,
  apiKey,
  reach = {},
  routerNames,
  chains,
  timeoutMs,
  concurrency = DEFAULT_CONCURRENCY,
  onRateLimited = () => undefined,
  signal,
  transport = createHttpTransport(url, { ...reach, timeoutMs, connections: concurrency }),
  ...pace
}: ServiceAccess) {
  const client = createClient({ transport, reach, apiKey, routerNames, chains });
  const scheduler = new Scheduler({ ...pace, client, concurrency, onRateLimited });
  const stopListening = scheduler.stopOnAbort(signal);
  const { redactor, chainIds } = client;
  /** @throws {RunStopped} if nothing more may be sent, at all or to this operation. */
  const get = (target: RequestTarget): Promise<Exchange> => scheduler.get(target);
  return {
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
    /**
     * Discovers what the service offers.
     *
     * @throws {RunStopped} with the reason, if discovery could not be completed.
     */
    discover: (options: Omit<DiscoveryOptions, 'get'>): Promise<Facts> =>
      discover({ ...options, get }),
    /** Removes the key and other secrets from all output. */
    redactor,
    /** Writes the exact digits of large chain ids into requests. */
    chainIds,
    /** Returns the number of requests sent so far. */
    sent: () => scheduler.sent,
    /** Returns the number of replies with status 429 so far. */
    rateLimited: () => scheduler.rateLimited,
    /** Returns the reason why no more requests are sent; undefined while requests are sent. */
    stopped: () => scheduler.stopped,
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
