import { type Static, Type } from '../contract/schema.ts';
import { MovedSchema } from './evidence.ts';
import { NotJudgedSchema } from './not-judged.ts';
import { PlanSketchSchema } from './plan-sketch.ts';

const count = Type.Integer({ minimum: 0 });

const LevelSummarySchema = Type.Object({
  pass: count,
  fail: count,
  waived: count,
  notApplicable: count,
  couldNotRun: count,
  observed: count,
});

/** The request and the reply that prove a failure, with the key redacted. */
export const ReportedExchangeSchema = Type.Object({
  id: count,
  method: Type.String(),
  target: Type.String(),
  status: Type.Optional(Type.Integer()),
  /** The first characters of the body, or the reason why there was no reply. */
  excerpt: Type.String(),
  durationMs: Type.Number(),
});
export type ReportedExchange = Static<typeof ReportedExchangeSchema>;

/** `reason` explains why a known failure is not counted. `expires` is an ISO 8601 date. */
const WaiverNoteSchema = Type.Object({ reason: Type.String(), expires: Type.String() });

/** All failures with one cause. The request shown is the smallest one that causes the failure. */
export const FailureSchema = Type.Object({
  /** Name of the fault within its rule, the same in every version. */
  fault: Type.String(),
  /** Values that distinguish causes of the fault, such as a status or the error of a contract. */
  data: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
  /** Identifies the cause in every run: the rule, the fault, the place and the data. */
  cause: Type.String(),
  /**
   * Identifies the symptom, whatever the rule. Failures with the same symptom share a root cause.
   */
  symptom: Type.String(),
  expected: Type.String(),
  actual: Type.String(),
  /** JSON pointer into the reply's body. */
  pointer: Type.Optional(Type.String()),
  /** A line for a POSIX shell that repeats the request, with the key as `$SWAPCHECK_API_KEY`. */
  curl: Type.String(),
  /** The same line for PowerShell; unset if it is identical. */
  powerShell: Type.Optional(Type.String()),
  /**
   * Set if the reply belongs to another request: the reply, or only its calldata, equals that of an
   * earlier request that differs in the ignored parameters.
   */
  belongsTo: Type.Optional(
    Type.Object({
      part: Type.Enum(['reply', 'calldata']),
      exchange: count,
      target: Type.String(),
      ignored: Type.Array(Type.String(), { minItems: 1 }),
    }),
  ),
  /**
   * Result of resending the failed request before the run ended or, for a rule that sends its own
   * requests, all of them. Counts and verdicts ignore it. Missing for settlements, for waived
   * failures, beyond the first 24, and if the run ended before a result.
   */
  repeat: Type.Optional(
    Type.Object({
      /**
       * `fails`: every time. `fails-after-another`: only after the first of the requests, not
       * alone. `intermittent`: not every time. `not-judged`: no reply showed what the rule judges.
       */
      outcome: Type.Enum(['fails', 'fails-after-another', 'intermittent', 'not-judged']),
      /**
       * Shortest sequence of requests that fails, in order. This and the numbers below are missing
       * for a rule that sends its own requests, because all of those were resent once.
       */
      requests: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
      /** Number of requests that were sent to determine the outcome. */
      sent: Type.Optional(count),
      /** Number of them that showed the failure. */
      failed: Type.Optional(count),
      /** The repeats whose reply the rule could not judge. */
      unjudged: Type.Optional(
        Type.Object({
          replies: count,
          /** Status of the first of these replies, or the reason why there was none. */
          reply: Type.String(),
        }),
      ),
    }),
  ),
  count: Type.Integer({ minimum: 1 }),
  /** Id of the first exchange that showed the failure. */
  since: count,
  exchange: ReportedExchangeSchema,
  /** The part of the body at the pointer, as it was received, with a short context. */
  place: Type.Optional(Type.Object({ pointer: Type.String(), text: Type.String() })),
  /** Data for a graph of the reply's plan; present if the failure is in the plan. */
  plan: Type.Optional(PlanSketchSchema),
  /** The transfers of the failed settlement, in the order of the transaction. */
  money: Type.Optional(Type.Array(MovedSchema)),
  /**
   * Evidence file of the failed settlement, next to the report. `swapcheck replay` repeats the
   * settlement.
   */
  evidence: Type.Optional(Type.String()),
  /**
   * The failure that may explain this one, because every reply that shows this one also shows an
   * earlier fault in the plan. This failure still counts.
   */
  followsFrom: Type.Optional(
    Type.Object({
      rule: Type.String(),
      /** `cause` of the failure that may explain this one. */
      cause: Type.String(),
    }),
  ),
  /** Present if a waiver covers this failure. */
  waiver: Type.Optional(WaiverNoteSchema),
});
export type Failure = Static<typeof FailureSchema>;

