import type { Exchange } from '../client/exchange.ts';
import type { Endpoint } from '../contract/paths.ts';
import type {
  ReplyBreak,
  ReplyVariant,
  ServiceBreak,
  ServiceVariant,
  SettlementBreak,
  SettlementChange,
} from './breaks.ts';
import type { Moved } from './evidence.ts';
import type { JudgedReply } from './judged-reply.ts';
import type { Session } from './session.ts';
import type { Evidence, EvidenceKind } from './settlement.ts';
import type { Statement } from './statement.ts';

/**
 * Level of a rule: the specification states the requirement (`must`), implies it (`should`) or
 * leaves it open (`observe`).
 */
export type Level = 'must' | 'should' | 'observe';

/** The clause of the user's own rules, which are not based on the specification. */
export const OWN_CLAUSE = 'own';

/** Values that distinguish causes of one fault: a status, a parameter, the error of a contract. */
export type FaultData = Readonly<Record<string, string | number>>;

/** One violation, proved by one exchange. */
export type Finding = {
  /**
   * Slug that names the fault within its rule: `repeated`. The slug never changes, even if the
   * wording does.
   */
  readonly fault: string;
  readonly data?: FaultData | undefined;
  /** The behavior that the clause promises, in the protocol's terms. */
  readonly expected: Statement;
  /** The actual behavior of the service. */
  readonly actual: Statement;
  /** JSON pointer into the reply's body (RFC 6901). */
  readonly pointer?: string;
  readonly exchange: Exchange;
  /** The transfers of the failed settlement, and its evidence file. */
  readonly settlement?: { readonly money: readonly Moved[]; readonly evidence: string };
};

/** A finding without its exchange. */
export type Fault = Omit<Finding, 'exchange'>;

/**
 * The context through which a rule reports. The rule returns nothing, and a rule that asserted
 * nothing did not pass.
 */
export type Check = {
  /**
   * Makes one assertion, which holds if there is no fault. `exchange` proves the faults. Only a
   * rule on replies or settlements may omit it: the default is the exchange that is judged.
   */
  check(faults?: Fault | readonly Fault[], exchange?: Exchange): void;
  /**
   * Records behavior that the specification leaves open. `key` identifies it in every run, if the
   * text contains counts.
   */
  observe(text: string, key?: string): void;
  /** States that there is nothing to judge. The reason counts if the rule asserts nothing. */
  skip(why: string): void;
  /** States that the rule could not judge. The reason counts if the rule asserts nothing. */
  stuck(why: string): void;
};

type RuleIdentity = {
  /** A slug that never changes: `swap/exactly-one-amount`. */
  readonly id: string;
  /** Id of a clause in `contract/clauses.ts`: `4.1 rule 1`; or `own`. */
  readonly clause: string;
  readonly level: Level;
  readonly title: string;
  /** The basis of a `should`: quoted words of the specification, or the harm to a client. */
  readonly because?: string;
};

/**
 * Judges any reply: live, captured, or sampled under load. Is pure and sends no requests. Replies
 * that limit the rate are judged only by `observe` rules and by those with `checkMissing`.
 */
export type ReplyRule = RuleIdentity & {
  readonly kind: 'reply';
  /** Operation whose replies with status 200 are judged. If unset, the rule judges any reply. */
  readonly endpoint?: Endpoint;
  /** True if only replies with status 400 or 500 are judged. */
  readonly ofErrors?: true;
  /**
   * Feature that a reply must have for the rule to apply, as a noun: 'a plan that sells the native
   * token'.
   */
  readonly needs?: string;
  /** Judges one reply. Asserts nothing if the rule does not apply to it. */
  readonly check: (input: JudgedReply, t: Check) => void;
  /** Judges an exchange without a reply. If unset, the rule judges only replies. */
  readonly checkMissing?: (exchange: Exchange, t: Check) => void;
  /**
   * Changes to correct replies that the rule must find. For an `observe` rule, each has the
   * expected observation.
   */
  readonly breaks?: readonly ReplyBreak[];
  /**
   * Changes to correct replies that this rule must accept. No other rule may fail on them either.
   */
  readonly valid?: readonly ReplyVariant[];
  /** Changes to correct replies that the rule must not judge. */
  readonly notApplicable?: readonly ReplyVariant[];
};

/** Sends requests and judges their replies. A `relation` must hold between several replies. */
export type ProbeRule = RuleIdentity & {
  readonly kind: 'probe' | 'relation';
  readonly check: (session: Session, t: Check) => Promise<void>;
  /** Changes to a correct service that the rule must find, unless its level is `observe`. */
  readonly breaks?: readonly ServiceBreak[];
  /** Changes to a correct service that the rule must accept. */
  readonly valid?: readonly ServiceVariant[];
  /** Changes to a correct service after which the rule must be unable to run. */
  readonly couldNotRun?: readonly ServiceVariant[];
  readonly notApplicable?: readonly ServiceVariant[];
};

/** An observed behavior of the service. */
export type Observation = {
  readonly text: string;
  /** Identifies the behavior in every run, if the text contains counts. Default: the text. */
  readonly key?: string;
};

/** Reason why a rule judged nothing. */
export type Obstacle = {
  readonly kind: 'not-applicable' | 'could-not-run';
  readonly why: string;
  /** Set if many rules have the same reason: no chain was forked, or the run ended early. */
  readonly sharedCause?: 'no-fork' | 'run-ended';
};

/** Judges the effects of plans that are executed on a forked chain. */
export type SettlementRule<Kind extends EvidenceKind = EvidenceKind> = RuleIdentity & {
  readonly kind: 'settlement';
  /** The way in which the plans are executed. */
  readonly evidence: Kind;
  /**
   * Feature that a plan must have for the rule to apply, as a noun: 'a plan that buys the native
   * token'.
   */
  readonly needs: string;
  /**
   * Judges one plan. Asserts nothing if the rule does not apply to it. Declared as a method, so
   * that rules on all kinds of evidence fit into one list.
   */
  check(item: Evidence[Kind] & SettlementContext, t: Check): void;
  /** True if a plan for tokens that were not requested, which is not settled, breaks the rule. */
  readonly failsForWrongTokens?: true;
  /** Returns an observation on all plans together, for the report. */
  observe?(items: readonly Evidence[Kind][]): string;
  /** Changes to a correct settlement that the rule must find. */
  readonly breaks?: readonly SettlementBreak[];
  /**
   * Changes to a correct settlement that this rule must accept. No other rule may fail on them
   * either.
   */
  readonly valid?: readonly SettlementChange[];
  readonly notApplicable?: readonly SettlementChange[];
};

/** The context of a rule on settlements. */
export type SettlementContext = Pick<JudgedReply, 'tolerancePpm'>;

export type Rule = ReplyRule | ProbeRule | SettlementRule;

/** Returns whether a rule also judges requests that got no reply. */
export function judgesMissingReplies(rule: Rule): boolean {
  return rule.kind === 'reply' && rule.checkMissing !== undefined;
}
