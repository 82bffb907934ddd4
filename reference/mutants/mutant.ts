import type { Middleware } from 'koa';

/** The reference with one fault: what the judge is judged by. */
export type Mutant = {
  /** A slug that is never renumbered: `trade-token/amount-as-number`. */
  readonly id: string;
  /** The clause that is broken: `2.2 amount`. */
  readonly clause: string;
  /** Id of the rule that must catch it; others may as well. */
  readonly caughtBy: string;
  /** What the service does wrong, as a sentence without a full stop. */
  readonly title: string;
  /** Returns middleware for one service, its counters at 0. @see `ReferenceOptions.middleware` */
  readonly middleware: () => Middleware;
};
