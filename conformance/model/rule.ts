import type { Exchange, Reply } from '../client/exchange.ts';
import type { Endpoint } from '../contract/paths.ts';
import type { Facts } from '../discovery/facts.ts';
import type { ReplyBreak } from './breaks.ts';
import type { Moved } from './evidence.ts';
import type { Session } from './session.ts';
import type { Evidence, EvidenceKind } from './settlement.ts';
import type { Statement } from './statement.ts';

/** How binding a rule is: the specification says it, it follows from it, or it is left open. */
export type Level = 'must' | 'should' | 'observe';

/** The clause of the user's own rules, which speak of nothing in the specification. */
export const OWN_CLAUSE = 'own';

/** One broken promise, proved by one exchange. */
export type Finding = {
  /** What the clause promises, in the protocol's words. */
  readonly expected: Statement;
  /** What the service did instead. */
  readonly actual: Statement;
  /** JSON pointer into the reply's body (RFC 6901). */
  readonly pointer?: string;
  readonly exchange: Exchange;
  /** Who paid whom in the settlement that failed, and the file that has all of it. */
  readonly settlement?: { readonly money: readonly Moved[]; readonly evidence: string };
};

type RuleIdentity = {
  /** A slug that is never renumbered: `swap/exactly-one-amount`. */
  readonly id: string;
  /** Id of a clause in `contract/clauses.ts`: `4.1 rule 1`; or `own`. */
  readonly clause: string;
  readonly level: Level;
  readonly title: string;
  /** What a `should` follows from: words of the specification in quotes, or the harm to a client. */
  readonly because?: string;
};

/**
 * Judges any reply that passes by, whoever asked for it: live, captured, or
 * sampled under load. Pure; sends nothing. Replies with status 429 are shown to
 * `observe` rules only.
 */
export type ReplyRule = RuleIdentity & {
  readonly kind: 'reply';
  /** Replies of this operation only, with status 200; unset, replies of any. */
  readonly endpoint?: Endpoint;
  /** Replies with status 400 or 500 only. */
  readonly ofErrors?: true;
  /** What a reply must show for the rule to apply, as a noun: 'a plan that sells the native token'. */
  readonly needs?: string;
  /** Judges one reply; returns `undefined` if the rule does not apply to it. */
  readonly judge: (input: JudgedReply) => ReplyVerdict | undefined;
  /** Changes of sound replies that the rule must find; of a rule that observes, with what it records. */
  readonly breaks?: readonly ReplyBreak[];
};

/** A reply with what is known around it. */
export type JudgedReply = {
  readonly exchange: Exchange;
  readonly reply: Reply;
  /** What discovery learned of the service; undefined for captured replies without it. */
  readonly facts: Facts | undefined;
  /** Conservation tolerance at intermediate tokens, in parts per million. */
  readonly tolerancePpm: number;
};

/** What a reply rule says of one reply: empty `findings` is a pass. */
export type ReplyVerdict = {
  readonly findings: readonly Omit<Finding, 'exchange'>[];
  /** What the service did, for the section on silence: each thing is counted by itself. */
  readonly observed?: string | readonly string[];
  /** The largest imbalance at an intermediate token, tolerated or not. */
  readonly dust?: {
    readonly baseUnits: bigint;
    readonly partsPerMillion: number;
    /** Its address, where the plan tells it. */
    readonly token: string;
    readonly symbol?: string | undefined;
    readonly decimals?: number | undefined;
  };
};

/** Judges whether a request was answered at all: sees every exchange, without a reply too. */
export type ExchangeRule = RuleIdentity & {
  readonly kind: 'exchange';
  readonly judge: (exchange: Exchange) => ReplyVerdict | undefined;
  readonly breaks?: readonly ReplyBreak[];
};

/** Sends requests of its own and judges what they show: `relation`, what must hold between replies. */
export type ProbeRule = RuleIdentity & {
  readonly kind: 'probe' | 'relation';
  readonly run: (session: Session) => Promise<ProbeVerdict>;
};

/** What a probe found. `checks` counts assertions really made; a pass with none is refused by the runner. */
export type ProbeVerdict =
  | {
      readonly kind: 'judged';
      readonly checks: number;
      readonly findings: readonly Finding[];
      readonly observed?: string;
    }
  | Setback;

/** Why a rule did not judge. */
export type Setback = { readonly kind: 'not-applicable' | 'could-not-run'; readonly why: string };

/** Judges what plans do that are executed on a forked chain. */
export type SettlementRule<Kind extends EvidenceKind = EvidenceKind> = RuleIdentity & {
  readonly kind: 'settlement';
  /** How the plans come to be executed. */
  readonly evidence: Kind;
  /** What a plan must show for the rule to apply, as a noun: 'a plan that buys the native token'. */
  readonly needs: string;
  /**
   * Judges one plan; returns `undefined` where the rule does not apply to it. A
   * method, so that rules on all kinds of evidence stand in one list.
   */
  judge(
    item: Evidence[Kind],
    context: SettlementContext,
  ): Pick<ReplyVerdict, 'findings'> | undefined;
  /** What all plans together showed, for the report. */
  observe?(items: readonly Evidence[Kind][]): string;
};

/** What a rule knows beside the plan. */
export type SettlementContext = Pick<JudgedReply, 'tolerancePpm'>;

export type Rule = ReplyRule | ExchangeRule | ProbeRule | SettlementRule;
