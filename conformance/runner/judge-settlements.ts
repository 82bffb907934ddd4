import { sleep } from '../client/clock.ts';
import { redactDeep } from '../client/redaction.ts';
import { RunStopped, type Scheduler } from '../client/scheduler.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import { causeKey } from '../model/cause.ts';
import type { SettlementEvidence } from '../model/evidence.ts';
import type { Executed, Execution, Executor, SkippedPlan } from '../model/executor.ts';
import { formatStatement } from '../model/format-statement.ts';
import type {
  Finding,
  Obstacle,
  ProbeVerdict,
  SettlementContext,
  SettlementRule,
} from '../model/rule.ts';
import { describeEvidence, type Evidence, type EvidenceKind } from '../model/settlement.ts';
import { note } from '../model/statement.ts';
import { kindOfTrade } from '../model/trade-request.ts';
import { obstacleOf } from './judging.ts';
import { tokenLookup } from './known-tokens.ts';
import { NO_FORK } from './not-judged.ts';
import { type Run, withFallbackIfStopped } from './run-state.ts';

const MAX_PROVED_CAUSES_PER_RULE = 8;

/**
 * Executes plans for every kind of evidence that the rules need, one kind after another. Records
 * the verdict of each rule.
 */
export async function judgeSettlements(run: Run, rules: readonly SettlementRule[]): Promise<void> {
  const { openExecutor, requireFork, frozen, seed } = run.options;
  if (rules.length === 0) return;
  if (openExecutor !== undefined) run.enterPhase('settlement');
  const required = async (executing: Promise<Execution<Evidence[EvidenceKind]>>) => {
    const execution = await executing;
    if (!requireFork || execution.kind !== 'not-applicable') return execution;
    return { ...execution, kind: 'could-not-run' } as const;
  };
  const executor = await openExecutor?.({
    facts: run.facts ?? NO_FACTS,
    get: (target) => run.send(target),
    frozen,
    seed,
  });
  try {
    const kinds = [...new Set(rules.map(({ evidence }) => evidence))];
    for (const kind of kinds) {
      const judging = rules.filter(({ evidence }) => evidence === kind);
      await judgeAll(
        run,
        judging,
        required(executor?.execute(kind, kinds) ?? Promise.resolve(NO_FORK)),
        executor,
      );
    }
  } finally {
    if (executor !== undefined) {
      run.remarks.push(...executor.remarks());
      await closeInTime(run, executor);
    }
  }
}

const MAX_CLOSING_MS_AFTER_STOP = 250;

/** If the run was stopped, waits only briefly for nodes to close. */
async function closeInTime({ scheduler, options }: Run, executor: Executor): Promise<void> {
  const closed = new AbortController();
  const waitAfterStop = async () => {
    await withFallbackIfStopped(untilStopped(scheduler, new Promise<never>(() => {})), undefined);
    await sleep(options.clock, MAX_CLOSING_MS_AFTER_STOP, closed.signal);
  };
  await Promise.race([executor.close(), waitAfterStop()]).finally(() => closed.abort());
}

/** @throws {RunStopped} as soon as the run is stopped. */
function untilStopped<T>(scheduler: Scheduler, work: Promise<T>): Promise<T> {
  const { ending } = scheduler;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new RunStopped(scheduler.stopped ?? 'the run was ended'));
    if (ending.aborted) stop();
    ending.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => ending.removeEventListener('abort', stop));
  });
}

async function judgeAll(
  run: Run,
  rules: readonly SettlementRule[],
  executing: Promise<Execution<Evidence[EvidenceKind]>>,
  executor: Executor | undefined,
): Promise<void> {
  const { ledger, options, scheduler } = run;
  const { now } = options.clock;
  const startedAtMs = now();
  const [executed] = await Promise.allSettled([untilStopped(scheduler, executing)]);
  const shareMs = (now() - startedAtMs) / rules.length;
  for (const rule of rules) {
    const since = now();
    try {
      if (executed.status === 'rejected') throw executed.reason;
      const verdict = judgeExecution(rule, executed.value, options);
      if (isMissedBySample(rule, verdict, executed.value, run)) {
        run.remarks.push(`${rule.id}: ${verdict.why}`);
      }
      const proved = proveFailures(run, { rule, verdict, execution: executed.value, executor });
      ledger.addProbeVerdict(rule, await untilStopped(scheduler, proved));
    } catch (error) {
      ledger.addObstacle(rule, obstacleOf(rule, error));
    }
    ledger.addDuration(rule, shareMs + now() - since);
  }
}

/**
 * A profile that settles few plans may miss every plan to which a rule applies. The report then
 * lists the rule as not judged.
 */
function isMissedBySample(
  { level }: SettlementRule,
  verdict: ProbeVerdict,
  execution: Execution<Evidence[EvidenceKind]>,
  { options }: Run,
): verdict is Obstacle {
  return (
    options.profile.breadth < 1 &&
    level !== 'observe' &&
    verdict.kind === 'not-applicable' &&
    execution.kind === 'executed'
  );
}

function describeMissedKinds(
  { wanted }: Executed<unknown>,
  items: readonly Evidence[EvidenceKind][],
): string | undefined {
  const judged = new Set(items.map(({ request }) => kindOfTrade(request)));
  const missed = [...(wanted ?? [])].filter(([kind]) => !judged.has(kind));
  if (missed.length === 0) return undefined;
  return `not judged: ${missed.map(([kind, why]) => `${kind} (${why})`).join('; ')}`;
}

