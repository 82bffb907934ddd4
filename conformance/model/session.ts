import type { Exchange } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Facts } from '../discovery/facts.ts';

/** The tools of a probe: the service, the facts known about it, and a budget. */
export type Session = {
  readonly facts: Facts;
  /**
   * Sends one request, within `--rate` and `--concurrency`; call it repeatedly without awaiting to
   * send at once. Every reply is also judged by every reply rule. A 429 is repeated after a wait
   * and never returned; a 500 is repeated, and returned if it persists.
   *
   * @throws {RunStopped} if the budget is spent, the run was ended, or the operation has stopped
   * answering. Do not catch it: the runner reports the reason.
   */
  readonly get: (target: RequestTarget) => Promise<Exchange>;
  /**
   * Returns the result of work that several rules read: the first rule does it, and the others get
   * its result. If unset, each rule does it.
   */
  readonly share?: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Seed of this rule's own choices, derived from the run's seed and the rule's id. */
  readonly seed: number;
  /** Share of the usual requests that the remaining time allows. Default 1. */
  readonly breadth?: number;
  /**
   * True if the user has declared that the market does not move, so that relations need no
   * bracketing.
   */
  readonly frozen: boolean;
  /** Conservation tolerance at intermediate tokens, in parts per million. */
  readonly tolerancePpm: number;
};
