import type { Client } from '../client/client.ts';
import type { Exchange } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { discover, NO_FACTS } from '../discovery/discover.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Execution } from '../execution/execution.ts';
import type { RunListener } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import type { ProbeRule, Rule } from '../model/rule.ts';
import { RunStopped, type Session, type Simplify, type Traffic } from '../model/session.ts';
import { concludeRun } from './conclude.ts';
import { createJury } from './jury.ts';
import { type Asked, createLedger } from './ledger.ts';
import { inParallel } from './parallel.ts';
import { runProbe } from './probe.ts';
import { createProgressReporter } from './progress-reporter.ts';
import { describeRefusedKey } from './refused-key.ts';
import { createScheduler } from './scheduler.ts';
import { selectRules } from './selection.ts';
import { shrinkCauses } from './shrink.ts';
import { createTimings } from './timings.ts';
import type { Gate } from './verdict.ts';
import { openWaivers, type Waiver } from './waivers.ts';

/** Makes requests beside those of the probes, and makes failing ones smaller. */
export type Generator = {
  readonly traffic: Traffic;
  readonly simplify: Simplify;
  readonly weigh: (target: RequestTarget) => number;
};

export type RunOptions = {
  readonly client: Client;
  /** What the report says was judged: the base URL. */
  readonly target: string;
  readonly rules: readonly Rule[];
  readonly generator: Generator;
  /** Written into the report. */
  readonly version: string;
  /** Default 1. */
  readonly seed?: number;
  /** Chain ids; default, all that the service names. */
  readonly chains?: readonly number[];
  /** Rule ids, clause ids or sections; default, all. */
  readonly only?: readonly string[];
  /** `should` makes `should` failures count, `must` leaves out all but `must`. Default: all run, `must` counts. */
  readonly level?: Gate;
  /** Default: as many as the probes and the traffic need. */
  readonly maxRequests?: number;
  /** Default 600 s. */
  readonly maxTimeMs?: number;
  /** Requests a second; default, as fast as the service answers. */
  readonly rate?: number;
  /** Requests at once; default 8. */
  readonly concurrency?: number;
  /** Default 1. */
  readonly tolerancePpm?: number;
  /** The market does not move. Default false. */
  readonly frozen?: boolean;
  readonly waivers?: readonly Waiver[];
  /** Executes plans on forked chains; unset, rules on that do not apply. */
  readonly execution?: Execution;
  /** Ends the run early; the report is written all the same. */
  readonly signal?: AbortSignal;
};

/** A reply larger than this is judged, then dropped: a probe that kept many would fill the memory. */
const MAX_KEPT_CHARACTERS = 500_000;

/**
 * Judges a service by the catalogue and tells `listener` about it as it goes.
 * Resolves with the report however the service behaves.
 *
 * @throws {UnknownRuleError} when `only` names nothing.
 */
