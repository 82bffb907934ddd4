import { type Exchange, excerptOf, isFault, statusOf } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { RunStopped, type Scheduler } from '../client/scheduler.ts';
import { type Endpoint, endpointOf } from '../contract/paths.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Progress, RunListener } from '../model/events.ts';
import type { ProbeRule, Rule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { createReplyJudge, openJudging, type ReplyJudge } from './judging.ts';
import { Ledger, type RequestSource } from './ledger.ts';
import { judgesAnyReply, Pace } from './pace.ts';
import { pairOf } from './pair-coverage.ts';
import { type RunOptions, resolveOptions } from './run-options.ts';

/** Consecutive requests without a reply. */
type Silence = {
  readonly since: number;
  readonly message: string;
  readonly requests: number;
};

/** Phases in which the number of requests does not determine the time that is left. */
const UNPREDICTABLE: readonly Progress['phase'][] = [
  'discovery',
  'repeating',
  'settlement',
  'shrinking',
  'verifying',
];

/** One run: sends its requests, judges the replies, and reports its progress. */
export class Run {
  readonly judging: ReturnType<typeof openJudging<ReturnType<typeof resolveOptions>>>;
  readonly listener: RunListener;
  readonly scheduler: Scheduler;
  readonly pace: Pace;
  /**
   * The participating probes. If any reply rule takes part, all probes do. The reply rules then
   * judge the same replies, whatever else was selected.
   */
  readonly probes: readonly ProbeRule[];
  /** The only operations whose replies the selected rules judge; undefined for all of them. */
  readonly operations: ReadonlySet<Endpoint> | undefined;
  /** Shares work between probes, so that it is done only once. */
  readonly share = createWorkCache();
  /** Facts from discovery; undefined until it has ended. */
  facts: Facts | undefined;
  /**
   * The reason why nothing can be judged: the service cannot be reached, rejects the key, or lacks
   * a requested chain.
   */
  unreachable: string | undefined;
  replies = 0;
  /**
   * Numbers of requests that were not sent because their operation no longer responds, by reason.
   */
  readonly unsent = new Map<string, number>();
  /** Clauses that name what could not be judged, such as trades, tokens or chains. */
  readonly remarks: string[] = [];
  /** Sentence that explains why the run ended itself early; undefined if it did not. */
  endedBy: string | undefined;
  /** The current series of requests without a reply, if any. */
  silence: Silence | undefined;
  /**
   * Pairs for which the service returned a plan.
   *
   * @see pairOf
   */
  readonly plannedPairs = new Set<string>();
  #phase: Progress['phase'] = 'discovery';
  /** Judges replies instead of the run's own ledger; undefined before failures are repeated. */
  #judgeRepeat: ReplyJudge | undefined;
  /** Requests that are being sent, judged or reported. */
  readonly #underway = new Set<Promise<unknown>>();

  /** @throws {UnknownRuleError} if an entry of `only` matches nothing. */
  constructor(given: RunOptions, listener: RunListener) {
    const options = resolveOptions(given);
    this.judging = openJudging(options, options.generator.weigh);
    this.listener = listener;
    this.scheduler = options.service.scheduler;
    this.scheduler.onRateLimited = (waitMs) => listener({ type: 'rate-limited', waitMs });
    this.probes = sendingRules(options.rules, this.rules);
    this.operations = judgedOperations(this.rules);
    this.pace = new Pace(options, this.scheduler, this);
    this.unreachable = options.obstacle;
  }

  get options() {
    return this.judging.options;
  }

  /** The participating rules. */
  get rules() {
    return this.judging.rules;
  }

  get ledger() {
    return this.judging.ledger;
  }

  /**
   * Sends one request. The reply rules judge each try. Large bodies are dropped after that.
   *
   * @throws {RunStopped} if no more requests may be sent.
   */
  send(target: RequestTarget): Promise<Exchange> {
    const sending = this.#sendAndJudge(target);
    this.#underway.add(sending);
    return sending.finally(() => this.#underway.delete(sending));
  }

  /**
   * Like `send`, but if the request may not be sent, returns an exchange without a reply. The
   * report then lists how many requests to an operation were not sent.
   */
  async trySend(target: RequestTarget): Promise<Exchange> {
    try {
      return await this.send(target);
    } catch (error) {
      if (!(error instanceof RunStopped)) throw error;
      const { message, scope } = error;
      if (scope === 'operation') this.unsent.set(message, (this.unsent.get(message) ?? 0) + 1);
      return notSent(target, message);
    }
  }

  /** The reason why the run sends nothing more; undefined while it may still send requests. */
  get whyOver(): string | undefined {
    return this.scheduler.stopped ?? this.scheduler.spent;
  }

  /** Waits for the requests that are being sent, judged or reported. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underway);
  }

  /**
   * From now on, judges replies in a separate ledger, which is returned. A repeat thus changes no
   * verdict and no count of the run.
   */
  beginRepeats(): Ledger {
    const { rules, options } = this;
    const { tolerancePpm, clock } = options;
    const ledger = new Ledger({ rules, weigh: options.generator.weigh });
    this.#judgeRepeat = createReplyJudge({ rules, ledger, tolerancePpm, clock });
    return ledger;
  }

  async #sendAndJudge(target: RequestTarget): Promise<Exchange> {
    const failed: Exchange[] = [];
    let isServed = false;
    try {
      const tries = this.scheduler.tries(target);
      for (;;) {
        const { done, value: exchange } = await tries.next();
        if (done) return this.facts === undefined ? exchange : withoutLargeBody(exchange);
        isServed = statusOf(exchange) === 200;
        // Failed tries are judged later, once we know whether the service fails at random.
        if (isFault(exchange)) failed.push(exchange);
        else this.#judgeReply(exchange, { target });
      }
    } finally {
      for (const exchange of failed) this.#judgeReply(exchange, { target }, isServed);
    }
  }

  #judgeReply(exchange: Exchange, source: RequestSource, isServedLater = false): void {
    const { outcome, endpoint = 'other', durationMs } = exchange;
    if (exchange.id === 1 && outcome.kind === 'no-reply' && isUnreachable(outcome.cause)) {
      this.unreachable = `The service could not be reached: ${outcome.message}.`;
      this.scheduler.stop(this.unreachable);
      return;
    }
    if (outcome.kind === 'reply') this.replies++;
    this.pace.add(endpoint, durationMs);
    if (this.#judgeRepeat === undefined) {
      this.#noteSilence(exchange);
      const isPlan = endpoint === 'swap' && statusOf(exchange) === 200;
      if (isPlan) this.plannedPairs.add(pairOf(exchange));
      this.judging.judge(exchange, this.facts, source, isServedLater);
    } else this.#judgeRepeat(exchange, this.facts, source, isServedLater);
    this.listener({ type: 'exchange', exchange });
    this.reportProgress();
  }

  #noteSilence({ id, outcome }: Exchange): void {
    if (outcome.kind !== 'no-reply') this.silence = undefined;
    else {
      const { since = id, requests = 0, message = outcome.message } = this.silence ?? {};
      this.silence = { since, message, requests: requests + 1 };
    }
  }

  /** Starts a phase and reports it. */
  enterPhase(phase: Progress['phase']): void {
    this.#phase = phase;
    this.reportProgress();
  }

  /** Reports the progress of the run to the listener. */
  reportProgress(): void {
    if (this.options.bail && this.facts !== undefined) this.#endOnFailure();
    const { scheduler, ledger, pace, probes } = this;
    const phase = this.#phase;
    this.listener({
      type: 'progress',
      progress: {
        phase,
        requests: scheduler.sent,
        failing: [...ledger.tallies.values()].filter(({ causes }) => causes.size > 0).length,
        probesDone: pace.probesDone,
        probes: probes.length,
        rateLimited: scheduler.rateLimited,
        leftMs: UNPREDICTABLE.includes(phase) ? undefined : pace.expectedMs(),
        elapsedMs: pace.elapsedMs,
      },
    });
  }

  #endOnFailure(): void {
    const failed = this.firstFailed();
    if (failed !== undefined)
      this.end(`--bail: ${failed} failed`, 'The run was cut short by --bail.');
  }

  /** Stops sending requests. In the verdict, `sentence` follows the failures. */
  end(why: string, sentence: string): void {
    if (this.scheduler.stopped !== undefined) return;
    this.endedBy = sentence;
    this.scheduler.stop(why);
  }

  /**
   * Returns the id of a rule that counts against the verdict and has a failure that no waiver
   * covers.
   */
  firstFailed(ids?: readonly string[]): string | undefined {
    const failed = [...this.ledger.tallies.values()].find(
      ({ rule, causes }) =>
        (rule.level === 'must' || rule.level === this.options.level) &&
        (ids === undefined || ids.includes(rule.id)) &&
        [...causes.values()].some(({ waiver }) => waiver === undefined),
    );
    return failed?.rule.id;
  }
}