type JudgedExecution = {
  readonly rule: SettlementRule;
  readonly verdict: ProbeVerdict;
  readonly execution: Execution<Evidence[EvidenceKind]>;
  readonly executor: Executor | undefined;
};

/**
 * Confirms the first failure of each cause by settling its trade again, and attaches the saved
 * settlement as evidence. A failure that does not occur again is not reported, and the next failure
 * with that cause is tried.
 */
async function proveFailures(
  { options }: Run,
  { rule, verdict, execution, executor }: JudgedExecution,
): Promise<ProbeVerdict> {
  if (executor === undefined || verdict.kind !== 'judged') return verdict;
  if (execution.kind !== 'executed') return verdict;
  const findings: Finding[] = [];
  const proved = new Set<string>();
  const failing = judgeItems(rule, execution.items, options).flatMap(({ item, findings: all }) =>
    all.map(() => item),
  );
  for (const [index, finding] of verdict.findings.entries()) {
    const item = failing[index];
    const cause = causeKey(rule.id, { ...finding, endpoint: finding.exchange.endpoint });
    if (item === undefined || proved.has(cause) || proved.size >= MAX_PROVED_CAUSES_PER_RULE) {
      findings.push(finding);
      continue;
    }
    const again = await executor.confirm(item);
    const [judged] = again === undefined ? [] : judgeItems(rule, [again], options);
    if (again !== undefined && (judged?.findings ?? []).length === 0) continue;
    const mattered = (await executor.vary(item)).filter((varied) => {
      const [rejudged] = judgeItems(rule, [varied.item], options);
      return rejudged !== undefined && rejudged.findings.length === 0;
    });
    proved.add(cause);
    const same = judged?.findings.find(({ fault }) => fault === finding.fault) ?? finding;
    const names = new Set(mattered.map(({ without }) => without));
    const only = names.size === 0 ? [] : [note(`, only for ${[...names].join(' and ')}`)];
    const qualified = { ...same, actual: [...same.actual, ...only] };
    findings.push(await withEvidence(options, { rule, finding: qualified, item, executor }));
  }
  return { ...verdict, findings };
}

async function withEvidence(
  { saveEvidence, client }: Run['options'],
  proof: {
    readonly rule: SettlementRule;
    readonly finding: Finding;
    readonly item: Evidence[EvidenceKind];
    readonly executor: Executor;
  },
): Promise<Finding> {
  const { rule, finding, item, executor } = proof;
  const explanation = saveEvidence && (await executor.explain(item));
  if (saveEvidence === undefined || explanation === undefined) return finding;
  const { explained, state } = explanation;
  const text = {
    redactor: client.redactor,
    tokenOf: tokenLookup({ money: explained.transfers }),
  };
  const expected = formatStatement(finding.expected, text);
  const actual = formatStatement(finding.actual, text);
  const evidence = redactDeep<SettlementEvidence>(
    { kind: 'settlement-evidence', rule: rule.id, expected, actual, request: '', ...explained },
    client.redactor.redactSentence,
  );
  const request = client.redactor.redactTarget(finding.exchange.target);
  const file = saveEvidence({ ...evidence, request }, state);
  return { ...finding, settlement: { money: explained.transfers, evidence: file } };
}

function judgeItems<Item extends Evidence[EvidenceKind]>(
  rule: SettlementRule,
  items: readonly Item[],
  context: SettlementContext,
): readonly { readonly item: Item; readonly findings: readonly Finding[] }[] {
  return items.flatMap((item) => {
    const { exchange } = item;
    const findings = rule.judge(item, context)?.findings.map((finding) => ({
      ...finding,
      actual: [...finding.actual, note(` (${describeEvidence(item)})`)],
      exchange,
    }));
    return findings === undefined ? [] : [{ item, findings }];
  });
}

function describeFirstSkipped([first]: readonly SkippedPlan[]): string {
  return first === undefined ? '' : `${first.trade}: ${first.reason}`;
}

/** Returns the verdict of a rule on the plans that were executed for it. */
export function judgeExecution(
  rule: SettlementRule,
  execution: Execution<Evidence[EvidenceKind]>,
  context: SettlementContext,
): ProbeVerdict {
  if (execution.kind !== 'executed') return execution;
  const { items, skipped } = execution;
  const verdicts = judgeItems(rule, items, context);
  const missed = describeMissedKinds(
    execution,
    verdicts.map(({ item }) => item),
  );
  if (missed !== undefined && verdicts.every(({ findings }) => findings.length === 0)) {
    return { kind: 'could-not-run', why: missed };
  }
  if (verdicts.length === 0) {
    const why =
      skipped.length === 0
        ? ''
        : ` (${skipped.length} not tried: ${describeFirstSkipped(skipped)})`;
    return { kind: 'not-applicable', why: `no settlement showed ${rule.needs}${why}` };
  }
  const findings = verdicts.flatMap(({ findings }) => findings);
  const observed = [
    ...(rule.observe === undefined ? [] : [rule.observe(items)]),
    ...(skipped.length === 0
      ? []
      : [`${skipped.length} not tried, such as ${describeFirstSkipped(skipped)}`]),
  ].map((text) => ({ text }));
  return {
    kind: 'judged',
    checks: verdicts.length,
    findings,
    ...(observed.length > 0 && { observed }),
  };
}
