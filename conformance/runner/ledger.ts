import { swapBodyIn } from '../checks/plan.ts';
import { type Exchange, excerptOf } from '../client/exchange.ts';
import { placeIn } from '../client/json-place.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';
import { causeKey, symptomKey } from '../model/cause.ts';
import { sketchPlan } from '../model/plan-sketch.ts';
import type { Report, ReportedExchange } from '../model/report.ts';
import type {
  Finding,
  Observation,
  Obstacle,
  ProbeVerdict,
  ReplyVerdict,
  Rule,
} from '../model/rule.ts';
import type { Statement } from '../model/statement.ts';
import { PASS } from '../rule-kit/faults.ts';
import { type Cause, type OpenTally, openTallies, type Tally } from './tallies.ts';
import type { Waiver } from './waivers.ts';

/** The target that a request was written from. */
export type RequestSource = { readonly target?: RequestTarget };

/** The record of what a run has received and judged. Only the ledger changes its tallies. */
export type Ledger = ReturnType<typeof createLedger>;

export type LedgerOptions = {
  readonly rules: readonly Rule[];
  /** Returns the size of a request for a reader: the smallest request of a cause is shown. */
  readonly weigh: (target: RequestTarget) => number;
  /** Returns the waiver that covers a failure, if any. Default: none. */
  readonly waiverOf?: (ruleId: string, finding: Finding) => Waiver | undefined;
};

/** Maximum number of causes of a rule, beyond which those of one fault are counted as one. */
const MAX_CAUSES = 40;
const MAX_OBSERVATIONS = 200;

/** Returns an empty ledger. */
export function createLedger({ rules, weigh, waiverOf }: LedgerOptions) {
  const tallies = openTallies(rules);
  const answered = new Set<Endpoint>();
  const unread = new Map<Exchange['endpoint'], string>();
  let largestDust: Report['largestDust'];

  const addFinding = ({ rule, causes }: OpenTally, finding: Finding, source: RequestSource) => {
    const { target: path, query, endpoint } = finding.exchange;
    const parts = { ...finding, endpoint };
    const identity = {
      key: causeKey(rule.id, parts),
      symptom: symptomKey(rule.id, parts),
      waiver: waiverOf?.(rule.id, finding),
    };
    const weight = weigh(source.target ?? { path, query });
    addCause(causes, { ...finding, ...identity }, source, weight);
  };
  const addDust = ({ dust }: ReplyVerdict, exchange: number) => {
    if (dust === undefined || dust.partsPerMillion <= (largestDust?.partsPerMillion ?? -1)) return;
    largestDust = reportDust(dust, exchange);
  };
  const addObstacle = ({ id }: Rule, obstacle: Obstacle) => {
    const tally = tallies.get(id);
    if (tally !== undefined) tally.obstacle = obstacle;
  };
  return {
    /** By rule id, in the order of the rules. */
    tallies: tallies as ReadonlyMap<string, Tally>,
    /** Operations that were answered with 200. */
    answered: answered as ReadonlySet<Endpoint>,
    /** Why replies were not read to their end, by operation. */
    unread: unread as ReadonlyMap<Exchange['endpoint'], string>,
    largestDust: () => largestDust,
    addUnread: (endpoint: Exchange['endpoint'], why: string) => void unread.set(endpoint, why),
    addAnswered: (endpoint: Endpoint) => void answered.add(endpoint),
    /** Adds the verdict of a rule on one exchange; ignored after the rule had an obstacle. */
    addVerdict: (
      { id }: Rule,
      verdict: ReplyVerdict,
      exchange: Exchange,
      source: RequestSource,
    ) => {
      const tally = tallies.get(id);
      if (tally === undefined || tally.obstacle !== undefined) return;
      tally.checks++;
      if (verdict === PASS) return;
      for (const text of [verdict.observed ?? []].flat()) count(tally.observed, { text });
      for (const finding of verdict.findings) addFinding(tally, { ...finding, exchange }, source);
      addDust(verdict, exchange.id);
    },
    /** Adds the verdict of a rule that sent its own requests. */
    addProbeVerdict: (rule: Rule, verdict: ProbeVerdict) => {
      if (verdict.kind !== 'judged') return addObstacle(rule, withoutError(rule, verdict));
      const tally = tallies.get(rule.id);
      if (tally === undefined) return;
      tally.checks += verdict.checks;
      for (const observation of verdict.observed ?? []) count(tally.observed, observation);
      for (const finding of verdict.findings) addFinding(tally, finding, {});
    },
    /** Adds to the time that a rule took. */
    addDuration: ({ id }: Rule, durationMs: number) => {
      const tally = tallies.get(id);
      if (tally !== undefined) tally.durationMs += durationMs;
    },
    addObstacle,
    /** Clears everything except obstacles. */
    forget: () => {
      largestDust = undefined;
      for (const tally of tallies.values()) strikeOut(tally);
    },
  };
}

