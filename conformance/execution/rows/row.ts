import type { SkippedPlan } from '../../model/executor.ts';
import type { Scenario } from '../../model/scenario.ts';
import type {
  Evidence,
  EvidenceKind,
  Settled,
  SettledOnce,
  SettledPlan,
  Trade,
} from '../../model/settlement.ts';
import type { TradeRequest } from '../../model/trade-request.ts';
import type { Fork, ForkedMarket } from '../fork/fork.ts';
import { holdersOf, withinGasLimit } from '../scenario/scenario.ts';
import { type Impossible, isImpossible } from '../settle/impossible.ts';
import { settleEach } from '../settle/settle-each.ts';
import { EarlierCallError, simulate } from '../settle/simulate.ts';
import { fairEffects } from './fair-effects.ts';
import { skipUnsettled } from './settle-until-final.ts';

/** A further scenario of a settled plan. */
export type Change<Kind extends EvidenceKind> = {
  /**
   * Settled with the service's gas limit first, since a contract may treat ample gas differently.
   */
  readonly scenario: Scenario;
  /** The trade in the scenario, if the plan's own request does not describe it. */
  readonly trade?: Trade;
  /**
   * Returns the evidence that rules judge. `asReturned` has the effects of the plan as returned.
   */
  readonly evidenceOf: (settled: SettledOnce) => Evidence[Kind] | Promise<Evidence[Kind]>;
};

/** A row of the table of scenarios in which a plan is settled besides the one as returned. */
export type Row<Kind extends EvidenceKind = EvidenceKind> = {
  readonly kind: Kind;
  /**
   * Returns the name of a sample to which a plan belongs; undefined if the row does not apply to
   * the plan. The first plan of each sample that can be settled in this row counts.
   */
  readonly sampleOf: (plan: SettledPlan) => string | undefined;
  /** Returns the scenarios of a plan in this row. If there are none, returns the reason. */
  readonly change: (
    forked: ForkedMarket,
    plan: SettledPlan,
  ) => Promise<readonly Change<Kind>[] | Impossible>;
};

/** The sample of a row that settles every plan. */
export function ownSample({ exchange }: SettledPlan): string {
  return `plan ${exchange.id}`;
}

/** The result of one plan in one row. */
export type RowResult = {
  readonly kind: EvidenceKind;
  readonly request: TradeRequest;
  readonly items: readonly Evidence[EvidenceKind][];
  /** Reason why the plan has no scenario in this row. */
  readonly why?: string;
  /** Set if the node did not return the state that the plan needs. */
  readonly skipped?: SkippedPlan;
};

/**
 * Returns a function that settles plans in rows while the fork is at the block of their quotes.
 * Samples that earlier calls settled are not settled again.
 */
export function createRowSettler(
  rows: readonly Row[],
): (forked: ForkedMarket, plans: readonly SettledPlan[]) => Promise<readonly RowResult[]> {
  const settled = new Set<string>();
  return async (forked, plans) => {
    const samples = new Map<string, { readonly row: Row; readonly members: SettledPlan[] }>();
    for (const [index, row] of rows.entries()) {
      for (const plan of plans) {
        const sample = row.sampleOf(plan);
        const name = `${index} ${sample}`;
        if (sample === undefined || settled.has(name)) continue;
        const { members } = samples.get(name) ?? { members: [] };
        samples.set(name, { row, members: [...members, plan] });
      }
    }
    const results = await settleEach([...samples], async ([name, { row, members }]) => {
      const results: RowResult[] = [];
      for (const plan of members) {
        if (forked.service.ending?.aborted) break;
        const result = await settleInRow(forked, row, plan);
        results.push(result);
        if (result.items.length === 0) continue;
        settled.add(name);
        break;
      }
      return results;
    });
    return results.flat();
  };
}

async function settleInRow(
  forked: ForkedMarket,
  { kind, change }: Row,
  plan: SettledPlan,
): Promise<RowResult> {
  const { request } = plan;
  try {
    const changes = await change(forked, plan);
    if (isImpossible(changes)) return { kind, request, items: [], why: changes.why };
    const all = await Promise.all(changes.map((each) => settleChange(forked, plan, each)));
    return { kind, request, items: all.filter((item) => item !== undefined) };
  } catch (error) {
    return { kind, request, items: [], skipped: skipUnsettled(request, error) };
  }
}

/** Returns undefined if the trade was never executed, which is evidence of nothing. */
async function settleChange<Kind extends EvidenceKind>(
  { fork }: ForkedMarket,
  plan: SettledPlan,
  { scenario, trade = plan, evidenceOf }: Change<Kind>,
): Promise<Evidence[Kind] | undefined> {
  const { request, exchange, transaction } = trade;
  const limited = withinGasLimit(scenario, transaction);
  const first = await settleUnlessEarlierFails(fork, limited);
  if (first === undefined) return undefined;
  const mayNeedMore = first.settlement.outcome !== 'settled' && limited.gas < scenario.gas;
  const now = mayNeedMore ? await settleUnlessEarlierFails(fork, scenario) : first;
  if (now === undefined || now.settlement.outcome === 'rejected') return undefined;
  const holders = holdersOf(fork, trade);
  const effects = await fairEffects(fork, trade, now, false);
  const settled = { request, exchange, plan: trade.plan, transaction, now, holders, effects };
  return evidenceOf({ ...settled, asReturned: plan.effects });
}

async function settleUnlessEarlierFails(
  fork: Fork,
  scenario: Scenario,
): Promise<Settled | undefined> {
  try {
    return { scenario, settlement: await simulate(fork, scenario) };
  } catch (error) {
    if (error instanceof EarlierCallError) return undefined;
    throw error;
  }
}
