import type { Exchange } from '../client/exchange.ts';
import type { Facts } from '../discovery/facts.ts';

/** What a probe works with: the service, what is known of it, and a budget. */
export type Session = {
  readonly facts: Facts;
  /** Sends one GET. Every reply also goes through every reply rule. */
  readonly get: (target: RequestTarget) => Promise<Exchange>;
};

/** What to ask for: an operation and its query, in order; the key is added by the client unless `key` says otherwise. */
export type RequestTarget = {
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
};
