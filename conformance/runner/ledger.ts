import { swapBodyIn } from '../checks/plan.ts';
import { type Exchange, excerptOf, MAX_TARGET_CHARACTERS } from '../client/exchange.ts';
import { type JsonPlace, placeIn } from '../client/json-place.ts';
import type { RequestTarget } from '../client/request.ts';
import { cutText } from '../contract/cut-text.ts';
import type { Endpoint } from '../contract/paths.ts';
import { causeKey, symptomKey } from '../model/cause.ts';
import { type PlanView, tokenAt } from '../model/judged-reply.ts';
import { type PlanSketch, sketchPlan } from '../model/plan-sketch.ts';
import type { Failure, Report, ReportedExchange } from '../model/report.ts';
import type { Finding, Rule } from '../model/rule.ts';
import type { Statement } from '../model/statement.ts';
import { Tally } from '../model/tally.ts';
import type { Waiver } from './waivers.ts';

/** The target of the judged request, if known. */
export type RequestSource = { readonly target?: RequestTarget };

/** Results of one rule so far. Stores only the parts of exchanges that a report shows. */
export type RuleTally = Tally & {
  /** Causes by their keys. */
  readonly causes: Map<string, Cause>;
};

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
  readonly isCompressed: boolean;
  readonly plan: PlanSketch | undefined;
  readonly settlement: Finding['settlement'];
  /** The request, if we sent it. */
  readonly target: RequestTarget | undefined;
  /** Result of sending the request again, if it was. */
  readonly repeat?: Failure['repeat'];
  readonly weight: number;
  readonly count: number;
  readonly since: number;
  /**
   * Ids of the first `MAX_EXCHANGES` exchanges that show the cause, some of them perhaps twice. An
   * array, since sets of so many ids for so many causes would take three times the memory.
   */
  readonly exchanges: number[];
};

/** Maximum number of exchanges recorded for a cause. */
export const MAX_EXCHANGES = 4_096;

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

/** Maximum number of causes per rule, beyond which those with the same fault are counted as one. */
const MAX_CAUSES = 40;

/** Records the replies and verdicts of a run. */
export class Ledger {
  /** Operations that returned 200. */
  readonly answered = new Set<Endpoint>();
  /** Reasons why replies were not read completely, by operation. */
  readonly unread = new Map<Exchange['endpoint'], string>();
  largestDust: Report['largestDust'];
  /** Tallies by rule id, in the order of the rules. */
  readonly tallies: ReadonlyMap<string, RuleTally>;
  readonly #options: LedgerOptions;
  /** Exchange that reply rules are judging. */
  #judged: { readonly exchange: Exchange; readonly source: RequestSource } | undefined;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.tallies = new Map(options.rules.map((rule) => [rule.id, this.#openTally(rule)]));
  }

  #openTally(rule: Rule): RuleTally {
    const causes = new Map<string, Cause>();
    const tally = new Tally(rule, (fault, given) => {
      const exchange = given ?? this.#judged?.exchange;
      if (exchange === undefined) {
        throw new TypeError(`${rule.id} reported a fault without an exchange`);
      }
      const source = given === undefined ? this.#judged?.source : undefined;
      this.#addFinding(rule, causes, { ...fault, exchange }, source ?? {});
    });
    return Object.assign(tally, { causes });
  }

  /** Returns the tally of a rule; undefined if the rule does not take part. */
  tallyOf({ id }: Pick<Rule, 'id'>): RuleTally | undefined {
    return this.tallies.get(id);
  }

  /** Sets the exchange to which faults without an exchange belong. */
  judging(exchange: Exchange, source: RequestSource): void {
    this.#judged = { exchange, source };
  }

  /** Records the imbalance of a plan at an intermediate token if it is the largest so far. */
  addDust({ plan, balance: { largestDust } }: PlanView, exchange: number): void {
    if (largestDust === undefined) return;
    const { baseUnits, partsPerMillion, referenceId } = largestDust;
    if (partsPerMillion <= (this.largestDust?.partsPerMillion ?? -1)) return;
    const { address, symbol, decimals } = tokenAt(plan, referenceId) ?? {};
    this.largestDust = {
      ...{ baseUnits: String(baseUnits), partsPerMillion, exchange },
      token: address ?? `referenceId ${referenceId}`,
      ...(symbol !== undefined && { symbol }),
      ...(decimals !== undefined && { decimals }),
    };
  }

  /** Clears all findings and observations, but not the reasons why rules did not judge. */
  forget(): void {
    this.largestDust = undefined;
    for (const tally of this.tallies.values()) {
      tally.forget();
      tally.causes.clear();
    }
  }

  #addFinding(
    { id }: Rule,
    causes: Map<string, Cause>,
    finding: Finding,
    source: RequestSource,
  ): void {
    const { weigh, waiverOf } = this.#options;
    const { target: path, query, endpoint } = finding.exchange;
    const parts = { ...finding, endpoint };
    const identity = {
      key: causeKey(id, parts),
      symptom: symptomKey(id, parts),
      waiver: waiverOf?.(id, finding),
    };
    const weight = weigh(source.target ?? { path, query });
    addCause(causes, { ...finding, ...identity }, source, weight);
  }
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
 * Adds a finding to its cause. Failures that different waivers cover are never counted as one.
 * Beyond the maximum number of causes, a finding only adds to the count of another cause of its
 * fault, if there is one.
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
  const exchanges = known?.exchanges ?? [];
  if (exchanges.length < MAX_EXCHANGES && exchanges.at(-1) !== exchange.id) {
    exchanges.push(exchange.id);
  }
  const provedFirst =
    Number(finding.settlement !== undefined) - Number(known?.settlement !== undefined);
  const isOther = known !== undefined && known.key !== finding.key;
  if (known !== undefined && (isOther || (provedFirst || known.weight - weight) <= 0)) {
    causes.set(wanted, { ...known, count: known.count + 1 });
    return;
  }
  const { around, number } = placeOf(exchange, finding.pointer);
  causes.set(wanted, {
    ...{ key: finding.key, symptom: finding.symptom, waiver },
    ...{ fault: finding.fault, data: finding.data },
    expected: finding.expected,
    actual: withSentDigits(finding.actual, number),
    pointer: finding.pointer,
    exchange: reportExchange(exchange),
    place: around,
    query: exchange.query,
    origin: exchange.origin,
    baseUrl: exchange.baseUrl,
    isCompressed: isCompressed(exchange),
    plan: planOf(exchange, finding.pointer),
    settlement: finding.settlement,
    target: source.target ?? targetOf(exchange),
    weight,
    count: (known?.count ?? 0) + 1,
    since: known?.since ?? exchange.id,
    exchanges,
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

/** Returns an exchange as reports show it. */
function reportExchange(exchange: Exchange): ReportedExchange {
  const { id, method, target, durationMs, outcome } = exchange;
  return {
    id,
    method,
    target: cutText(target, MAX_TARGET_CHARACTERS),
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

function isCompressed({ outcome }: Exchange): boolean {
  return outcome.kind === 'reply' && outcome.headers['content-encoding'] !== undefined;
}

function placeOf({ outcome }: Exchange, pointer: string | undefined) {
  const isJson = outcome.kind === 'reply' && outcome.document.kind === 'json';
  return isJson && pointer !== undefined ? placeIn(outcome.text, pointer) : {};
}

function planOf({ endpoint, outcome }: Exchange, pointer: string | undefined) {
  if (endpoint !== 'swap' || outcome.kind !== 'reply') return undefined;
  return sketchPlan(swapBodyIn(outcome), pointer);
}