const ObservedSchema = Type.Object({
  text: Type.String(),
  /** Identifies the behavior in every run. Set only if the text contains counts. */
  key: Type.Optional(Type.String()),
  /** Number of times that the behavior was observed. */
  times: Type.Integer({ minimum: 1 }),
});

export const RuleResultSchema = Type.Object({
  id: Type.String(),
  clause: Type.String(),
  clauseWords: Type.Optional(Type.String()),
  level: Type.Enum(['must', 'should', 'observe']),
  title: Type.String(),
  outcome: Type.Enum(['pass', 'fail', 'waived', 'not-applicable', 'could-not-run', 'observed']),
  /** Number of assertions made. */
  checks: count,
  /**
   * For a rule that sends requests, the time from its first to its last request. For a settlement
   * rule, its share of the execution time. For any other rule, only the time spent judging.
   */
  durationMs: Type.Optional(Type.Number()),
  /** Reason why the rule did not apply or could not run. */
  why: Type.Optional(Type.String()),
  /** Set if many rules have the same reason: no chain was forked, or the run ended early. */
  sharedCause: Type.Optional(Type.Enum(['no-fork', 'run-ended'])),
  /** Behavior that the specification leaves open, the most frequent first. */
  observed: Type.Optional(Type.Array(ObservedSchema)),
  failures: Type.Array(FailureSchema),
});
export type RuleResult = Static<typeof RuleResultSchema>;

/** The JSON report, whose schema is published. @see docs/report.schema.json */
export const ReportSchema = Type.Object({
  /**
   * `no-failure`: captured replies break no rule, but not every `must` rule on replies had
   * something to judge.
   */
  verdict: Type.Enum(['conforming', 'nonconforming', 'incomplete', 'no-failure']),
  /** The reason for the verdict, in one sentence. */
  reason: Type.String(),
  /** Base URL, or the source of captured traffic. */
  target: Type.String(),
  /** Name of the target, if its URL does not identify it: 'the built-in reference'. */
  targetName: Type.Optional(Type.String()),
  version: Type.String(),
  seed: Type.Integer(),
  startedAt: Type.String(),
  requests: count,
  replies: count,
  /**
   * Number of replies that limit the rate: a 429, or a 403 whose headers show a rate limit. Their
   * requests were repeated after a wait, and they never count as failures.
   */
  rateLimited: Type.Optional(count),
  /**
   * Number of captured replies that were skipped, because the capture lacks their body, or because
   * removing a key changed the body.
   */
  withoutBody: Type.Optional(count),
  durationMs: Type.Number(),
  /** Present if the service was too slow for the usual number of requests. */
  breadth: Type.Optional(
    Type.Object({
      /** The smallest share of its usual requests that any probe sent, from 0 to 1. */
      least: Type.Number(),
      /** Cause of the slowdown, as a clause. */
      why: Type.Optional(Type.String()),
    }),
  ),
  /** Ordered pairs of the tokens that `/tokens` lists, over all judged chains. */
  pairs: Type.Optional(
    Type.Object({
      /** Number of pairs that returned a plan, or were rejected as pairs. */
      requested: count,
      listed: count,
    }),
  ),
  tolerancePpm: Type.Number(),
  /** The largest imbalance at an intermediate token. */
  largestDust: Type.Optional(
    Type.Object({
      baseUnits: Type.String(),
      partsPerMillion: Type.Number(),
      token: Type.String(),
      symbol: Type.Optional(Type.String()),
      decimals: Type.Optional(count),
      exchange: count,
    }),
  ),
  timings: Type.Array(
    Type.Object({
      endpoint: Type.String(),
      requests: count,
      p50Ms: Type.Number(),
      p99Ms: Type.Number(),
      maxMs: Type.Number(),
    }),
  ),
  summary: Type.Object({
    must: LevelSummarySchema,
    should: LevelSummarySchema,
    observe: LevelSummarySchema,
  }),
  /** Results of the user's own rules, whose clause is `own`. No other total includes them. */
  own: Type.Optional(
    Type.Object({
      verdict: Type.Enum(['kept', 'broken', 'incomplete']),
      reason: Type.String(),
      summary: LevelSummarySchema,
    }),
  ),
  rules: Type.Array(RuleResultSchema),
  /**
   * Parts that were not judged, each with the reason: no fork, the selection, a spent budget,
   * tokens without funds.
   */
  notJudged: Type.Array(NotJudgedSchema),
  /** Waivers that have expired or no longer match a failure. Each fails the run. */
  staleWaivers: Type.Optional(Type.Array(Type.Object({ rule: Type.String(), why: Type.String() }))),
});
export type Report = Static<typeof ReportSchema>;
