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

/** The request and reply that prove a failure, the key redacted. */
export const ReportedExchangeSchema = Type.Object({
  id: count,
  method: Type.String(),
  target: Type.String(),
  status: Type.Optional(Type.Integer()),
  /** First characters of the body, or why no reply came. */
  excerpt: Type.String(),
  durationMs: Type.Number(),
});
export type ReportedExchange = Static<typeof ReportedExchangeSchema>;

/** Why a known failure is shown and not counted, and until when (an ISO 8601 date). */
const WaiverNoteSchema = Type.Object({ reason: Type.String(), expires: Type.String() });

/** Failures of one cause are one entry: the smallest request that shows it, and how often it was seen. */
export const FailureSchema = Type.Object({
  /** Identifies the cause in every run, whatever amounts, addresses and positions in lists show it; reports of version 0.1 may lack it. */
  cause: Type.Optional(Type.String()),
  /** What was found and where, without the rule: failures of several rules that share it have one root cause. */
  symptom: Type.Optional(Type.String()),
  expected: Type.String(),
  actual: Type.String(),
  /** JSON pointer into the reply's body. */
  pointer: Type.Optional(Type.String()),
  /** A line for a POSIX shell that repeats the request; the key is `$SWAPCHECK_API_KEY`. */
  curl: Type.String(),
  /** The same for PowerShell; unset where the line is the same. */
  powerShell: Type.Optional(Type.String()),
  count: Type.Integer({ minimum: 1 }),
  /** Id of the first exchange that showed it. */
  since: count,
  exchange: ReportedExchangeSchema,
  /** What the pointer leads to in the body, as it was written, with as much around it as is short. */
  place: Type.Optional(Type.Object({ pointer: Type.String(), text: Type.String() })),
  /** The plan of the reply, when the failure is in one: what the graph is drawn from. */
  plan: Type.Optional(PlanSketchSchema),
  /** Who paid whom in the settlement that failed, in the order of the transaction. */
  money: Type.Optional(Type.Array(MovedSchema)),
  /** The file with all of that settlement, beside the report: `swapcheck replay` makes it again. */
  evidence: Type.Optional(Type.String()),
  /** Present when a waiver covers this failure. */
  waiver: Type.Optional(WaiverNoteSchema),
});
export type Failure = Static<typeof FailureSchema>;

export const RuleResultSchema = Type.Object({
  id: Type.String(),
  clause: Type.String(),
  clauseWords: Type.Optional(Type.String()),
  level: Type.Enum(['must', 'should', 'observe']),
  title: Type.String(),
  outcome: Type.Enum(['pass', 'fail', 'waived', 'not-applicable', 'could-not-run', 'observed']),
  /** Assertions made. */
  checks: count,
  /** Of a rule that sends requests: from its first to its last; of one on settlements, its part of making them; of others, judging alone. */
  durationMs: Type.Optional(Type.Number()),
  /** Why it did not apply or could not run. */
  why: Type.Optional(Type.String()),
  /** What the service did where the specification is silent. */
  observed: Type.Optional(Type.String()),
  failures: Type.Array(FailureSchema),
});
export type RuleResult = Static<typeof RuleResultSchema>;

/** The JSON report, whose schema is published. @see docs/report.schema.json */
export const ReportSchema = Type.Object({
  verdict: Type.Enum(['conforming', 'nonconforming', 'incomplete']),
  /** Why the verdict is what it is, in one sentence. */
  reason: Type.String(),
  /** Base URL, or what was read. */
  target: Type.String(),
  version: Type.String(),
  seed: Type.Integer(),
  startedAt: Type.String(),
  requests: count,
  replies: count,
  /** Replies with status 429: waited out, never a failure. */
  rateLimited: Type.Optional(count),
  /** Captured replies without a body, or with one that a key was taken out of by chance: left out. */
  withoutBody: Type.Optional(count),
  durationMs: Type.Number(),
  /** Present where the service was too slow for the usual requests of every probe. */
  breadth: Type.Optional(
    Type.Object({
      /** The least share of its usual requests that a probe was given, from 0 to 1. */
      least: Type.Number(),
      /** How long a request took on average, beside those at the same time; waits are counted. */
      msPerRequest: Type.Number(),
    }),
  ),
  /** Ordered pairs of the tokens that `/tokens` lists, over all chains judged. */
  pairs: Type.Optional(
    Type.Object({
      /** How many were answered with a plan, or refused as pairs. */
      asked: count,
      listed: count,
    }),
  ),
  tolerancePpm: Type.Number(),
  /** The largest imbalance seen at an intermediate token. */
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
  /** What came of the user's own rules, whose clause is `own`: they count in no other figure. */
  own: Type.Optional(
    Type.Object({
      verdict: Type.Enum(['kept', 'broken', 'incomplete']),
      reason: Type.String(),
      summary: LevelSummarySchema,
    }),
  ),
  rules: Type.Array(RuleResultSchema),
  /** What was not judged, and why: no fork, the selection, a spent budget, tokens without funds. */
  notJudged: Type.Array(NotJudgedSchema),
  /** Waivers that have expired or no longer fire: each fails the run. */
  staleWaivers: Type.Optional(Type.Array(Type.Object({ rule: Type.String(), why: Type.String() }))),
});
export type Report = Static<typeof ReportSchema>;
