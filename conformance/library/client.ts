import { setMaxListeners } from 'node:events';
import { parseBaseUrl } from '../client/base-url.ts';
import { createClient } from '../client/client.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import { createOperations, type Operations } from '../client/operations.ts';
import type { Reach } from '../client/reach.ts';
import type { RouterNames } from '../client/router-names.ts';

export type { Exchange, NoReply } from '../client/exchange.ts';
export type {
  Answer,
  ChainParameters,
  Operations,
  SwapParameters,
  SwapWithCalldata,
} from '../client/operations.ts';
export type {
  Chain,
  ChainInfo,
  Route,
  RouterInfo,
  RouterName,
  SwapResponse,
  Token,
  TokenInfo,
  TradeToken,
} from '../contract/resources.ts';

export type SwapClientOptions = Reach & {
  /** Base URL of the service, such as `https://api.example.org`. */
  readonly baseUrl: string;
  /** API key, sent as `apiKey` and removed from every result. */
  readonly apiKey: string;
  /** Maximum time until a reply is complete, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Maximum size of a body, in bytes. Default 16 MiB. */
  readonly maxBodyBytes?: number;
  /** Maximum number of connections. Default 16. */
  readonly connections?: number;
  /** The service's own names for the specification's routers. */
  readonly routerNames?: RouterNames;
};

/** Options of one request. `signal` ends it early. */
export type RequestOptions = { readonly signal?: AbortSignal };

/** A typed client for the interface. */
export type SwapClient = Operations<[options?: RequestOptions]> & {
  /** Closes the connections. */
  readonly close: () => Promise<void>;
};

/**
 * Returns a client for a service. No operation throws. The `kind` of a result is `returned` (200),
 * `rejected` (400), `failed` (500), `unexpected` (a status or body that the interface does not
 * define) or `no-reply`.
 *
 * @throws {UsageError} for an invalid base URL.
 * @example const client = createSwapClient({ baseUrl: 'http://127.0.0.1:8080', apiKey: 'demo' });
 * const chains = await client.chains(); if (chains.kind === 'returned') chains.body[0]?.chainId //
 * 31337
 */
export function createSwapClient(options: SwapClientOptions): SwapClient {
  const { baseUrl, apiKey, routerNames, ...http } = options;
  const transport = createHttpTransport(parseBaseUrl(baseUrl), http);
  const { send, close } = createClient({ transport, reach: http, apiKey, routerNames });
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  const operations = createOperations((target, { signal = never }: RequestOptions = {}) =>
    send(target, signal),
  );
  return { ...operations, close };
}
