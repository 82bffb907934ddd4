import { swapBodyIn } from '../checks/plan.ts';
import { type Exchange, excerptOf } from '../client/exchange.ts';
import { placeIn } from '../client/json-place.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';
import { sketchPlan } from '../model/plan-sketch.ts';
import type { Report, ReportedExchange } from '../model/report.ts';
import type {
  Finding,
  Observation,
  ProbeVerdict,
  ReplyVerdict,
  Rule,
  Setback,
} from '../model/rule.ts';
import { type Statement, statementKey } from '../model/statement.ts';
import { PASS } from '../rule-kit/faults.ts';
import { type Cause, type OpenTally, openTallies, type Tally } from './tallies.ts';

/** The target that a request was written from. */
export type RequestSource = { readonly target?: RequestTarget };

/** The record of what a run has received and judged. Only the ledger changes its tallies. */
export type Ledger = ReturnType<typeof createLedger>;

export type LedgerOptions = {
  readonly rules: readonly Rule[];
  /** Returns the size of a request for a reader: the smallest request of a cause is shown. */
  readonly weigh: (target: RequestTarget) => number;
  /**
   * Rules whose causes are separated by chain and pair, because a waiver covers only some of them.
   */
  readonly apart: ReadonlySet<string>;
};

/** @see Specification 4 */
const SPECIFIED_STATUSES: readonly number[] = [200, 400, 500];
const MAX_CAUSES = 20;
const MAX_OBSERVATIONS = 200;

/** Returns an empty ledger. */
export function createLedger({ rules, weigh, apart }: LedgerOptions) {
  const tallies = openTallies(rules);
  const answered = new Set<Endpoint>();
  const unread = new Map<Exchange['endpoint'], string>();
  let largestDust: Report['largestDust'];

  const addFinding = ({ rule, causes }: OpenTally, finding: Finding, source: RequestSource) => {
    const key = causeKey(rule.id, finding);
    const entry = apart.has(rule.id) ? `${key} ${tradeKey(finding.exchange)}` : key;
    const { target: path, query } = finding.exchange;
    const weight = weigh(source.target ?? { path, query });
    addCause(causes, entry, { ...finding, key }, source, weight);
  };
  const addDust = ({ dust }: ReplyVerdict, exchange: number) => {
    if (dust === undefined || dust.partsPerMillion <= (largestDust?.partsPerMillion ?? -1)) return;
    largestDust = reportDust(dust, exchange);
  };
  const setBack = ({ id }: Rule, setback: Setback) => {
    const tally = tallies.get(id);
    if (tally !== undefined) tally.setback = setback;
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
    /** Adds the verdict of a rule on one exchange; ignored once the rule was set back. */
    addVerdict: (
      { id }: Rule,
      verdict: ReplyVerdict,
      exchange: Exchange,
      source: RequestSource,
    ) => {
      const tally = tallies.get(id);
      if (tally === undefined || tally.setback !== undefined) return;
      tally.checks++;
      if (verdict === PASS) return;
      for (const text of [verdict.observed ?? []].flat()) count(tally.observed, { text });
      for (const finding of verdict.findings) addFinding(tally, { ...finding, exchange }, source);
      addDust(verdict, exchange.id);
    },
    /** Adds the verdict of a rule that sent its own requests. */
    addProbeVerdict: (rule: Rule, verdict: ProbeVerdict) => {
      if (verdict.kind !== 'judged') return setBack(rule, verdict);
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
    setBack,
    /** Clears everything except setbacks. */
    forget: () => {
      largestDust = undefined;
      for (const tally of tallies.values()) strikeOut(tally);
    },
  };
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

/** Adds a cause; beyond the maximum, further causes are counted with the last one. */
function addCause(
  causes: Map<string, Cause>,
  wanted: string,
  { exchange, ...finding }: Finding & Pick<Cause, 'key'>,
  source: RequestSource,
  weight: number,
): void {
  const isFull = causes.size >= MAX_CAUSES && !causes.has(wanted);
  const key = (isFull ? [...causes.keys()].at(-1) : undefined) ?? wanted;
  const known = causes.get(key);
  if (known !== undefined && known.weight <= weight) {
    causes.set(key, { ...known, count: known.count + 1 });
    return;
  }
  const { around, number } = placeOf(exchange, finding.pointer);
  causes.set(key, {
    key: finding.key,
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

/**
 * Returns the key of a finding's cause: the same promise broken in the same way, whatever the
 * amounts, addresses and list positions.
 */
export function causeKey(
  ruleId: string,
  {
    expected,
    actual,
    pointer,
    exchange,
  }: Pick<Finding, 'expected' | 'actual' | 'pointer'> & {
    readonly exchange: Pick<Exchange, 'endpoint'>;
  },
): string {
  const where = [ruleId, exchange.endpoint, placePattern(pointer)].filter(Boolean).join(' ');
  return `${where}: ${statementKey(expected)} -> ${statementKey(actual)}`;
}

/**
 * Returns the key of a finding and its place, independent of the rule. A status that the interface
 * does not have is one symptom, whatever the body.
 */
export function symptomKey({ actual, pointer }: Pick<Cause, 'actual' | 'pointer'>): string {
  const [first] = actual;
  const status = typeof first === 'object' && first.kind === 'status' ? first.status : undefined;
  if (status !== undefined && !SPECIFIED_STATUSES.includes(status)) return `status ${status}`;
  return [placePattern(pointer), statementKey(actual)].filter(Boolean).join(': ');
}

// Removes list positions, which do not distinguish causes.
function placePattern(pointer = ''): string {
  return pointer.replace(/\/[0-9]+/g, '/*');
}

/** Returns a key that separates the causes of different trades. */
function tradeKey({ query }: Exchange): string {
  return ['chainId', 'sellToken', 'buyToken']
    .map((name) => parameterOf(query, name) ?? '')
    .join(' ');
}

/** Returns the first value of a query parameter. */
export function parameterOf(query: Exchange['query'], name: string): string | undefined {
  return query.find(([each]) => each === name)?.[1];
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
