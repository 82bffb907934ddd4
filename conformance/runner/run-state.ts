import { type Exchange, excerptOf, isFault, statusOf } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { RunStopped, Scheduler } from '../client/scheduler.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Progress, RunListener } from '../model/events.ts';
import type { ProbeRule, Rule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { type Judging, openJudging } from './judging.ts';
import type { RequestSource } from './ledger.ts';
import { pairOf } from './pair-coverage.ts';
import { type RunOptions, resolveOptions } from './run-options.ts';

/** The state of one run, which its phases read and update. */
export type Run = Judging<ReturnType<typeof resolveOptions>> & {
  readonly listener: RunListener;
  readonly scheduler: Scheduler;
  /** Start of the run, by its clock. */
  readonly startedAtMs: number;
  /** Durations of exchanges in milliseconds, by operation. */
  readonly durations: Map<string, number[]>;
  phase: Progress['phase'];
  /** Facts from discovery; undefined until it has ended. */
  facts: Facts | undefined;
  /** Returns the estimated time to the end of the run. Unset until discovery has ended. */
  leftMs: (() => number | undefined) | undefined;
  /** Number of requests served before the traffic began; undefined until then. */
  servedBeforeTraffic: number | undefined;
  /**
   * The reason why nothing can be judged: the service cannot be reached, rejects the key, or lacks
   * a requested chain.
   */
  unreachable: string | undefined;
  replies: number;
  /** Requests that are being sent, judged or reported. */
  readonly underway: Set<Promise<unknown>>;
  /**
   * The participating probes. If any reply rule takes part, all probes do. The reply rules then
   * judge the same replies, whatever else was selected.
   */
  readonly probes: readonly ProbeRule[];
  probesDone: number;
  /** Shares work between probes, so that it is done only once. */
  readonly share: NonNullable<Session['share']>;
  /**
   * The smallest breadth of any probe so far.
   *
   * @see breadthOf
   */
  minBreadth: number;
  /** Phrases that name trades, tokens or chains for which no plan could be settled. */
  readonly remarks: string[];
  /** Sentence that explains why the run ended itself early; undefined if it did not. */
  endedBy: string | undefined;
  /** The current series of requests without a reply, if any. */
  silence: Silence | undefined;
  /**
   * Pairs for which the service returned a plan.
   *
   * @see pairOf
   */
  readonly plannedPairs: Set<string>;
};

/**
 * Returns a run that has not yet sent a request.
 *
 * @throws {UnknownRuleError} if an entry of `only` matches nothing.
 */
export function openRun(given: RunOptions, listener: RunListener): Run {
  const options = resolveOptions(given);
  const judging = openJudging(options, options.generator.weigh);
  return {
    ...judging,
    listener,
    scheduler: new Scheduler({
      ...options,
      onRateLimited: (waitMs) => listener({ type: 'rate-limited', waitMs }),
    }),
    startedAtMs: options.clock.now(),
    durations: new Map(),
    phase: 'discovery',
    facts: undefined,
    leftMs: undefined,
    servedBeforeTraffic: undefined,
    unreachable: options.obstacle,
    replies: 0,
    underway: new Set(),
    probes: sendingRules(options.rules, judging.rules),
    probesDone: 0,
    share: createWorkCache(),
    minBreadth: options.profile.breadth,
    remarks: [],
    endedBy: undefined,
    silence: undefined,
    plannedPairs: new Set(),
  };
}

function sendingRules(all: readonly Rule[], selected: readonly Rule[]): readonly ProbeRule[] {
  const rules = selected.some(judgesAnyReply) ? all : selected;
  return rules.filter((rule): rule is ProbeRule => 'run' in rule);
}

/** Returns whether a rule judges any reply, whatever request led to it. */
export function judgesAnyReply({ kind }: Rule): boolean {
  return kind === 'reply' || kind === 'exchange';
}

/**
 * Sends one request. The reply rules judge each try. Large bodies are dropped after that.
 *
 * @throws {RunStopped} if no more requests may be sent.
 */
export function send(run: Run, target: RequestTarget): Promise<Exchange> {
  const sending = sendAndJudge(run, target);
  run.underway.add(sending);
  return sending.finally(() => run.underway.delete(sending));
}

async function sendAndJudge(run: Run, target: RequestTarget): Promise<Exchange> {
  const failed: Exchange[] = [];
  let isServed = false;
  try {
    const tries = run.scheduler.tries(target);
    for (;;) {
      const { done, value: exchange } = await tries.next();
      if (done) return run.facts === undefined ? exchange : withoutLargeBody(exchange);
      isServed = statusOf(exchange) === 200;
      // Failed tries are judged later, once we know whether the service fails at random.
      if (isFault(exchange)) failed.push(exchange);
      else judgeReply(run, exchange, { target });
    }
  } finally {
    for (const exchange of failed) judgeReply(run, exchange, { target }, isServed);
  }
}

function judgeReply(
  run: Run,
  exchange: Exchange,
  source: RequestSource,
  isServedLater = false,
): void {
  const { outcome, endpoint = 'other', durationMs } = exchange;
  if (exchange.id === 1 && outcome.kind === 'no-reply' && isUnreachable(outcome.cause)) {
    run.unreachable = `The service could not be reached: ${outcome.message}.`;
    run.scheduler.stop(run.unreachable);
    return;
  }
  noteSilence(run, exchange);
  if (outcome.kind === 'reply') run.replies++;
  if (endpoint === 'swap' && statusOf(exchange) === 200) run.plannedPairs.add(pairOf(exchange));
  const durations = run.durations.get(endpoint);
  if (durations === undefined) run.durations.set(endpoint, [durationMs]);
  else durations.push(durationMs);
  run.judge(exchange, run.facts, source, isServedLater);
  run.listener({ type: 'exchange', exchange });
  reportProgress(run);
}

function createWorkCache(): NonNullable<Session['share']> {
  const results = new Map<string, Promise<unknown>>();
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const result = (results.get(name) as Promise<T> | undefined) ?? work();
    results.set(name, result);
    return result;
  };
}

