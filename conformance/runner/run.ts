import type { RunListener } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { concludeRun } from './conclude-run.ts';
import { discoverService } from './discover-service.ts';
import { judgeSettlements } from './judge-settlements.ts';
import { spentWords } from './pace.ts';
import { repeatFailures } from './repeat-failures.ts';
import type { RunOptions } from './run-options.ts';
import { runProbes } from './run-probes.ts';
import { judgesAnyReply, openRun, type Run } from './run-state.ts';
import { sendTraffic } from './send-traffic.ts';
import { shrinkFailures } from './shrink-failures.ts';

/**
 * Judges a service by the catalog and reports progress to `listener`. Resolves with the report
 * however the service behaves.
 *
 * @throws {UnknownRuleError} if an entry of `only` matches nothing.
 */
export async function runRules(
  options: RunOptions,
  listener: RunListener = () => undefined,
): Promise<Report> {
  const run = openRun(options, listener);
  const { target, seed } = run.options;
  const release = endInTime(run);
  listener({ type: 'run-started', target, seed, rules: run.rules.length });
  try {
    if (run.unreachable === undefined) await discoverService(run);
    if (run.unreachable === undefined) {
      const { probes, settlementRules } = await repeatFailures(run);
      await runProbes(run, probes);
      await judgeSettlements(run, settlementRules);
      if (missesRepliesOfSettlement(run)) run.remarks.push(UNSETTLED);
      await sendTraffic(run);
      await shrinkFailures(run);
    }
    await Promise.allSettled(run.underway);
  } finally {
    release();
  }
  const cutShort = run.scheduler.stopped;
  // A rule may have left a task running that would send requests for ever.
  run.scheduler.stop('the run has ended');
  return concludeRun(run, cutShort);
}

const UNSETTLED =
  'the replies to requests of settlement rules, which were not selected: rules on replies judged without them';

function missesRepliesOfSettlement({ rules, options }: Run): boolean {
  const isSettlement = ({ kind }: Rule) => kind === 'settlement';
  return (
    options.openExecutor !== undefined &&
    rules.some(judgesAnyReply) &&
    options.rules.some(isSettlement) &&
    !rules.some(isSettlement)
  );
}

/**
 * Stops the run when its time is over or the user ends it; returns a function that removes both.
 */
function endInTime(run: Run): () => void {
  const { options, scheduler } = run;
  const { signal, maxTimeMs, spentMs, clock } = options;
  const interrupt = () => scheduler.stop('the run was ended early');
  if (signal?.aborted === true) interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  const callOff = clock.after(Math.max(0, maxTimeMs - spentMs), () =>
    scheduler.stop(spentWords(run)),
  );
  return () => {
    callOff();
    signal?.removeEventListener('abort', interrupt);
  };
}
