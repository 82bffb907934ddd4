import type { Exchange } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Facts } from '../discovery/facts.ts';

/** The tools of a probe: access to the service, the facts known about it, and a budget. */
export type Session = {
  readonly facts: Facts;
  /**
   * Sends one request within `--rate` and `--concurrency`. To send several at once, make several
   * calls without awaiting them. All reply rules judge every reply. A request is repeated after a
   * 429, so `get` never returns a 429. A request is also repeated after a 500, but a 500 that
   * persists is returned.
   *
   * @throws {RunStopped} if the budget is spent, the run was ended, or the operation has stopped
   * answering. Do not catch it: the runner reports the reason.
   */
  readonly get: (target: RequestTarget) => Promise<Exchange>;
  /**
   * Returns the result of work that several rules share. The first rule that asks does the work. If
   * unset, each rule does the work itself.
   */
  readonly share?: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Seed for this rule's choices, derived from the run's seed and the rule's id. */
  readonly seed: number;
  /** Share of the usual requests for which the remaining time suffices. Default 1. */
  readonly breadth?: number;
  /**
   * True if the user declared that the market does not move. Relations then need no repeated
   * comparisons.
   */
  readonly frozen: boolean;
  /** Conservation tolerance at intermediate tokens, in parts per million. */
  readonly tolerancePpm: number;
};