/** Consecutive requests without a reply. */
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

/**
 * Maximum length of a stored reply. Larger replies are judged and then dropped, since a probe that
 * stored many of them would exhaust the memory.
 */
const MAX_KEPT_CHARACTERS = 500_000;

function withoutLargeBody(exchange: Exchange): Exchange {
  const { outcome } = exchange;
  if (outcome.kind !== 'reply' || outcome.text.length <= MAX_KEPT_CHARACTERS) return exchange;
  const { status, headers, text: body } = outcome;
  const [text, characters] = [excerptOf(body), body.length];
  return { ...exchange, outcome: { kind: 'large-reply', status, headers, text, characters } };
}

/** Starts a phase and reports it. */
export function enterPhase(run: Run, phase: Progress['phase']): void {
  run.phase = phase;
  reportProgress(run);
}

/** Reports the progress of the run to the listener. */
export function reportProgress(run: Run): void {
  if (run.options.bail && run.facts !== undefined) endOnFailure(run);
  const { phase, scheduler, ledger, probesDone, probes, startedAtMs, options } = run;
  run.listener({
    type: 'progress',
    progress: {
      phase,
      requests: scheduler.sent,
      failing: [...ledger.tallies.values()].filter(({ causes }) => causes.size > 0).length,
      probesDone,
      probes: probes.length,
      rateLimited: scheduler.rateLimited,
      leftMs: run.leftMs?.(),
      elapsedMs: options.clock.now() - startedAtMs,
    },
  });
}

function endOnFailure(run: Run): void {
  const failed = firstFailed(run);
  if (failed !== undefined)
    endRun(run, `--bail: ${failed} failed`, 'The run was cut short by --bail.');
}

/** Stops sending requests. In the verdict, `sentence` follows the failures. */
export function endRun(run: Run, why: string, sentence: string): void {
  if (run.scheduler.stopped !== undefined) return;
  run.endedBy = sentence;
  run.scheduler.stop(why);
}

/**
 * Returns the id of a rule that counts against the verdict and has a failure that no waiver covers.
 */
export function firstFailed({ options, ledger }: Run, ids?: readonly string[]): string | undefined {
  const failed = [...ledger.tallies.values()].find(
    ({ rule, causes }) =>
      (rule.level === 'must' || rule.level === options.level) &&
      (ids === undefined || ids.includes(rule.id)) &&
      [...causes.values()].some(({ waiver }) => waiver === undefined),
  );
  return failed?.rule.id;
}

/** Returns the result of the work, or `fallback` if the run is stopped first. */
export async function withFallbackIfStopped<T>(work: Promise<T>, fallback: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RunStopped) return fallback;
    throw error;
  }
}
