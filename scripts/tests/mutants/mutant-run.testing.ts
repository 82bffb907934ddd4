import type { Middleware } from 'koa';
import type { Exchange } from '../../../conformance/client/exchange.ts';
import { createHttpTransport } from '../../../conformance/client/http-transport.ts';
import { intoListener } from '../../../conformance/client/into-listener.testing.ts';
import type { Limits } from '../../../conformance/client/scheduler.ts';
import type { Transport } from '../../../conformance/client/transport.ts';
import { openService } from '../../../conformance/discovery/open-service.ts';
import { MARKET_GENERATOR } from '../../../conformance/generate/generator.ts';
import type { JudgedReply } from '../../../conformance/model/judged-reply.ts';
import type { Report } from '../../../conformance/model/report.ts';
import type { Check, Rule } from '../../../conformance/model/rule.ts';
import type { Session } from '../../../conformance/model/session.ts';
import { CATALOG } from '../../../conformance/rules/catalog.ts';
import { judgesAnyReply } from '../../../conformance/runner/pace.ts';
import { runRules } from '../../../conformance/runner/run.ts';
import type { RunOptions } from '../../../conformance/runner/run-options.ts';
import { EMBEDDED_MARKETS, planOnce } from '../../../fixtures/testing/embedded-plans.testing.ts';
import {
  createApp,
  type ReferenceOptions,
  type RunningReference,
  startReference,
} from '../../../reference/server/app.ts';

/** Options for judging the reference with a fault. */
export type MutantRun = {
  readonly middleware?: () => Middleware;
  readonly seed: number;
  /**
   * Id of the rule whose failure ends the run, because further requests cannot change the result.
   */
  readonly until?: string;
  /** Chains to judge (default: all). */
  readonly chains?: readonly number[];
  /**
   * Judges only by the rule in `until`. If that rule judges replies, `maxRequests` limits the
   * traffic.
   */
  readonly alone?: { readonly maxRequests?: number };
  /** Continues after the rule has failed, until its smallest failing request is found. */
  readonly isWhole?: true;
  /** Calls the reference without HTTP. Only for faults that are not in the transport. */
  readonly inProcess?: true;
} & Pick<RunOptions, 'openExecutor' | 'saveEvidence' | 'profile'> &
  Pick<Limits, 'maxRequests'>;

/** Result of judging a mutant. */
export type MutantResult = {
  readonly report: Report;
  /** Ids of the rules that had failed when the run ended. */
  readonly failed: readonly string[];
  /** Number of requests sent before the rule failed; undefined if it did not fail. */
  readonly caughtAfter: number | undefined;
};

const API_KEY = 'demo';

/** The current fault. All mutants share one reference and its cached plans. */
let fault: Middleware | undefined;
const options: ReferenceOptions = {
  markets: EMBEDDED_MARKETS,
  planner: planOnce,
  maxQueued: 4096,
  apiKeys: [API_KEY],
  middleware: [(ctx, next) => (fault === undefined ? next() : fault(ctx, next))],
};
const inProcess = intoListener(createApp(options).callback());
let overHttp: Promise<RunningReference> | undefined;

/** Judges the reference against all rules or one rule, with a fault if one is given. */
export async function judgeMutant(run: MutantRun): Promise<MutantResult> {
  const {
    middleware,
    seed,
    until,
    chains,
    isWhole,
    openExecutor,
    saveEvidence,
    maxRequests,
    profile,
  } = run;
  const { target, transport } = run.inProcess
    ? { target: 'http://reference.example', transport: inProcess }
    : await openHttp();
  fault = middleware?.();
  const caught = new AbortController();
  let caughtAfter: number | undefined;
  let sent = 0;
  const onFailure = () => {
    caughtAfter ??= sent;
    if (!isWhole) caught.abort();
  };
  const judging = run.alone !== undefined ? CATALOG.filter(({ id }) => id === until) : CATALOG;
  const rules = judging.map((rule) => (rule.id === until ? watch(rule, onFailure) : rule));
  const only = run.alone && judging[0];
  // A rule that sends its own requests needs no traffic and no limit.
  const judgesReplies = only === undefined || judgesAnyReply(only);
  const service = openService({
    ...{ transport, apiKey: API_KEY },
    maxRequests:
      only === undefined ? maxRequests : judgesReplies ? run.alone?.maxRequests : undefined,
  });
  try {
    const report = await runRules(
      {
        service,
        rules,
        seed,
        chains,
        openExecutor,
        saveEvidence,
        profile,
        target,
        ...(!judgesReplies && { generator: { ...MARKET_GENERATOR, traffic: () => [] } }),
        signal: caught.signal,
      },
      (event) => {
        if (event.type === 'exchange') sent = event.exchange.id;
      },
    );
    const failed = report.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    return { report, failed, caughtAfter };
  } finally {
    await service.close();
  }
}

async function openHttp(): Promise<{ readonly target: string; readonly transport: Transport }> {
  overHttp ??= startReference(options);
  const { url } = await overHttp;
  return { target: url, transport: createHttpTransport(new URL(url), { timeoutMs: 2_000 }) };
}

function watch(rule: Rule, onFailure: () => void): Rule {
  const noticing = (t: Check): Check => ({
    check: (faults, exchange) => {
      t.check(faults, exchange);
      // Wait until the runner has recorded all of the reply's faults.
      if ([faults ?? []].flat().length > 0) setImmediate(onFailure);
    },
    observe: (text, key) => t.observe(text, key),
    skip: (why) => t.skip(why),
    stuck: (why) => t.stuck(why),
  });
  switch (rule.kind) {
    case 'reply':
      return {
        ...rule,
        check: (input: JudgedReply, t: Check) => rule.check(input, noticing(t)),
        ...(rule.checkMissing && {
          checkMissing: (exchange: Exchange, t: Check) =>
            rule.checkMissing?.(exchange, noticing(t)),
        }),
      };
    case 'probe':
    case 'relation':
      return { ...rule, check: (session: Session, t: Check) => rule.check(session, noticing(t)) };
    case 'settlement':
      return rule;
  }
}
