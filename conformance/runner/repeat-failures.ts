import { parseTarget } from '../client/request.ts';
import type { ProbeRule, SettlementRule } from '../model/rule.ts';
import { inParallel } from './in-parallel.ts';
import { judgeSettlements } from './judge-settlements.ts';
import { runProbes } from './run-probes.ts';
import {
  endRun,
  enterPhase,
  firstFailed,
  type Run,
  send,
  withFallbackIfStopped,
} from './run-state.ts';

/**
 * Judges the failures of an earlier run, if there is one: sends its failing requests, and runs the
 * rules that failed by requests of their own. Ends the run if one still fails. Returns the rules that
 * remain to be run.
 */
export async function repeatFailures(run: Run): Promise<{
  readonly probes: readonly ProbeRule[];
  readonly settlementRules: readonly SettlementRule[];
}> {
  const { probes, rules, options } = run;
  const settlementRules = rules.filter((rule) => rule.kind === 'settlement');
  const { repeat, concurrency } = options;
  if (repeat === undefined) return { probes, settlementRules };
  enterPhase(run, 'repeating');
  const sent = inParallel(repeat.requests, concurrency, async (request) => {
    await send(run, { ...parseTarget(request), key: 'as-written' });
  });
  await withFallbackIfStopped(sent, undefined);
  const hasFailed = ({ id }: { readonly id: string }) => repeat.rules.includes(id);
  const failedProbes = probes.filter(hasFailed);
  await runProbes(run, failedProbes);
  // Rules on the same evidence share its settlements.
  const evidence = new Set(settlementRules.filter(hasFailed).map((rule) => rule.evidence));
  const failedSettlements = settlementRules.filter((rule) => evidence.has(rule.evidence));
  await judgeSettlements(run, failedSettlements);
  const persisting = firstFailed(run, repeat.rules);
  if (persisting !== undefined) {
    const why = `${persisting} still fails; nothing further was sent`;
    endRun(run, why, 'A failure of the last run persists, so the rest was not judged again.');
  }
  return {
    probes: probes.filter((rule) => !failedProbes.includes(rule)),
    settlementRules: settlementRules.filter((rule) => !failedSettlements.includes(rule)),
  };
}
