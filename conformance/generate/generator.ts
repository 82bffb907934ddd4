import type { RequestTarget } from '../client/request.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Profile } from './budget.ts';
import { simplifyRequest, weightOf } from './simplify.ts';
import { coverMarket } from './traffic.ts';

/** Makes requests beside those of the probes, and makes failing ones smaller. */
export type RequestGenerator = {
  /** The requests worth sending: same seed, same requests. */
  readonly traffic: (facts: Facts, seed: number, profile?: Profile) => Iterable<RequestTarget>;
  /** Simpler variants of a request, the simplest first: what a failing request is shrunk by. */
  readonly simplify: (target: RequestTarget, facts: Facts) => readonly RequestTarget[];
  /** How much there is to read in a request: of those that show a cause, the smallest is shown. */
  readonly weigh: (target: RequestTarget) => number;
};

/** Covers the market that discovery found. */
export const MARKET_GENERATOR: RequestGenerator = {
  traffic: coverMarket,
  simplify: simplifyRequest,
  weigh: weightOf,
};
