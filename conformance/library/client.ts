import { setMaxListeners } from 'node:events';
import { parseBaseUrl } from '../client/base-url.ts';
import { type Access, createClient } from '../client/client.ts';
import { createOperations, type Operations } from '../client/operations.ts';

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

export type SwapClientOptions = Omit<Access, 'chains'> & {
  /** Base URL of the service, such as `https://api.example.org`. */
  readonly baseUrl: string;
  /** API key, sent as `apiKey` and removed from every result. */
  readonly apiKey: string;
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
  const { send, close } = createClient({ ...options, url: parseBaseUrl(options.baseUrl) });
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  const operations = createOperations((target, { signal = never }: RequestOptions = {}) =>
    send(target, signal),
  );
  return { ...operations, close };
}
