import { type Exchange, excerptOf, statusOf } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { createScheduler, RunStopped, type Scheduler } from '../client/scheduler.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Progress, RunListener } from '../model/events.ts';
import type { ProbeRule } from '../model/rule.ts';
import { type Judging, openJudging } from './judging.ts';
import type { RequestSource } from './ledger.ts';
import { pairOf } from './pair-coverage.ts';
import { type RunOptions, resolveOptions } from './run-options.ts';

/** One run: what it works with, and how far it has come. Each phase reads it and writes down what it learns. */
export type Run = Judging<ReturnType<typeof resolveOptions>> & {
  readonly listener: RunListener;
  readonly scheduler: Scheduler;
  /** When it began, by the clock of the run. */
  readonly startedAtMs: number;
  /** How long exchanges took, in milliseconds, by operation. */
  readonly durations: Map<string, number[]>;
  phase: Progress['phase'];
  /** Undefined until discovery has ended. */
  facts: Facts | undefined;
  /** About how many requests it sends in all; undefined until discovery has ended. */
  expectedRequests: number | undefined;
  /** Why there is nothing to judge: the service cannot be reached, refuses the key, or lacks a chain that was named. */
  unreachable: string | undefined;
  replies: number;
  /** Requests whose replies are waited for, judged or told of. */
  readonly underway: Set<Promise<unknown>>;
  readonly probes: readonly ProbeRule[];
  probesDone: number;
  /** Of all probes so far. @see breadthOf */
  leastBreadth: number;
  /** What was skipped while settling plans, each as a clause. */
  readonly remarks: string[];
  /** Whether `--bail` ended the run. */
  isBailed: boolean;
  /** The unbroken series of requests without a reply at the end of the run so far. */
  silence: Silence | undefined;
  /** Pairs that were answered with a plan. @see pairKey */
  readonly plannedPairs: Set<string>;
};

/**
 * A run that has sent nothing yet.
 *
 * @throws {UnknownRuleError} when `only` names nothing.
 */
export function openRun(given: RunOptions, listener: RunListener): Run {
  const options = resolveOptions(given);
  const judging = openJudging(options, options.generator.weigh);
  return {
    ...judging,
    listener,
    scheduler: createScheduler({
      ...options,
      onRateLimited: (waitMs) => listener({ type: 'rate-limited', waitMs }),
    }),
    startedAtMs: options.clock.now(),
    durations: new Map(),
    phase: 'discovery',
    facts: undefined,
    expectedRequests: undefined,
    unreachable: options.hindrance,
    replies: 0,
    underway: new Set(),
    probes: judging.rules.filter((rule): rule is ProbeRule => 'run' in rule),
    probesDone: 0,
    leastBreadth: options.profile.breadth,
    remarks: [],
    isBailed: false,
    silence: undefined,
    plannedPairs: new Set(),
  };
}

/**
 * Sends one request; the rules on replies judge what comes of it.
 *
 * @throws {RunStopped} when nothing more may be sent.
 */
export function send(run: Run, target: RequestTarget): Promise<Exchange> {
  const source = { target };
  const exchange = run.scheduler.get(target, (exchange) => inspect(run, exchange, source));
  const leave = () => void run.underway.delete(exchange);
  run.underway.add(exchange);
  exchange.then(leave, leave);
  return exchange;
}

function inspect(run: Run, exchange: Exchange, source: RequestSource): Exchange {
  const { outcome, endpoint = 'other', durationMs } = exchange;
  if (exchange.id === 1 && outcome.kind === 'no-reply' && isUnreachable(outcome.cause)) {
    run.unreachable = `The service could not be reached: ${outcome.message}.`;
    run.scheduler.stop(run.unreachable);
    return exchange;
  }
  noteSilence(run, exchange);
  if (outcome.kind === 'reply') run.replies++;
  if (endpoint === 'swap' && statusOf(exchange) === 200) run.plannedPairs.add(pairOf(exchange));
  const durations = run.durations.get(endpoint);
  if (durations === undefined) run.durations.set(endpoint, [durationMs]);
  else durations.push(durationMs);
  run.judge(exchange, run.facts, source);
  run.listener({ type: 'exchange', exchange });
  reportProgress(run);
  return run.facts === undefined ? exchange : withoutLargeBody(exchange);
}

/** Requests in a row without a reply, from the first one on. */
export type Silence = {
  readonly since: number;
  readonly message: string;
  readonly requests: number;
};

function noteSilence(run: Run, { id, outcome }: Exchange): void {
  if (outcome.kind !== 'no-reply') run.silence = undefined;
  else if (run.silence === undefined) {
    run.silence = { since: id, message: outcome.message, requests: 1 };
  } else run.silence = { ...run.silence, requests: run.silence.requests + 1 };
}

function isUnreachable(cause: string): boolean {
  return cause === 'refused' || cause === 'network';
}

/** A reply larger than this is judged, then dropped: a probe that kept many would fill the memory. */
const MAX_KEPT_CHARACTERS = 500_000;

function withoutLargeBody(exchange: Exchange): Exchange {
  const { outcome } = exchange;
  if (outcome.kind !== 'reply' || outcome.text.length <= MAX_KEPT_CHARACTERS) return exchange;
  const { status, headers, text: body } = outcome;
  const [text, characters] = [excerptOf(body), body.length];
  return { ...exchange, outcome: { kind: 'large-reply', status, headers, text, characters } };
}

/** Begins a phase, and says so. */
export function enterPhase(run: Run, phase: Progress['phase']): void {
  run.phase = phase;
  reportProgress(run);
}

/** Tells the listener how far the run is. */
export function reportProgress(run: Run): void {
  if (run.options.bail && run.facts !== undefined) bailOut(run);
  const { phase, scheduler, ledger, probesDone, probes, startedAtMs, options } = run;
  run.listener({
    type: 'progress',
    progress: {
      phase,
      requests: scheduler.sent(),
      failing: [...ledger.tallies.values()].filter(({ causes }) => causes.size > 0).length,
      probesDone,
      probes: probes.length,
      expectedRequests: run.expectedRequests,
      elapsedMs: options.clock.now() - startedAtMs,
    },
  });
}

/** Ends the run if a rule that counts has failed in a way that no waiver covers. */
function bailOut(run: Run): void {
  const { options, ledger, waivers, scheduler } = run;
  const failed = [...ledger.tallies.values()].find(
    ({ rule, causes }) =>
      (rule.level === 'must' || rule.level === options.level) &&
      [...causes.values()].some(({ query }) => waivers.cover(rule.id, query) === undefined),
  );
  if (failed === undefined || scheduler.stopped() !== undefined) return;
  run.isBailed = true;
  scheduler.stop(`--bail: ${failed.rule.id} failed`);
}

/** What the work returns, or `otherwise` where the run was stopped before its end. */
export async function unlessStopped<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RunStopped) return otherwise;
    throw error;
  }
}
