import { type Clock, sleep } from '../client/clock.ts';
import { parseTarget, type RequestTarget } from '../client/request.ts';
import { messageOf } from '../contract/message-of.ts';
import { endpointOf } from '../contract/paths.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import type { RunListener } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import type { ProbeRule, Rule, SettlementRule } from '../model/rule.ts';
import { describeInterruption, type Ending, reportOfRun } from './compose-report.ts';
import { discoverService } from './discover-service.ts';
import { inParallel } from './in-parallel.ts';
import { judgeSettlements } from './judge-settlements.ts';
import { judgesAnyReply } from './pace.ts';
import type { RunOptions } from './run-options.ts';
import { runProbes } from './run-probes.ts';
import { Run } from './run-state.ts';
import { shrinkFailures } from './shrink-failures.ts';
import { verifyFailures } from './verify-failures.ts';

/**
 * Judges a service by the catalog and reports progress to `listener`. Resolves with the report,
 * however the service behaves, and even if swapcheck itself fails.
 *
 * @throws {UnknownRuleError} if an entry of `only` matches nothing.
 */
export async function runRules(
  options: RunOptions,
  listener: RunListener = () => undefined,
): Promise<Report> {
  const run = new Run(options, listener);
  const { target, seed } = run.options;
  const release = endInTime(run);
  let ending: Ending = {};
  listener({ type: 'run-started', target, seed, rules: run.rules.length });
  try {
    const crash = await endOnError(run, () => judgeService(run));
    await run.settled();
    await awaitEndOfService(run);
    // Everything is judged by now, so whatever ends the repeats cuts nothing short.
    ending = { cutShort: run.whyOver, interrupted: describeInterruption(options.signal), crash };
    if (run.unreachable === undefined) await endOnError(run, () => verifyFailures(run));
  } finally {
    release();
  }
  // A rule may have left a task running that would send requests forever.
  run.scheduler.stop('the run has ended');
  const report = reportOfRun(run, ending);
  for (const result of report.rules) listener({ type: 'rule-finished', result });
  listener({ type: 'run-finished', report });
  return report;
}

async function judgeService(run: Run): Promise<void> {
  if (run.unreachable === undefined) await discoverService(run);
  if (run.unreachable !== undefined) return;
  const { probes, settlementRules } = await repeatFailures(run);
  await runProbes(run, probes);
  await judgeSettlements(run, settlementRules);
  if (missesRepliesOfSettlement(run)) run.remarks.push(UNSETTLED);
  await sendTraffic(run);
  await shrinkFailures(run);
}

/**
 * Runs a part of a run. If it throws, ends the run, whose report keeps what was judged before, and
 * returns a sentence that describes the error.
 */
async function endOnError(run: Run, work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const why = `swapcheck itself failed, which reveals nothing about the service: ${messageOf(error)}`;
    run.remarks.push(`the rest of the run, since ${why}`);
    run.scheduler.stop(why);
    return `The run ended early, since ${why}.`;
  }
}

const UNSETTLED =
  'the replies that settlement rules would have requested, since these rules were not selected';

function missesRepliesOfSettlement({ rules, options }: Run): boolean {
  const isSettlement = ({ kind }: Rule) => kind === 'settlement';
  return (
    options.openExecutor !== undefined &&
    rules.some(judgesAnyReply) &&
    options.rules.some(isSettlement) &&
    !rules.some(isSettlement)
  );
}

const MAX_WAIT_FOR_END_MS = 1_000;

/**
 * A service that swapcheck has started closes its connections before the end of its process is
 * reported. Since that end is the better reason, a run whose last requests got no reply waits
 * briefly for the signal.
 */
async function awaitEndOfService({ silence, options: { signal, clock } }: Run): Promise<void> {
  if (silence !== undefined && signal !== undefined) {
    await sleep(clock, MAX_WAIT_FOR_END_MS, signal);
  }
}

function endInTime(run: Run): () => void {
  const { scheduler } = run;
  const { signal, maxTimeMs, spentMs, clock } = run.options;
  const stopListening = scheduler.stopOnAbort(signal);
  const cancelTimeout = clock.after(Math.max(0, maxTimeMs - spentMs), () =>
    scheduler.stop(run.pace.describeSpentBudget()),
  );
  return () => {
    cancelTimeout();
    stopListening();
  };
}

/**
 * Judges the failures of an earlier run, if there is one: sends its failing requests again, and
 * runs the failed rules that send their own requests. Ends the run if a failure persists. Returns
 * the remaining rules.
 */
async function repeatFailures(run: Run): Promise<{
  readonly probes: readonly ProbeRule[];
  readonly settlementRules: readonly SettlementRule[];
}> {
  const { probes, rules, options } = run;
  const settlementRules = rules.filter((rule) => rule.kind === 'settlement');
  const { repeat } = options;
  if (repeat === undefined) return { probes, settlementRules };
  run.enterPhase('repeating');
  const targets = repeat.requests.map((request) => ({
    ...parseTarget(request),
    key: 'as-written' as const,
  }));
  await sendAll(run, targets);
  const hasFailed = ({ id }: { readonly id: string }) => repeat.rules.includes(id);
  const failedProbes = probes.filter(hasFailed);
  await runProbes(run, failedProbes);
  // Rules on the same kind of evidence share its settlements.
  const evidence = new Set(settlementRules.filter(hasFailed).map((rule) => rule.evidence));
  const failedSettlements = settlementRules.filter((rule) => evidence.has(rule.evidence));
  await judgeSettlements(run, failedSettlements);
  const persisting = run.firstFailed(repeat.rules);
  if (persisting !== undefined) {
    const why = `${persisting} still fails; nothing further was sent`;
    run.end(why, 'A failure of the last run persists, so the rest was not judged again.');
  }
  return {
    probes: probes.filter((rule) => !failedProbes.includes(rule)),
    settlementRules: settlementRules.filter((rule) => !failedSettlements.includes(rule)),
  };
}

async function sendTraffic(run: Run): Promise<void> {
  const { generator, seed, clock } = run.options;
  if (!run.rules.some(judgesAnyReply)) return;
  const endsAtMs = run.pace.beginTraffic();
  run.enterPhase('traffic');
  const requests = generator.traffic(run.facts ?? NO_FACTS, seed, run.pace.affordableTraffic());
  await sendAll(run, before(endsAtMs, judgedTargets(run.rules, requests), clock));
}

/** Sends requests until the run is over. Omits those to an operation that no longer responds. */
async function sendAll(run: Run, targets: Iterable<RequestTarget>): Promise<void> {
  await inParallel(whileOpen(run, targets), run.scheduler.concurrency, (target) =>
    run.trySend(target),
  );
}

function* whileOpen<T>(run: Run, targets: Iterable<T>) {
  for (const target of targets) {
    if (run.whyOver !== undefined) return;
    yield target;
  }
}

function* before<T>(endsAtMs: number, targets: Iterable<T>, clock: Clock) {
  for (const target of targets) {
    if (clock.now() >= endsAtMs) return;
    yield target;
  }
}

function* judgedTargets(rules: readonly Rule[], targets: Iterable<RequestTarget>) {
  const operations = new Set(
    rules.filter(judgesAnyReply).map((rule) => (rule.kind === 'reply' ? rule.endpoint : undefined)),
  );
  for (const target of targets) {
    const operation = endpointOf(target.path);
    if (operations.has(undefined) || operations.has(operation)) yield target;
  }
}
