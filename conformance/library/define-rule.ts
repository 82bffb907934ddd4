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
 * The context through which a custom rule reports. The rule returns nothing, and a rule that
 * asserted nothing did not pass.
 */
export type OwnCheck = {
  /**
   * Makes one assertion, which holds if there is no fault. A probe must pass the exchange that
   * proves the faults; a rule on replies may omit it.
   */
  readonly check: (faults?: OwnFault | readonly OwnFault[], exchange?: Exchange) => void;
  /** Records behavior. `key` identifies it in every run, if the text contains counts. */
  readonly observe: (text: string, key?: string) => void;
  /** States that there is nothing to judge. The reason counts if the rule asserts nothing. */
  readonly skip: (why: string) => void;
  /** States that the rule could not judge. The reason counts if the rule asserts nothing. */
  readonly stuck: (why: string) => void;
};

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
  readonly check: (reply: OwnReply<Name>, t: OwnCheck) => void;
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
  readonly check: (session: OwnSession, t: OwnCheck) => Promise<void>;
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
 *   check: ({ body: { routes } }, t) =>
 *     t.check(
 *       routes.length > 4 ? { expected: 'at most 4 routes', actual: `${routes.length}` } : undefined,
 *     ),
 * });
 */
export function defineRule<Name extends Endpoint>(rule: OwnReplyRule<Name>): OwnReplyRule<Name>;
export function defineRule(rule: OwnProbe): OwnProbe;
export function defineRule(rule: unknown): unknown {
  return rule;
}
