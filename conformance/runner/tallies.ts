import type { Exchange } from '../client/exchange.ts';
import type { JsonPlace } from '../client/json-place.ts';
import type { RequestTarget } from '../client/request.ts';
import type { PlanSketch } from '../model/plan-sketch.ts';
import type { ReportedExchange } from '../model/report.ts';
import type { Finding, Rule, Setback } from '../model/rule.ts';
import type { Statement } from '../model/statement.ts';
import type { ExchangeJudge } from './judge-exchange.ts';

/** What is known of one rule so far. Exchanges are not kept: only what a report shows of them. */
export type Tally = Readonly<Omit<OpenTally, 'causes' | 'observed'>> & {
  readonly causes: ReadonlyMap<string, Cause>;
  readonly observed: ReadonlyMap<string, number>;
};

/** A tally that is written, by the ledger alone. */
export type OpenTally = {
  readonly rule: Rule;
  checks: number;
  durationMs: number;
  /** By what makes two findings one. */
  readonly causes: Map<string, Cause>;
  /** How often each thing was observed. */
  readonly observed: Map<string, number>;
  /** Set where the rule did not judge. */
  setback?: Setback;
};

/** Findings of one cause, shown by the smallest request that was seen to have it. */
export type Cause = {
  /** Identifies the cause in every run. */
  readonly key: string;
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
  /** What was asked, where we asked. */
  readonly target: RequestTarget | undefined;
  readonly weight: number;
  readonly count: number;
  readonly since: number;
};

/** Tallies in which nothing is written: passes are taken from where they are counted when a tally is read. */
export function openTallies(rules: readonly Rule[]) {
  const counting: ExchangeJudge['takePasses'][] = [];
  const tallies: ReadonlyMap<string, OpenTally> = new Map(
    rules.map((rule): [string, OpenTally] => [
      rule.id,
      { rule, checks: 0, durationMs: 0, causes: new Map(), observed: new Map() },
    ]),
  );
  const addPasses = ({ id }: Rule, passes: number) => {
    const tally = tallies.get(id);
    if (tally !== undefined && tally.setback === undefined) tally.checks += passes;
  };
  return {
    /** By rule id, in the order of the rules; without the passes that are counted elsewhere. */
    tallies,
    /** The same, with them. */
    settled: () => {
      for (const takePasses of counting) takePasses(addPasses);
      return tallies;
    },
    /** Takes passes that are counted elsewhere, whenever a tally is read. */
    awaitPasses: (takePasses: ExchangeJudge['takePasses']) => void counting.push(takePasses),
  };
}