export async function runConformance(
  options: RunOptions,
  listener: RunListener = () => undefined,
): Promise<Report> {
  const { client, target, seed = 1, concurrency = 8, tolerancePpm = 1, frozen = false } = options;
  const startedAt = new Date();
  const { selected, leftOut } = selectRules(options.rules, {
    only: options.only ?? [],
    level: options.level,
  });
  const probes = selected.filter((rule): rule is ProbeRule => rule.kind === 'probe');
  const waivers = openWaivers(options.waivers ?? [], startedAt.toISOString().slice(0, 10));
  const ledger = createLedger({
    rules: selected,
    weigh: options.generator.weigh,
    apart: waivers.apart,
  });
  const jury = createJury(selected, ledger, tolerancePpm);
  const timings = createTimings();
  const scheduler = createScheduler({
    client,
    concurrency,
    rate: options.rate,
    maxRequests: options.maxRequests,
    onRateLimited: (waitMs) => listener({ type: 'rate-limited', waitMs }),
  });
  const progress = createProgressReporter({ listener, ledger, scheduler, probes: probes.length });
  let facts: Facts | undefined;
  let unreachable: string | undefined;
  let replies = 0;

  const inspect = (exchange: Exchange, asked: Asked) => {
    const { outcome } = exchange;
    if (
      exchange.id === 1 &&
      outcome.kind === 'no-reply' &&
      /^(refused|network)$/.test(outcome.cause)
    ) {
      unreachable = `The service could not be reached: ${outcome.message}.`;
      scheduler.stop(unreachable);
      return exchange;
    }
    if (outcome.kind === 'reply') replies++;
    timings.add(exchange.endpoint, exchange.durationMs);
    jury.judge(exchange, facts, asked);
    listener({ type: 'exchange', exchange });
    progress.tick();
    return facts === undefined ? exchange : withoutLargeBody(exchange);
  };
  const get = (asked: Asked & { readonly target: RequestTarget }) =>
    scheduler.get(asked.target, (exchange) => inspect(exchange, asked));

  const interrupt = () => scheduler.stop('the run was ended early');
  if (options.signal?.aborted === true) interrupt();
  options.signal?.addEventListener('abort', interrupt, { once: true });
  const maxTimeMs = options.maxTimeMs ?? 600_000;
  const timer = setTimeout(
    () => scheduler.stop(`the budget of ${maxTimeMs / 1000} s is spent`),
    maxTimeMs,
  );
  listener({ type: 'run-started', target, seed, rules: selected.length });
  try {
    progress.enter('discovery');
    facts = await unlessStopped(
      () => discover({ get: (each) => get({ target: each }), chains: options.chains ?? [] }),
      NO_FACTS,
    );
    listener({ type: 'discovery-finished', facts });
    unreachable ??= describeUnlisted(options.chains ?? [], facts);
    if (unreachable === undefined && facts.chains.length === 0) {
      const refused = () => describeRefusedKey((each) => get({ target: each }));
      unreachable = await unlessStopped(refused, undefined);
    }
    if (unreachable !== undefined) {
      scheduler.stop(unreachable);
      // What answers another's key, say, tells nothing of what the service promises.
      ledger.forget();
    }
    progress.enter('probes');
    const known = facts;
    const session: Omit<Session, 'seed'> = {
      facts: known,
      get: (each) => get({ target: each }),
      frozen,
      tolerancePpm,
      ...(options.execution === undefined ? {} : { execution: options.execution }),
    };
    // With a budget, one probe after another: which of them it leaves out must not hang on timing.
    const atOnce = options.maxRequests === undefined ? concurrency : 1;
    await inParallel(probes, atOnce, async (rule) => {
      await runProbe(rule, session, seed, ledger);
      progress.probeDone();
    });
    if (selected.some(({ kind }) => kind !== 'probe')) {
      progress.enter('traffic');
      await unlessStopped(
        () =>
          inParallel(
            numbered(options.generator.traffic(known, seed)),
            concurrency,
            async (item) => {
              await get(item);
            },
          ),
        undefined,
      );
      progress.enter('shrinking');
      await unlessStopped(
        () => shrinkCauses({ ledger, facts: known, simplify: options.generator.simplify, get }),
        undefined,
      );
    }
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', interrupt);
  }
  const report = concludeRun({
    ledger,
    jury,
    waivers,
    leftOut,
    unreachable,
    gate: options.level ?? 'must',
    interrupted: options.signal?.aborted ?? false,
    cutShort: scheduler.stopped() ?? budgetSpent(options, scheduler.sent()),
    inScope: (chain) => facts?.markets.has(chain) ?? false,
    redactor: client.redactor,
    header: {
      target: client.redactor.sentence(target),
      version: options.version,
      seed,
      startedAt: startedAt.toISOString(),
      requests: scheduler.sent(),
      replies,
      rateLimited: scheduler.rateLimited(),
      durationMs: Date.now() - startedAt.getTime(),
      tolerancePpm,
      timings: timings.summary(),
    },
  });
  for (const result of report.rules) listener({ type: 'rule-finished', result });
  listener({ type: 'run-finished', report });
  return report;
}

/** Says which of the chains that the user named the service does not list, where it lists any. */
function describeUnlisted(wanted: readonly number[], { chains }: Facts): string | undefined {
  const ids = chains.map(({ chainId }) => chainId);
  const unlisted = wanted.filter((id) => !ids.includes(id));
  if (ids.length === 0 || unlisted.length === 0) return undefined;
  const listed = ids.slice(0, 20).join(', ');
  return `/chains does not list chain ${unlisted.join(', ')}, only ${listed}${ids.length > 20 ? ' and more' : ''}.`;
}

function budgetSpent({ maxRequests }: RunOptions, sent: number): string | undefined {
  return maxRequests !== undefined && sent >= maxRequests
    ? `the budget of ${maxRequests} requests is spent`
    : undefined;
}

function* numbered(targets: Iterable<RequestTarget>) {
  let index = 0;
  for (const target of targets) yield { target, path: `traffic:${index++}` };
}

async function unlessStopped<T>(run: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RunStopped) return otherwise;
    throw error;
  }
}

function withoutLargeBody(exchange: Exchange): Exchange {
  const { outcome } = exchange;
  if (outcome.kind !== 'reply' || outcome.text.length <= MAX_KEPT_CHARACTERS) return exchange;
  const message = `the reply of ${outcome.text.length} characters was judged and dropped`;
  return { ...exchange, outcome: { kind: 'no-reply', cause: 'dropped', message } };
}
