import type { Middleware } from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttpTransport } from '../../conformance/client/http-transport.ts';
import { intoListener } from '../../conformance/client/into-listener.testing.ts';
import type { Transport } from '../../conformance/client/transport.ts';
import { openService } from '../../conformance/discovery/open-service.ts';
import { describeConformance } from '../../conformance/embed/describe-conformance.ts';
import { createExecutor } from '../../conformance/execution/executor.ts';
import { MARKET_GENERATOR } from '../../conformance/generate/generator.ts';
import { defineRule } from '../../conformance/library/define-rule.ts';
import type { Report } from '../../conformance/model/report.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { runRules } from '../../conformance/runner/run.ts';
import type { RunOptions } from '../../conformance/runner/run-options.ts';
import { startFixtureChain } from '../../fixtures/chains/fixture-chain.ts';
import { toBase58 } from '../../fixtures/testing/base58.testing.ts';
import { EMBEDDED_MARKETS, planOnce } from '../../fixtures/testing/embedded-plans.testing.ts';
import { formsMiddleware } from '../../reference/forms/apply-forms.ts';
import { AWKWARD_FORMS, FORM_NAMES, type FormName } from '../../reference/forms/forms.ts';
import { createApp } from '../../reference/server/app.ts';
import { middlewareOf } from './mutants/faults/middleware.ts';
import { SECOND_KEY as KEY, startSecondService } from './second-service.testing.ts';

/**
 * A service that conforms. The test judges the service against every rule, and expects that none
 * fails.
 */
type CorrectService = {
  readonly open: () => Promise<Transport> | Transport;
  readonly options?: Partial<RunOptions>;
  /**
   * Maximum number of requests, not counting requests from probes. Default: the profile's maximum.
   */
  readonly traffic?: number;
  readonly routerNames?: Readonly<Record<string, string>>;
  /** If set, only settles this number of plans, on a fork of the chain. */
  readonly settles?: { readonly chainId: number; readonly plans: number };
  /** Additional checks of the service's report. */
  readonly check?: (report: Report) => void;
};

/**
 * The long run sends all traffic, and tries each form separately, because one form may hide
 * another.
 */
const isLong = process.env['SWAPCHECK_LONG'] === '1';
const [FIRST, SECOND] = [31337, 31338];

/**
 * The services share their plans, so that each trade is planned once. Their queue is long, because
 * they share this process with their judge.
 */
const REFERENCE = { markets: EMBEDDED_MARKETS, planner: planOnce, maxQueued: 4096 };

/** Returns the reference with the market of one chain. */
function reference(middleware: readonly Middleware[], chainId = SECOND): Transport {
  const served = EMBEDDED_MARKETS.filter((market) => market.chainId === chainId);
  const app = createApp({ ...REFERENCE, markets: served, middleware, apiKeys: [KEY] });
  return intoListener(app.callback());
}

const inForms = (...forms: FormName[]): CorrectService => ({
  open: () => reference([formsMiddleware(forms)]),
  options: { profile: 'quick' },
  traffic: 200,
});

const withoutCalldata = middlewareOf({
  plan: (plan) => {
    delete plan.routerAddress;
    delete plan.calldata;
    delete plan.gasLimit;
  },
  chainInfo: (info) => {
    for (const router of info.routers) router.hasEncoder = false;
  },
});

/** An account with funds, as a user names it. */
const FUNDED = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const WITHOUT_FUNDS = 'the account holds too little of the sold token';

const onlyWithFunds = middlewareOf({
  reject: (query) => {
    const user = query.get('userAddress')?.toLowerCase() ?? FUNDED.toLowerCase();
    return query.get('includeCalldata') === 'true' && user !== FUNDED.toLowerCase();
  },
  rejection: { body: { error: 'NO_FUNDS', message: WITHOUT_FUNDS } },
});

