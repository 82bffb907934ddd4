import type { Exchange } from '../client/exchange.ts';
import type { Operations } from '../client/operations.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';
import type { Bodies } from '../contract/validators.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Level } from '../model/rule.ts';

/** A violation of a custom rule. */
export type OwnFault = {
  /**
   * Kind of violation within the rule, in lower-case words with dashes, such as 'too-long'.
   * Together with the reply's status and the pointer, it identifies the failure in every run; the
   * texts do not. Default: `violated`.
   */
  readonly fault?: string;
  /** The expected behavior, for readers of the report. */
  readonly expected: string;
  /** The actual behavior, including the value. */
  readonly actual: string;
  /** Place of the violation: a JSON pointer into the reply's body (RFC 6901). */
  readonly pointer?: string;
};

/**
 * The result of a custom rule: true or an empty list for a pass, otherwise the violations.
 * Undefined if the rule does not apply.
 */
export type OwnVerdict = true | OwnFault | readonly OwnFault[] | undefined;

type OwnIdentity = {
  /** Letters, digits, dashes and slashes. Reports prefix the id with `own/`. */
  readonly id: string;
  /** Behavior of a conforming service: 'takes no more than four steps'. */
  readonly title: string;
  /**
   * `must` (default): a violation makes the command exit with 1. `should`: only with `--level
   * should`. `observe`: never.
   */
  readonly level?: Level;
};

/**
 * Judges every reply to one operation, live or captured, if its status is 200 and its body has the
 * fields of the interface.
 */
export type OwnReplyRule<Name extends Endpoint = Endpoint> = OwnIdentity & {
  readonly kind: 'reply';
  readonly endpoint: Name;
  /** Judges one reply; must be pure. */
  readonly judge: (reply: OwnReply<Name>) => OwnVerdict;
};

/** A reply, in the form that custom rules receive. */
export type OwnReply<Name extends Endpoint = Endpoint> = {
  readonly body: Bodies[Name];
  /** The request and the complete reply, without the API key. */
  readonly exchange: Exchange;
  /**
   * Facts from the service's lookups. Undefined during discovery, and for captures without lookups.
   */
  readonly facts: Facts | undefined;
};

/** Sends requests and judges their replies. A `relation` compares replies. */
export type OwnProbe = OwnIdentity & {
  readonly kind: 'probe' | 'relation';
  readonly run: (session: OwnSession) => Promise<void>;
};

/** The input of a probe. */
export type OwnSession = {
  readonly facts: Facts;
  /** Trades for which the service returned a plan, the most valuable first. */
  readonly trades: readonly OwnTrade[];
  /**
   * The typed operations. Their requests count toward the run's requests, and every reply rule
   * judges the replies.
   */
  readonly ask: Operations;
  /** Sends a request unchanged, except for the added key. */
  readonly get: (target: RequestTarget) => Promise<Exchange>;
  /** Seed for repeatable random choices, derived from the run's seed and the rule's id. */
  readonly seed: number;
  /**
   * Records one assertion about an exchange. A rule that asserts nothing counts as unable to run.
   */
  readonly check: (exchange: Exchange, result: OwnVerdict) => void;
};

/** A trade that can be requested with either amount. Amounts are in base units. */
export type OwnTrade = {
  readonly chainId: number;
  readonly sellToken: string;
  readonly buyToken: string;
  readonly sellAmount: bigint;
  readonly buyAmount: bigint;
};

/** A custom rule. */
export type OwnRule = OwnProbe | { readonly [Name in Endpoint]: OwnReplyRule<Name> }[Endpoint];

/**
 * Returns the rule unchanged; only its types are checked. A file of rules exports them in an array
 * `rules`, or each separately.
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
