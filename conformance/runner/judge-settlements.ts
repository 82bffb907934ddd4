import { sleep } from '../client/clock.ts';
import { redactDeep } from '../client/redaction.ts';
import { RunStopped } from '../client/scheduler.ts';
import { counted } from '../contract/counted.ts';
import { messageOf } from '../contract/message-of.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import { causeKey } from '../model/cause.ts';
import type { SettlementEvidence } from '../model/evidence.ts';
import type { Executed, Execution, Executor, SkippedPlan } from '../model/executor.ts';
import { formatStatement } from '../model/format-statement.ts';
import type { Fault, Obstacle, SettlementContext, SettlementRule } from '../model/rule.ts';
import { describeEvidence, type Evidence, type EvidenceKind } from '../model/settlement.ts';
import { note, words } from '../model/statement.ts';
import { openTally, type Tally } from '../model/tally.ts';
import { kindOfTrade } from '../model/trade-request.ts';
import { obstacleOf, obstacleOfStop } from './judging.ts';
import { tokenLookup } from './known-tokens.ts';
import type { Run } from './run-state.ts';

const MAX_PROVED_CAUSES_PER_RULE = 8;

/** Reason why settlement rules do not apply in a run without a fork. */
const NO_FORK = {
  kind: 'not-applicable',
  why: 'calldata was not executed: pass --fork CHAIN=RPC',
  sharedCause: 'no-fork',
} as const satisfies Obstacle;

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
  const grace = openGrace(run);
  const open = async () =>
    openExecutor?.({
      facts: run.facts ?? NO_FACTS,
      get: (target) => run.send(target),
      ending: run.scheduler.ending,
      frozen,
      seed,
    });
  const opening = open();
  let executor: Executor | undefined;
  try {
    executor = await grace.awaitInTime(opening);
  } catch (error) {
    grace.end();
    // An executor that opens after the run has ended must not leave its nodes running.
    void opening.then((late) => late?.close()).catch(() => undefined);
    const obstacle = obstacleToExecution(error);
    for (const rule of rules) run.ledger.tallyOf(rule)?.block(obstacle);
    return;
  }
  try {
    const kinds = [...new Set(rules.map(({ evidence }) => evidence))];
    for (const kind of kinds) {
      const judging = rules.filter(({ evidence }) => evidence === kind);
      await judgeAll(
        run,
        judging,
        required(executor?.execute(kind, kinds) ?? Promise.resolve(NO_FORK)),
        { executor, grace },
      );
    }
  } finally {
    if (executor !== undefined) {
      run.remarks.push(...executor.remarks());
      // All rules are judged by now, so an executor that cannot be closed changes no verdict.
      await grace.awaitInTime(executor.close()).catch((error) => {
        if (!(error instanceof RunStopped)) run.remarks.push(describeUnclosed(error));
      });
    }
    grace.end();
  }
}

/** Returns why no executor could be opened: the run had been stopped, or opening it failed. */
function obstacleToExecution(cause: unknown): Obstacle {
  if (cause instanceof RunStopped) return obstacleOfStop(cause);
  return { kind: 'could-not-run', why: `no plan could be executed: ${messageOf(cause)}` };
}

function describeUnclosed(cause: unknown): string {
  return `whether all nodes were stopped, since closing the executor failed: ${messageOf(cause)}`;
}

/** Time in which trades and nodes may still finish after the run was stopped. */
const MAX_MS_AFTER_STOP = 1_000;

type Grace = {
  /** @throws {RunStopped} if the work is not done shortly after the run was stopped. */
  readonly awaitInTime: <T>(work: Promise<T>) => Promise<T>;
  readonly end: () => void;
};

function openGrace({ scheduler, options }: Run): Grace {
  const { ending } = scheduler;
  const done = new AbortController();
  const over = new Promise<void>((resolve) => {
    const wait = () => void sleep(options.clock, MAX_MS_AFTER_STOP, done.signal).then(resolve);
    if (ending.aborted) wait();
    ending.addEventListener('abort', wait, { signal: done.signal });
  });
  const refuse = async (): Promise<never> => {
    await over;
    // Work that only reads results of earlier work may still finish.
    await new Promise((resolve) => setImmediate(resolve));
    throw new RunStopped(scheduler.stopped ?? 'the run was ended');
  };
  return {
    awaitInTime: (work) => Promise.race([work, refuse()]),
    end: () => done.abort(),
  };
}