const SERVICES: Readonly<Record<string, CorrectService>> = {
  'two chains, judged quickly': {
    open: () => intoListener(createApp({ ...REFERENCE, apiKeys: [KEY] }).callback()),
    options: { profile: 'quick' },
    check: ({ requests }) => expect(requests).toBeLessThan(300),
  },
  'every awkward form': inForms(...AWKWARD_FORMS),
  'custom router names': {
    ...inForms('live-names'),
    routerNames: { 'service-router': 'swapnet-router' },
  },
  ...Object.fromEntries(
    FORM_NAMES.filter((name) => name !== 'live-names' && (isLong || name === 'plain')).map(
      (name) => [`the form ${name}`, inForms(name)],
    ),
  ),
  'another implementation': {
    open: async () => {
      const service = await startSecondService(REFERENCE);
      onTestFinished(service.close);
      return createHttpTransport(new URL(service.url));
    },
    options: { seed: 2 },
    traffic: isLong ? Number.POSITIVE_INFINITY : 600,
    check: ({ replies, rateLimited, largestDust, rules }) => {
      expect(replies).toBeGreaterThan(3_000);
      expect(rateLimited).toBeGreaterThan(0);
      expect(largestDust?.partsPerMillion).toBeGreaterThan(0.02);
      expect(largestDust?.partsPerMillion).toBeLessThan(0.05);
      const chains = rules.find(({ id }) => id === 'chain/identifiers-observed')?.observed;
      expect(JSON.stringify(chains)).toContain('792703809');
    },
  },
  'every awkward form, settled': {
    open: () => reference([formsMiddleware(AWKWARD_FORMS)]),
    settles: { chainId: SECOND, plans: 18 },
    check: ({ rules }) => {
      expect(rules.filter(({ outcome }) => outcome !== 'pass').map(({ id }) => id)).toEqual([]);
    },
  },
  'calldata only for an account with funds, which the user names': {
    open: () => reference([onlyWithFunds]),
    options: { profile: 'quick', user: FUNDED },
    traffic: 200,
  },
  'calldata only for an account with funds, settled': {
    open: () => reference([onlyWithFunds]),
    options: { user: FUNDED },
    settles: { chainId: SECOND, plans: 36 },
    check: ({ rules }) => {
      const { checks } = rules.find(({ id }) => id === 'execution/settles') ?? {};
      expect(checks).toBeGreaterThanOrEqual(36);
    },
  },
  'no calldata, settled': {
    open: () => reference([withoutCalldata], FIRST),
    settles: { chainId: FIRST, plans: 36 },
    check: ({ rules, notJudged }) => {
      const passed = rules.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id);
      for (const id of ['through-pools', 'token-decimals', 'pools-are-contracts']) {
        expect(passed).toContain(`execution/${id}`);
      }
      const reasons = notJudged.map(({ why }) => why).join('\n');
      expect(reasons).toMatch(/^chain 31337 returned no calldata for the requested routers, /m);
      expect(reasons).toMatch(
        /^\d+ of \d+ trades were not settled, such as exact-\w+ .*"(UniswapV4|BalancerV2)" is neither V2-like nor V3-like$/m,
      );
    },
  },
};

async function judge(service: CorrectService): Promise<Report> {
  const { options, traffic, routerNames, settles } = service;
  const opened = openService({ transport: await service.open(), apiKey: KEY, routerNames });
  onTestFinished(opened.close);
  const settling = settles && (await settle(settles));
  return runRules({
    service: opened,
    rules: CATALOG.filter(({ kind }) => (kind === 'settlement') === (settles !== undefined)),
    ...(traffic !== undefined && {
      generator: {
        ...MARKET_GENERATOR,
        traffic: (facts, seed) => [...MARKET_GENERATOR.traffic(facts, seed)].slice(0, traffic),
      },
    }),
    target: 'http://service.example',
    ...settling,
    ...options,
  });
}

async function settle({ chainId, plans }: { readonly chainId: number; readonly plans: number }) {
  const node = await startFixtureChain(chainId);
  onTestFinished(node.stop);
  // Nothing changes the chain, so plans settle without a copy.
  const forks = [{ chainId, rpcUrl: node.url, isPrivate: true }];
  const openExecutor: RunOptions['openExecutor'] = async (session) =>
    createExecutor({ forks, plans }, session);
  return { openExecutor };
}

describe('a service that conforms', () => {
  // A busy machine takes minutes for this.
  test.each(Object.entries(SERVICES))(
    '%s -> conforming',
    { timeout: 600_000 },
    async (_, service) => {
      const report = await judge(service);
      const off = report.rules.filter(({ outcome }) => /fail|could-not-run/.test(outcome));
      expect(off.map(({ id, why, failures: [first] }) => [id, why, first?.actual])).toEqual([]);
      expect(report.verdict, report.reason).toBe('conforming');
      for (const form of [KEY, encodeURIComponent(KEY)]) {
        expect(JSON.stringify(report)).not.toContain(form);
      }
      service.check?.(report);
    },
  );

  test('calldata only for accounts with funds, none named -> what was not executed, in the words of the service', async () => {
    const { reason, verdict, notJudged } = await judge({
      open: () => reference([onlyWithFunds]),
      settles: { chainId: SECOND, plans: 36 },
      options: { requireFork: true },
    });
    expect(verdict, reason).toBe('incomplete');
    expect(notJudged.map(({ why }) => why).join('\n')).toContain(
      `the service rejected every request for calldata on chain ${SECOND} with 400 "NO_FUNDS": "${WITHOUT_FUNDS}": if it serves only accounts with funds, pass one with --user ADDRESS`,
    );
  });

  test('custom router names that the judge is not given -> the rule on router names fails', async () => {
    const { rules } = await judge(inForms('live-names'));
    const failed = rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    expect(failed).toContain('router-info/name');
  });
});

const shortNames = defineRule({
  kind: 'reply',
  id: 'short-names',
  title: 'names chains in at most 40 letters',
  endpoint: 'chains',
  check: ({ body }, t) =>
    t.check(
      body.every(({ name }) => name.length <= 40) ? [] : { expected: 'at most 40', actual: 'more' },
    ),
});

describeConformance('the reference, exact to the base unit', {
  service: { listener: createApp({ ...REFERENCE, apiKeys: ['embedded-key'] }).callback() },
  apiKey: 'embedded-key',
  level: 'should',
  tolerancePpm: 0,
  frozen: true,
  rules: [shortNames],
  // Ends a run that hangs. A busy machine takes minutes.
  runTimeoutMs: 600_000,
});

test('toBase58 of "Hello World!" -> the test vector of draft-msporny-base58', () => {
  expect(toBase58('0x48656c6c6f20576f726c6421')).toBe('2NEpo7TZRRrLZSi2U');
});
