import type { Exchange } from '../client/exchange.ts';
import type { Operations } from '../client/operations.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';
import type { Bodies } from '../contract/validators.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Level } from '../model/rule.ts';

/** What is wrong with a reply. */
export type OwnFault = {
  /** What the team wants, as a reader of the report is to understand it. */
  readonly expected: string;
  /** What the service did instead, quoting the value. */
  readonly actual: string;
  /** JSON pointer into the reply's body (RFC 6901): where that stands. */
  readonly pointer?: string;
};

/** What a rule says of a reply: true or an empty list where it is kept, else what is wrong; `undefined` where it does not apply. */
export type OwnSaying = true | OwnFault | readonly OwnFault[] | undefined;

type OwnIdentity = {
  /** Letters, digits, dashes and slashes; reports call it `own/` and this. */
  readonly id: string;
  /** What the service does where the rule is kept: 'takes no more than four steps'. */
  readonly title: string;
  /**
   * `must` (default): where it is broken, the command exits 1. `should`: only with
   * `--level should`. `observe`: never.
   */
  readonly level?: Level;
};

/** Judges every reply of one operation that passes by, live or captured: one with status 200 whose body is what the interface says. */
export type OwnReplyRule<Name extends Endpoint = Endpoint> = OwnIdentity & {
  readonly kind: 'reply';
  readonly endpoint: Name;
  /** Must be pure, and send nothing. */
  readonly judge: (reply: OwnReply<Name>) => OwnSaying;
};

/** A reply that a rule of one's own is shown. */
export type OwnReply<Name extends Endpoint = Endpoint> = {
  readonly body: Bodies[Name];
  /** The request and the whole reply; the key is not in it. */
  readonly exchange: Exchange;
  /** What the service says of itself; undefined for captured replies. */
  readonly facts: Facts | undefined;
};

/** Sends requests of its own and judges what comes back: `relation`, what must hold between replies. */
export type OwnProbe = OwnIdentity & {
  readonly kind: 'probe' | 'relation';
  readonly run: (session: OwnSession) => Promise<void>;
};

/** What a probe works with. */
export type OwnSession = {
  readonly facts: Facts;
  /** Trades that the service has answered with a plan, the most valuable first. */
  readonly trades: readonly OwnTrade[];
  /** The operations, typed; each request counts as one of the run, and goes through all reply rules. */
  readonly ask: Operations;
  /** Sends a request as it is written; the key is added. */
  readonly get: (target: RequestTarget) => Promise<Exchange>;
  /** Follows from the run's seed and the rule's id: for choices at random that can be repeated. */
  readonly seed: number;
  /** Counts one assertion on an exchange; a rule that asserts nothing could not run. */
  readonly check: (exchange: Exchange, said: OwnSaying) => void;
};

/** A trade that can be asked for by either amount, in base units. */
export type OwnTrade = {
  readonly chainId: number;
  readonly sellToken: string;
  readonly buyToken: string;
  readonly sellAmount: bigint;
  readonly buyAmount: bigint;
};

/** A rule of a team's own. */
export type OwnRule = OwnProbe | { readonly [Name in Endpoint]: OwnReplyRule<Name> }[Endpoint];

/**
 * Returns the rule as it is, its types checked: a file of rules exports an
 * array of them as `rules`, or each by itself.
 *
 * @example
 * export const short = defineRule({
 *   kind: 'reply',
 *   id: 'short-plans',
 *   title: 'takes no more than four steps',
 *   endpoint: 'swap',
 *   judge: ({ body }) =>
 *     body.routes.length <= 4 || { expected: 'at most 4 routes', actual: `${body.routes.length}` },
 * });
 */
export function defineRule<Name extends Endpoint>(rule: OwnReplyRule<Name>): OwnReplyRule<Name>;
export function defineRule(rule: OwnProbe): OwnProbe;
export function defineRule(rule: unknown): unknown {
  return rule;
}
