import type { RequestTarget } from '../client/request.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Profile } from './budget.ts';
import { simplifyRequest, weightOf } from './simplify.ts';
import { coverMarket } from './traffic.ts';

/** Generates the traffic (the requests outside probes), and simplifies failing requests. */
export type RequestGenerator = {
  /** Returns the requests to send, which depend only on the seed and the facts. */
  readonly traffic: (facts: Facts, seed: number, profile?: Profile) => Iterable<RequestTarget>;
  /** Returns simpler variants of a failing request, starting with the simplest. */
  readonly simplify: (target: RequestTarget, facts: Facts) => readonly RequestTarget[];
  /**
   * Returns the size of a request from the point of view of a reader. Of all requests with the same
   * failure, a report shows the smallest.
   */
  readonly weigh: (target: RequestTarget) => number;
};

/** Generates requests that cover the discovered market. */
export const MARKET_GENERATOR: RequestGenerator = {
  traffic: coverMarket,
  simplify: simplifyRequest,
  weigh: weightOf,
};
