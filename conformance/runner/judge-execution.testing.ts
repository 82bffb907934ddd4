import type { Execution } from '../model/executor.ts';
import type { SettlementContext, SettlementRule } from '../model/rule.ts';
import type { Evidence, EvidenceKind } from '../model/settlement.ts';
import { openTally } from '../model/tally.ts';
import { type Verdict, verdictOf } from '../model/verdict.testing.ts';
import { judgeExecution } from './judge-settlements.ts';

/** Returns the verdict of a rule on executed plans, without confirming its faults. */
export function verdictOnExecution(
  rule: SettlementRule,
  execution: Execution<Evidence[EvidenceKind]>,
  context: SettlementContext,
): Verdict {
  const reported = openTally(rule);
  for (const { item, faults } of judgeExecution(rule, execution, context, reported.tally)) {
    reported.tally.check(faults, item.exchange);
  }
  return verdictOf(reported);
}