function sendingRules(all: readonly Rule[], selected: readonly Rule[]): readonly ProbeRule[] {
  const rules = selected.some(judgesAnyReply) ? all : selected;
  return rules.filter(
    (rule): rule is ProbeRule => rule.kind === 'probe' || rule.kind === 'relation',
  );
}

/** A rule that sends requests may need any operation, so then none is excluded. */
function judgedOperations(rules: readonly Rule[]): ReadonlySet<Endpoint> | undefined {
  const operations = rules.map((rule) => (rule.kind === 'reply' ? rule.endpoint : undefined));
  const judged = operations.filter((operation) => operation !== undefined);
  return judged.length === operations.length ? new Set(judged) : undefined;
}

/** Returns a function that does each piece of work only once, by its name. */
export function createWorkCache(): NonNullable<Session['share']> {
  const results = new Map<string, Promise<unknown>>();
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const result = (results.get(name) as Promise<T> | undefined) ?? work();
    results.set(name, result);
    return result;
  };
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

/** Returns the exchange of a request that was not sent. */
export function notSent({ path }: RequestTarget, message: string): Exchange {
  return {
    ...{ id: 0, endpoint: endpointOf(path), origin: 'sent', method: 'GET', target: path },
    ...{ query: [], startedAtMs: 0, durationMs: 0 },
    outcome: { kind: 'no-reply', cause: 'aborted', message },
  };
}
