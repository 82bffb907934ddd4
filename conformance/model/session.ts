import type { Exchange } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Facts } from '../discovery/facts.ts';

/** What a probe works with: the service, what is known of it, and a budget. */
export type Session = {
  readonly facts: Facts;
  /**
   * Sends one request, within `--rate` and `--concurrency`: call it many times
   * at once to send at once. Every reply also goes through every reply rule. A
   * 429 is waited out and sent again, so it is never returned; so is a 500, which
   * is returned where it stays.
   *
   * @throws {RunStopped} when the budget is spent, the run was ended, or the
   * operation has stopped answering: let it through, the runner says why.
   */
  readonly get: (target: RequestTarget) => Promise<Exchange>;
  /** Seed of this rule's own choices: follows from the run's seed and the rule's id. */
  readonly seed: number;
  /** The share of the usual requests for which there is time. Default 1. */
  readonly breadth?: number;
  /** The user's word that the market does not move: relations need no bracketing. */
  readonly frozen: boolean;
  /** Conservation tolerance at intermediate tokens, in parts per million. */
  readonly tolerancePpm: number;
};