async function judgeAll(
  run: Run,
  rules: readonly SettlementRule[],
  executing: Promise<Execution<Evidence[EvidenceKind]>>,
  { executor, grace }: { readonly executor: Executor | undefined; readonly grace: Grace },
): Promise<void> {
  const { ledger, options } = run;
  const { now } = options.clock;
  const startedAtMs = now();
  const [executed] = await Promise.allSettled([grace.awaitInTime(executing)]);
  const shareMs = (now() - startedAtMs) / rules.length;
  for (const rule of rules) {
    const since = now();
    const tally = ledger.tallyOf(rule);
    if (tally === undefined) continue;
    try {
      if (executed.status === 'rejected') throw executed.reason;
      const execution = executed.value;
      const judged = judgeExecution(rule, execution, options, tally);
      if (isMissedBySample(tally, execution, run)) {
        run.remarks.push(`${rule.id}: ${tally.obstacle?.why}`);
      }
      await grace.awaitInTime(reportProved(run, { rule, judged, executor, tally }));
    } catch (error) {
      tally.block(obstacleOf(rule, error));
    }
    tally.durationMs += shareMs + now() - since;
  }
}

/**
 * A profile that settles few plans may miss every plan to which a rule applies. The report then
 * lists the rule as not judged.
 */
function isMissedBySample(
  { rule: { level }, obstacle }: Tally,
  execution: Execution<Evidence[EvidenceKind]>,
  { options }: Run,
): boolean {
  return (
    options.profile.breadth < 1 &&
    level !== 'observe' &&
    obstacle?.kind === 'not-applicable' &&
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

/** A plan to which a rule applies, and the rule's faults in it. */
type JudgedItem<Item = Evidence[EvidenceKind]> = {
  readonly item: Item;
  readonly faults: readonly Fault[];
};

type JudgedPlans = {
  readonly rule: SettlementRule;
  readonly judged: readonly JudgedItem[];
  readonly executor: Executor | undefined;
  readonly tally: Tally;
};

/**
 * Reports one assertion for each plan. Settles the first failure of each cause again, and attaches
 * the saved settlement as evidence. A failure that does not occur again is not reported, and the
 * next failure with that cause is tried. A failure that cannot be settled again, for example
 * because the node has discarded its block, is no finding, but without any the rule does not pass.
 */
async function reportProved(
  { options, remarks }: Run,
  { rule, judged, executor, tally }: JudgedPlans,
): Promise<void> {
  const proved = new Set<string>();
  const unconfirmed: Fault[] = [];
  for (const { item, faults } of judged) {
    const { exchange } = item;
    const reported: Fault[] = [];
    for (const fault of faults) {
      const cause = causeKey(rule.id, { ...fault, endpoint: exchange.endpoint });
      if (
        executor === undefined ||
        proved.has(cause) ||
        proved.size >= MAX_PROVED_CAUSES_PER_RULE
      ) {
        reported.push(fault);
        continue;
      }
      const again = await executor.confirm(item);
      if (again === undefined) {
        unconfirmed.push(fault);
        continue;
      }
      const found = judgeItem(rule, again, options);
      if (found === undefined || found.length === 0) continue;
      if (typeof found === 'string') {
        unconfirmed.push(fault);
        continue;
      }
      const mattered = (await executor.vary(item)).filter(
        (varied) => judgeItem(rule, varied.item, options)?.length === 0,
      );
      proved.add(cause);
      const same = found.find((each) => each.fault === fault.fault) ?? fault;
      const names = new Set(mattered.map(({ changed }) => changed));
      const only = names.size === 0 ? [] : [note(`, only for ${[...names].join(' and ')}`)];
      const qualified = { ...same, actual: [...same.actual, ...only] };
      reported.push(await withEvidence(options, { rule, fault: qualified, item, executor }));
    }
    tally.check(reported, exchange);
  }
  const [first] = unconfirmed;
  if (first === undefined) return;
  const why = `${counted(unconfirmed.length, 'failure')} could not be confirmed, since the node no longer settled the trade: ${formatStatement(first.actual)}`;
  if (proved.size > 0) remarks.push(`${rule.id}: ${why}`);
  else tally.block({ kind: 'could-not-run', why });
}

async function withEvidence(
  {
    saveEvidence,
    service: {
      client: { redactor },
    },
  }: Run['options'],
  proof: {
    readonly rule: SettlementRule;
    readonly fault: Fault;
    readonly item: Evidence[EvidenceKind];
    readonly executor: Executor;
  },
): Promise<Fault> {
  const { rule, fault, item, executor } = proof;
  const explanation = saveEvidence && (await executor.explain(item));
  if (saveEvidence === undefined || explanation === undefined) return fault;
  const { explained, state } = explanation;
  const text = {
    redactor,
    tokenOf: tokenLookup({ money: explained.transfers }),
  };
  const expected = formatStatement(fault.expected, text);
  const actual = formatStatement(fault.actual, text);
  const evidence = redactDeep<SettlementEvidence>(
    { kind: 'settlement-evidence', rule: rule.id, expected, actual, request: '', ...explained },
    redactor.redactSentence,
  );
  const request = redactor.redactTarget(item.exchange.target);
  const file = saveEvidence({ ...evidence, request }, state);
  return { ...fault, settlement: { money: explained.transfers, evidence: file } };
}

/**
 * Returns the faults of a rule in one plan, or the reason why the rule cannot judge the plan;
 * undefined if the rule does not apply to it.
 */
function judgeItem(
  rule: SettlementRule,
  item: Evidence[EvidenceKind],
  { tolerancePpm }: SettlementContext,
): readonly Fault[] | string | undefined {
  const { tally, faults } = openTally(rule);
  rule.check({ ...item, tolerancePpm }, tally);
  if (tally.checks === 0) {
    return tally.obstacle?.kind === 'could-not-run' ? tally.obstacle.why : undefined;
  }
  return faults.map((fault) => ({
    ...fault,
    actual: [...fault.actual, note(` (${describeEvidence(item)})`)],
  }));
}

function checkTokens(skipped: readonly SkippedPlan[], tally: Tally): void {
  for (const { kind, exchange, reason, trade } of skipped) {
    if (kind !== 'wrong-token' || exchange === undefined) continue;
    const fault: Fault = {
      fault: 'wrong-token',
      expected: words`a plan for the requested tokens`,
      actual: words`not settled, because ${note(reason)} (${note(trade)})`,
    };
    tally.check(fault, exchange);
  }
}

function describeSkipped(skipped: readonly SkippedPlan[]): string {
  const [first] = skipped;
  return `${skipped.length} not judged, such as ${first?.trade}: ${first?.reason}`;
}

/**
 * Judges the plans that were executed for a rule. Returns those to which the rule applies; none if
 * the tally has the reason why the rule could not judge.
 */
export function judgeExecution(
  rule: SettlementRule,
  execution: Execution<Evidence[EvidenceKind]>,
  context: SettlementContext,
  tally: Tally,
): readonly JudgedItem[] {
  if (execution.kind !== 'executed') {
    tally.excuse(execution);
    return [];
  }
  const { items } = execution;
  const skipped = [...execution.skipped];
  if (rule.failsForWrongTokens) checkTokens(skipped, tally);
  const judged: JudgedItem[] = [];
  // No service passes a rule with trades that it makes too large to examine.
  const untraceable: SkippedPlan[] = [];
  for (const item of items) {
    const faults = judgeItem(rule, item, context);
    if (typeof faults === 'string') {
      const open = { trade: describeEvidence(item), kind: 'not-read', reason: faults } as const;
      skipped.push(open);
      if ('isUntraceable' in item && item.isUntraceable) untraceable.push(open);
    } else if (faults !== undefined) judged.push({ item, faults });
  }
  const missed = describeMissedKinds(
    execution,
    judged.map(({ item }) => item),
  );
  const open = missed ?? (untraceable.length > 0 ? describeSkipped(untraceable) : undefined);
  if (open !== undefined && judged.every(({ faults }) => faults.length === 0)) {
    tally.stuck(open);
    return [];
  }
  if (judged.length === 0) {
    const why = skipped.length === 0 ? '' : ` (${describeSkipped(skipped)})`;
    const isStuck = skipped.length > execution.skipped.length;
    tally[isStuck ? 'stuck' : 'skip'](`no settlement showed ${rule.needs}${why}`);
    return [];
  }
  if (rule.observe !== undefined) tally.observe(rule.observe(items));
  if (skipped.length > 0) tally.observe(describeSkipped(skipped));
  return judged;
}
