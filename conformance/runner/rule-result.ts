import { type Redactor, redactDeep } from '../client/redaction.ts';
import { findClause } from '../contract/clauses.ts';
import type { Endpoint } from '../contract/paths.ts';
import { FIELD_NAMES } from '../contract/resources.ts';
import { formatStatement } from '../model/format-statement.ts';
import type { Failure, RuleResult } from '../model/report.ts';
import { judgesMissingReplies, type Obstacle, type Rule } from '../model/rule.ts';
import type { EqualReplies } from './equal-replies.ts';
import { tokenLookup } from './known-tokens.ts';
import type { Cause, RuleTally } from './ledger.ts';
import type { WaiverBook } from './waivers.ts';

export type OutcomeOptions = {
  readonly redactor: Redactor;
  readonly waivers: WaiverBook;
  readonly equalReplies: EqualReplies;
  /** Operations that returned 200. */
  readonly answered: ReadonlySet<Endpoint>;
  /** Reasons why replies were not read completely, by operation. */
  readonly unread: ReadonlyMap<Endpoint | undefined, string>;
  /** Reason why the run ended early, if it did. */
  readonly cutShort: string | undefined;
  readonly repeat: (
    cause: RepeatedCause,
    /** The requests that fail in order. Default: the cause's own. */
    requests: readonly string[] | undefined,
  ) => Pick<Failure, 'curl' | 'powerShell'>;
};

/** The parts of a cause that a command to repeat its request depends on. */
export type RepeatedCause = Pick<Cause, 'exchange' | 'origin' | 'baseUrl' | 'isCompressed'>;

/** Returns the report's entry for one rule. */
export function resultOf(tally: RuleTally, options: OutcomeOptions): RuleResult {
  const { rule, checks, durationMs } = tally;
  const failures = [...tally.causes.values()].map((cause) => failureOf(rule, cause, options));
  const obstacle = failures.length > 0 ? undefined : (tally.obstacle ?? obstacleOf(tally, options));
  const observed = redactObservations(tally, options.redactor);
  const words = findClause(rule.clause)?.words;
  return {
    id: rule.id,
    clause: rule.clause,
    ...(words === undefined ? {} : { clauseWords: words }),
    level: rule.level,
    title: rule.title,
    outcome: obstacle?.kind ?? outcomeOf(rule, failures),
    checks,
    durationMs: Math.round(durationMs * 1_000) / 1_000,
    ...(obstacle && { why: options.redactor.redactSentence(obstacle.why) }),
    ...(obstacle?.sharedCause && { sharedCause: obstacle.sharedCause }),
    ...(observed && { observed }),
    failures,
  };
}

function outcomeOf(rule: Rule, failures: readonly Failure[]): RuleResult['outcome'] {
  if (rule.level === 'observe') return 'observed';
  if (failures.length === 0) return 'pass';
  return failures.every((failure) => failure.waiver !== undefined) ? 'waived' : 'fail';
}

/** Returns why a rule did not pass although it did not fail: it asserted nothing, for example. */
function obstacleOf(
  { rule, checks, observed }: RuleTally,
  options: OutcomeOptions,
): Obstacle | undefined {
  const { cutShort, unread } = options;
  const [[, why] = []] = unread;
  const judgesMissing = judgesMissingReplies(rule);
  // If replies were not read completely, nobody knows whether the service answers every request.
  if (judgesMissing && why !== undefined) return { kind: 'could-not-run', why };
  if (checks > 0 || observed.size > 0) return undefined;
  if (cutShort !== undefined) {
    return { kind: 'could-not-run', why: cutShort, sharedCause: 'run-ended' };
  }
  if (judgesMissing) return { kind: 'could-not-run', why: 'nothing was sent' };
  if (rule.kind !== 'reply') return { kind: 'could-not-run', why: 'it asserted nothing' };
  if (rule.endpoint !== undefined && !options.answered.has(rule.endpoint)) {
    const never = `/${rule.endpoint} never returned 200`;
    return { kind: 'could-not-run', why: unread.get(rule.endpoint) ?? never };
  }
  return { kind: 'not-applicable', why: `no reply showed ${rule.needs ?? 'what it judges'}` };
}

function failureOf({ clause }: Rule, cause: Cause, options: OutcomeOptions): Failure {
  const { redactor } = options;
  const { fault, data, expected, actual, pointer, place, plan, settlement, count, since } = cause;
  const { origin, baseUrl, isCompressed, waiver, repeat } = cause;
  if (waiver !== undefined) options.waivers.use(waiver);
  const text = { redactor, tokenOf: tokenLookup({ plan, money: settlement?.money }) };
  const exchange = redactExchange(cause, redactor);
  const requests = repeat?.requests?.map(redactor.redactTarget);
  const belongsTo = options.equalReplies.find(exchange.id, clause);
  return {
    fault,
    ...(data !== undefined &&
      Object.keys(data).length > 0 && { data: redactDeep({ ...data }, redactor.redactText) }),
    cause: redactor.redactText(cause.key),
    symptom: redactor.redactText(cause.symptom),
    expected: formatStatement(expected, text),
    actual: formatStatement(actual, text),
    ...(pointer === undefined ? {} : { pointer: redactPointer(pointer, redactor) }),
    ...options.repeat({ exchange, origin, baseUrl, isCompressed }, requests),
    ...(repeat && { repeat: { ...repeat, ...(requests && { requests }) } }),
    ...(belongsTo && {
      belongsTo: { ...belongsTo, target: redactor.redactTarget(belongsTo.target) },
    }),
    count,
    since,
    exchange,
    ...(place && {
      place: {
        pointer: redactPointer(place.pointer, redactor),
        text: redactor.redactText(place.text),
      },
    }),
    ...(waiver === undefined ? {} : { waiver: { reason: waiver.reason, expires: waiver.expires } }),
    ...(plan === undefined ? {} : { plan: redactDeep(plan, redactor.redactText) }),
    ...(settlement && {
      money: redactDeep([...settlement.money], redactor.redactSentence),
      evidence: settlement.evidence,
    }),
  };
}

function redactExchange({ exchange, origin }: Cause, redactor: Redactor): Cause['exchange'] {
  const { target, status, excerpt } = exchange;
  return {
    ...exchange,
    target: origin === 'body-only' ? target : redactor.redactTarget(target),
    // Without a status, there was no reply, and the excerpt is our own sentence.
    excerpt: status === undefined ? redactor.redactSentence(excerpt) : redactor.redactText(excerpt),
  };
}

/** Does not redact field names from the specification. */
function redactPointer(pointer: string, { redactText }: Redactor): string {
  return pointer
    .split('/')
    .map((part) => (FIELD_NAMES.has(part) || /^[0-9]*$/.test(part) ? part : redactText(part)))
    .join('/');
}

function redactObservations(
  { observed }: RuleTally,
  { redactSentence }: Redactor,
): RuleResult['observed'] {
  if (observed.size === 0) return undefined;
  return [...observed.values()]
    .sort((a, b) => b.times - a.times)
    .map(({ text, key, times }) => ({
      text: redactSentence(text),
      ...(key !== undefined && { key: redactSentence(key) }),
      times,
    }));
}
