import { expect, test } from 'vitest';
import { createClient } from '../../conformance/client/client.ts';
import { intoListener } from '../../conformance/client/into-listener.testing.ts';
import type { RouterNames } from '../../conformance/client/router-names.ts';
import type { Transport } from '../../conformance/client/transport.ts';
import { createExecutor } from '../../conformance/execution/executor.ts';
import { MARKET_GENERATOR, type RequestGenerator } from '../../conformance/generate/generator.ts';
import type { Report } from '../../conformance/model/report.ts';
import type { SettlementRule } from '../../conformance/model/rule.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { judgeExecution } from '../../conformance/runner/judge-settlements.ts';
import { runRules } from '../../conformance/runner/run.ts';
import { startReferenceBench } from '../../fixtures/testing/reference-bench.testing.ts';
import { applyForms, formsMiddleware } from '../../reference/forms/apply-forms.ts';
import { AWKWARD_FORMS, FORM_NAMES, type FormName } from '../../reference/forms/forms.ts';
import { loadEmbeddedMarkets } from '../../reference/market/embedded-markets.ts';
import { createApp } from '../../reference/server/app.ts';

const CHAIN_ID = 31338;
const markets = loadEmbeddedMarkets().filter(({ chainId }) => chainId === CHAIN_ID);
const maxQueued = 4096;
const plain = intoListener(createApp({ markets, maxQueued }).callback());
const replies = new Map<string, ReturnType<Transport['send']>>();

function inForms(forms: readonly FormName[]): Transport {
  const changeReply = applyForms(forms);
  return {
    close: async () => undefined,
    send: async ({ method, target, signal }) => {
      const key = `${method} ${target}`;
      const pending = replies.get(key) ?? plain.send({ method, target, signal });
      replies.set(key, pending);
      const reply = await pending;
      if (reply.kind === 'no-reply' || method !== 'GET') return reply;
      const { status, headers, body } = changeReply(target, {
        status: reply.status,
        body: `${reply.body}`,
      });
      const rawHeaders = Object.entries({ 'Content-Type': 'application/json', ...headers }).flat();
      return { ...reply, status, rawHeaders, body: Buffer.from(body) };
    },
  };
}

const generator: RequestGenerator = {
  ...MARKET_GENERATOR,
  traffic: (facts, seed) => [...MARKET_GENERATOR.traffic(facts, seed)].slice(0, 200),
};

function judge(transport: Transport, routerNames?: RouterNames): Promise<Report> {
  const client = createClient({ transport, apiKey: 'demo', routerNames });
  return runRules({
    ...{ client, rules: CATALOG, generator, profile: 'quick' },
    ...{ target: 'x', version: 'x' },
  });
}

/** The long run also tries each form separately, since one form may hide another. */
const isLong = process.env['SWAPCHECK_LONG'] === '1';
const ALLOWED_FORMS = FORM_NAMES.filter((name) => name !== 'live-names');
const tried: readonly (readonly FormName[])[] = [
  AWKWARD_FORMS,
  ...(isLong ? ALLOWED_FORMS.map((name) => [name]) : [['plain'] as const]),
];

test.each(tried.map((forms) => [`${forms}`, forms] as const))(
  '%s -> conforming, no should fails',
  async (_, forms) => {
    const report = await judge(inForms(forms));
    const off = report.rules.filter(({ outcome }) => /fail|could-not-run/.test(outcome));
    expect(off.map(({ id, why, failures: [first] }) => [id, why, first?.actual])).toEqual([]);
    expect(report.verdict, report.reason).toBe('conforming');
  },
);

test('live-names with --router-name -> conforming; without -> router names fail', async () => {
  const middleware = [formsMiddleware(['live-names'])];
  const transport = intoListener(createApp({ markets, maxQueued, middleware }).callback());
  const failures = async (routerNames?: RouterNames) => {
    const report = await judge(transport, routerNames);
    return report.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  };
  expect(await failures({ 'service-router': 'swapnet-router' })).toEqual([]);
  expect(await failures()).toContain('router-info/name');
});

test('plans in every awkward form -> settle as quoted, also when encoded by clients', async () => {
  const bench = await startReferenceBench([CHAIN_ID]);
  const session = await bench.session(formsMiddleware(AWKWARD_FORMS));
  const executor = createExecutor({ forks: bench.sources, plans: 18 }, session);
  try {
    const settling = CATALOG.filter((rule): rule is SettlementRule => rule.kind === 'settlement');
    for (const evidence of new Set(settling.map((rule) => rule.evidence))) {
      const execution = await executor.execute(evidence);
      for (const rule of settling.filter((each) => each.evidence === evidence)) {
        const verdict = judgeExecution(rule, execution, { tolerancePpm: 1 });
        expect(verdict, rule.id).toMatchObject({ kind: 'judged', findings: [] });
      }
    }
  } finally {
    await executor.close();
    await bench.stop();
  }
});
