import type { Exchange } from '../client/exchange.ts';
import type { JsonPlace } from '../client/json-place.ts';
import type { RequestTarget } from '../client/request.ts';
import type { PlanSketch } from '../model/plan-sketch.ts';
import type { ReportedExchange } from '../model/report.ts';
import type { Finding, Observation, Obstacle, Rule } from '../model/rule.ts';
import type { Statement } from '../model/statement.ts';
import type { Waiver } from './waivers.ts';

/** Results of one rule so far. Of exchanges it holds only the parts that a report shows. */
export type Tally = Readonly<Omit<OpenTally, 'causes' | 'observed'>> & {
  readonly causes: ReadonlyMap<string, Cause>;
  readonly observed: ReadonlyMap<string, Observed>;
};

/** A tally that only the ledger writes. */
export type OpenTally = {
  readonly rule: Rule;
  checks: number;
  durationMs: number;
  /** By cause key. */
  readonly causes: Map<string, Cause>;
  /** By their keys. */
  readonly observed: Map<string, Observed>;
  /** Set if the rule did not judge. */
  obstacle?: Obstacle;
};

/** An observation, and the number of times that it was made. */
export type Observed = Observation & { readonly times: number };

/** Findings of one cause, shown by the smallest request that produced one. */
export type Cause = {
  /** Identifies the cause in every run. */
  readonly key: string;
  /** @see symptomKey */
  readonly symptom: string;
  readonly fault: string;
  readonly data: Finding['data'];
  /** The waiver that covers the cause. */
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

/** Returns empty tallies by rule id, in the order of the rules. */
export function openTallies(rules: readonly Rule[]): ReadonlyMap<string, OpenTally> {
  return new Map(
    rules.map((rule) => [
      rule.id,
      { rule, checks: 0, durationMs: 0, causes: new Map(), observed: new Map() },
    ]),
  );
}
