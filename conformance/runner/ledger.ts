import { swapBodyIn } from '../checks/plan.ts';
import { type Exchange, excerptOf } from '../client/exchange.ts';
import { type JsonPlace, placeIn } from '../client/json-place.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Endpoint } from '../contract/paths.ts';
import { causeKey, symptomKey } from '../model/cause.ts';
import { type PlanSketch, sketchPlan } from '../model/plan-sketch.ts';
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
import type { Waiver } from './waivers.ts';

/** The target of the judged request, if known. */
export type RequestSource = { readonly target?: RequestTarget };

/** Results of one rule so far. Stores only the parts of exchanges that a report shows. */
export type Tally = Readonly<Omit<OpenTally, 'causes' | 'observed'>> & {
  readonly causes: ReadonlyMap<string, Cause>;
  readonly observed: ReadonlyMap<string, Observed>;
};

type OpenTally = {
  readonly rule: Rule;
  checks: number;
  durationMs: number;
  /** Causes by their keys. */
  readonly causes: Map<string, Cause>;
  /** Observations by their keys. */
  readonly observed: Map<string, Observed>;
  /** Set if the rule did not judge. */
  obstacle?: Obstacle;
};

/** An observation, and how often it was made. */
export type Observed = Observation & { readonly times: number };

/** Findings with one cause, represented by the smallest request that led to such a finding. */
export type Cause = {
  /** Identifies the cause in every run. */
  readonly key: string;
  /** @see symptomKey */
  readonly symptom: string;
  readonly fault: string;
  readonly data: Finding['data'];
  /** Waiver that covers the cause, if any. */
  readonly waiver: Waiver | undefined;
  readonly expected: Statement;
  readonly actual: Statement;
  readonly pointer: string | undefined;
  readonly exchange: ReportedExchange;
  readonly place: JsonPlace | undefined;
  readonly query: Exchange['query'];
  readonly origin: Exchange['origin'];
  readonly baseUrl: Exchange['baseUrl'];
  readonly plan: PlanSketch | undefined;
  readonly settlement: Finding['settlement'];
  /** The request, if we sent it. */
  readonly target: RequestTarget | undefined;
  readonly weight: number;
  readonly count: number;
  readonly since: number;
};

export type LedgerOptions = {
  readonly rules: readonly Rule[];
  /**
   * Returns the size of a request from a reader's point of view. Each cause shows its smallest
   * request.
   */
  readonly weigh: (target: RequestTarget) => number;
  /** Returns the waiver that covers a failure, if there is one. Default: none. */
  readonly waiverOf?: (ruleId: string, finding: Finding) => Waiver | undefined;
};

/**
 * Maximum number of causes per rule. Beyond the maximum, causes with the same fault are counted as
 * one.
 */
const MAX_CAUSES = 40;
const MAX_OBSERVATIONS = 200;

/** Records the replies and verdicts of a run. */
export class Ledger {
  /** Operations that returned 200. */
  readonly answered = new Set<Endpoint>();
  /** Reasons why replies were not read completely, by operation. */
  readonly unread = new Map<Exchange['endpoint'], string>();
  largestDust: Report['largestDust'];
  readonly #options: LedgerOptions;
  readonly #tallies: ReadonlyMap<string, OpenTally>;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#tallies = new Map(
      options.rules.map((rule) => [
        rule.id,
        { rule, checks: 0, durationMs: 0, causes: new Map(), observed: new Map() },
      ]),
    );
  }

  /** Tallies by rule id, in the order of the rules. */
  get tallies(): ReadonlyMap<string, Tally> {
    return this.#tallies;
  }

  /** Adds the verdict of a rule on one exchange. Does nothing if the rule could not run. */
  addVerdict({ id }: Rule, verdict: ReplyVerdict, exchange: Exchange, source: RequestSource): void {
    const tally = this.#tallies.get(id);
    if (tally === undefined || tally.obstacle !== undefined) return;
    tally.checks++;
    if (verdict === PASS) return;
    for (const text of [verdict.observed ?? []].flat()) count(tally.observed, { text });
    for (const finding of verdict.findings) {
      this.#addFinding(tally, { ...finding, exchange }, source);
    }
    const { dust } = verdict;
    if (dust && dust.partsPerMillion > (this.largestDust?.partsPerMillion ?? -1)) {
      this.largestDust = reportDust(dust, exchange.id);
    }
  }

  /** Adds the verdict of a rule that sent its own requests. */
  addProbeVerdict(rule: Rule, verdict: ProbeVerdict): void {
    if (verdict.kind !== 'judged') this.addObstacle(rule, notApplicableIfObserved(rule, verdict));
    const tally = this.#tallies.get(rule.id);
    if (verdict.kind !== 'judged' || tally === undefined) return;
    tally.checks += verdict.checks;
    for (const observation of verdict.observed ?? []) count(tally.observed, observation);
    for (const finding of verdict.findings) this.#addFinding(tally, finding, {});
  }

  /** Adds to the total time that a rule took. */
  addDuration({ id }: Rule, durationMs: number): void {
    const tally = this.#tallies.get(id);
    if (tally !== undefined) tally.durationMs += durationMs;
  }

  /** Records why a rule did not judge. */
  addObstacle({ id }: Rule, obstacle: Obstacle): void {
    const tally = this.#tallies.get(id);
    if (tally !== undefined) tally.obstacle = obstacle;
  }

  /** Clears all findings and observations, but not the reasons why rules did not judge. */
  forget(): void {
    this.largestDust = undefined;
    for (const tally of this.#tallies.values()) {
      tally.checks = 0;
      tally.causes.clear();
      tally.observed.clear();
    }
  }

  #addFinding({ rule, causes }: OpenTally, finding: Finding, source: RequestSource): void {
    const { weigh, waiverOf } = this.#options;
    const { target: path, query, endpoint } = finding.exchange;
    const parts = { ...finding, endpoint };
    const identity = {
      key: causeKey(rule.id, parts),
      symptom: symptomKey(rule.id, parts),
      waiver: waiverOf?.(rule.id, finding),
    };
    const weight = weigh(source.target ?? { path, query });
    addCause(causes, { ...finding, ...identity }, source, weight);
  }
}

/**
 * An `observe` rule without anything to observe counts as not applicable, which is not an error.
 */
function notApplicableIfObserved({ level }: Rule, obstacle: Obstacle): Obstacle {
  return level === 'observe' ? { ...obstacle, kind: 'not-applicable' } : obstacle;
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

function withSentDigits(actual: Statement, digits: string | undefined): Statement {
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
 * Failures covered by different waivers are never counted as one. Beyond the maximum number of
 * causes, a finding is added to another cause with the same fault, if there is one.
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
    actual: withSentDigits(finding.actual, number),
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

function count(observed: OpenTally['observed'], { text, key = text }: Observation): void {
  const known = observed.get(key);
  if (known === undefined && observed.size >= MAX_OBSERVATIONS) return;
  observed.set(key, {
    text: known?.text ?? clip(text),
    ...(key !== text && { key }),
    times: (known?.times ?? 0) + 1,
  });
}

/** Returns an exchange as reports show it. */
function reportExchange(exchange: Exchange): ReportedExchange {
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