/** An observation that found nothing to record is no error. */
function withoutError({ level }: Rule, obstacle: Obstacle): Obstacle {
  return level === 'observe' ? { ...obstacle, kind: 'not-applicable' } : obstacle;
}

function strikeOut(tally: OpenTally): void {
  tally.checks = 0;
  tally.causes.clear();
  tally.observed.clear();
}

function reportDust(
  { baseUnits, symbol, decimals, ...rest }: NonNullable<ReplyVerdict['dust']>,
  exchange: number,
): NonNullable<Report['largestDust']> {
  return {
    ...{ ...rest, baseUnits: String(baseUnits), exchange },
    ...(symbol !== undefined && { symbol }),
    ...(decimals !== undefined && { decimals }),
  };
}

/** Returns a statement that is only a number with the digits that were sent. */
function asWritten(actual: Statement, digits: string | undefined): Statement {
  const [value, ...others] = actual;
  const isNumber =
    others.length === 0 &&
    typeof value === 'object' &&
    value.kind === 'json' &&
    digits !== undefined &&
    value.text === JSON.stringify(Number(digits));
  return isNumber ? [{ ...value, text: digits }] : actual;
}

/**
 * Adds a finding to its cause. Failures that different waivers cover are never counted as one.
 * Beyond the maximum of causes, a finding is counted with another cause of its fault, if there is
 * one.
 */
function addCause(
  causes: Map<string, Cause>,
  finding: Finding & Pick<Cause, 'key' | 'symptom' | 'waiver'>,
  source: RequestSource,
  weight: number,
): void {
  const { exchange, waiver } = finding;
  const wanted = entryOf(causes, finding);
  const known = causes.get(wanted);
  const provedFirst =
    Number(finding.settlement !== undefined) - Number(known?.settlement !== undefined);
  if (known !== undefined && (provedFirst || known.weight - weight) <= 0) {
    causes.set(wanted, { ...known, count: known.count + 1 });
    return;
  }
  const { around, number } = placeOf(exchange, finding.pointer);
  causes.set(wanted, {
    ...{ key: known?.key ?? finding.key, symptom: finding.symptom, waiver },
    ...{ fault: finding.fault, data: finding.data },
    expected: finding.expected,
    actual: asWritten(finding.actual, number),
    pointer: finding.pointer,
    exchange: reportExchange(exchange),
    place: around,
    query: exchange.query,
    origin: exchange.origin,
    baseUrl: exchange.baseUrl,
    plan: planOf(exchange, finding.pointer),
    settlement: finding.settlement,
    target: source.target ?? targetOf(exchange),
    weight,
    count: (known?.count ?? 0) + 1,
    since: known?.since ?? exchange.id,
  });
}

function entryOf(
  causes: ReadonlyMap<string, Cause>,
  { key, fault, waiver }: Pick<Cause, 'key' | 'fault' | 'waiver'>,
): string {
  const entry = waiver === undefined ? key : `${key} ${JSON.stringify(waiver)}`;
  if (causes.size < MAX_CAUSES || causes.has(entry)) return entry;
  const [similar] = [...causes].filter(
    ([, cause]) => cause.fault === fault && cause.waiver === waiver,
  );
  return similar?.[0] ?? entry;
}

/** Counts an observation; beyond the maximum of different ones, new ones are ignored. */
function count(observed: OpenTally['observed'], { text, key = text }: Observation): void {
  const known = observed.get(key);
  if (known === undefined && observed.size >= MAX_OBSERVATIONS) return;
  observed.set(key, {
    text: known?.text ?? clip(text),
    ...(key !== text && { key }),
    times: (known?.times ?? 0) + 1,
  });
}

/** Returns an exchange in the form that reports show. */
export function reportExchange(exchange: Exchange): ReportedExchange {
  const { id, method, target, durationMs, outcome } = exchange;
  return {
    id,
    method,
    target: target.slice(0, 8_000),
    durationMs: Math.round(durationMs * 10) / 10,
    ...(outcome.kind === 'no-reply'
      ? { excerpt: outcome.message }
      : { status: outcome.status, excerpt: excerptOf(outcome.text) }),
  };
}

function targetOf({ origin, target, query }: Exchange): RequestTarget | undefined {
  if (origin !== 'sent') return undefined;
  return { path: target.split('?', 1)[0] ?? target, query, key: 'as-written' };
}

function placeOf({ outcome }: Exchange, pointer: string | undefined) {
  const isJson = outcome.kind === 'reply' && outcome.document.kind === 'json';
  return isJson && pointer !== undefined ? placeIn(outcome.text, pointer) : {};
}

function planOf({ endpoint, outcome }: Exchange, pointer: string | undefined) {
  if (endpoint !== 'swap' || outcome.kind !== 'reply') return undefined;
  return sketchPlan(swapBodyIn(outcome), pointer);
}

function clip(text: string): string {
  return text.length > 1_000 ? `${text.slice(0, 999)}…` : text;
}
