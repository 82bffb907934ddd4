import { readFileSync } from 'node:fs';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import type { SwapResponse } from '../../conformance/contract/resources.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import { createPlanOnce } from '../planner/plan-once.testing.ts';
import { createApp } from '../server/app.ts';
import { formsMiddleware } from './apply-forms.ts';
import { AWKWARD_FORMS, FORM_NAMES, FORMS, type FormName } from './forms.ts';

test('docs/clients.md -> lists every form with its description and reason, in order', () => {
  const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const table = Object.entries(FORMS).map(
    ([name, { does, leftOpen }]) => `| \`${name}\` | ${does} | ${leftOpen} |`,
  );
  expect(rows).toEqual(table);
});

const [USDC, CAKE, DOGE] = [
  '0x36c77cc277e73cccd199d1989828739722fe5450',
  '0x67d8a173cce2d49c56c2b4fb5c9ae62bdbc8e078',
  '0x25886f0713d1831991e1b9eff2798d68a9335293',
];
const TRADE = `swap?chainId=31338&sellToken=${CAKE}&buyToken=${DOGE}&sellAmount=${10n ** 21n}&apiKey=demo`;
const CALLDATA = `${TRADE}&includeCalldata=true&userAddress=0x${'1'.repeat(40)}&slippageTolerance=0.01`;

const markets = loadEmbeddedMarkets();
/** Plans each trade once for all forms, since no form affects the planner. */
const planner = createPlanOnce();

function serviceIn(...forms: readonly FormName[]) {
  const app = createApp({
    markets,
    planner,
    middleware: [formsMiddleware(forms)],
    clock: () => 1_800_000_000_000,
    maxQueued: 4096,
  });
  const agent = request(app.callback());
  return (target: string, encoding = 'identity') =>
    agent.get(`/api/v1.0/${target}`).set('Accept-Encoding', encoding);
}

async function planIn(form: FormName, target = TRADE): Promise<SwapResponse> {
  return (await serviceIn(form)(target)).body;
}

describe('each form', () => {
  const targets = [
    ...[TRADE, CALLDATA, `${TRADE}&useRfq=true`, TRADE.replace(DOGE, `0x${'9'.repeat(40)}`)],
    TRADE.replace('demo', 'wrong'),
    TRADE.replace(/sellAmount=\d+/, 'buyAmount=1000000000000000000000000000000000000000000'),
    ...['tokens', 'chainInfo'].map((name) => `${name}?chainId=31338&apiKey=demo`),
  ];
  const repliesIn = (...forms: FormName[]) => {
    const get = serviceIn(...forms);
    return Promise.all(
      targets.map(async (target) => {
        const { status, text, type, headers } = await get(target, 'gzip');
        expect(() => JSON.parse(text)).not.toThrow();
        return [status, type, headers['content-encoding'], headers['x-request-id'], text];
      }),
    );
  };

  const unchanged = repliesIn();

  test.each(FORM_NAMES)(
    "%s -> some replies differ from the reference's replies, and equal requests have equal replies",
    async (form) => {
      const changed = await repliesIn(form);
      expect(changed).not.toEqual(await unchanged);
      expect(await repliesIn(form)).toEqual(changed);
    },
  );

  test('all awkward forms at once -> each still affects some reply', async () => {
    const all = await repliesIn(...AWKWARD_FORMS);
    for (const form of AWKWARD_FORMS) {
      const others = AWKWARD_FORMS.filter((each) => each !== form);
      expect(await repliesIn(...others), form).not.toEqual(all);
    }
  });
});

test('plain -> the sold token is 0, the bought token 1, and each swap follows the swaps that it depends on', async () => {
  const { sell, buy, tokens, routes } = await planIn('plain');
  expect([sell.referenceId, buy.referenceId]).toEqual([0, 1]);
  expect(tokens.map(({ referenceId }) => referenceId)).toEqual([...tokens.keys()]);
  expect(tokens.length).toBeGreaterThan(2);
  const given = routes.map(({ toTokens }) => toTokens[0]?.referenceId);
  for (const [at, { fromTokens }] of routes.entries()) {
    expect(given.lastIndexOf(fromTokens[0]?.referenceId)).toBeLessThan(at);
  }
});

test('live-names -> routers and sources under their live names, chainId in /tokens, further fields in plans', async () => {
  const get = serviceIn('live-names');
  const withMakers = `${TRADE.replace('sellAmount=1', 'sellAmount=30')}&useRfq=true`;
  const sources = async (target: string) =>
    (await get(target)).body.routes.map(({ name }: { name: string }) => name);
  expect(await sources(withMakers)).toContain('LimitOrder-Native');
  const listed = (await get('chainInfo?chainId=31337&apiKey=demo')).body.routers.flatMap(
    ({ liquiditySources }: { liquiditySources: string[] }) => liquiditySources,
  );
  expect(listed).toContain('BalancerV3');
  expect(listed).not.toContain('BalancerV2');
  const { body: info } = await get('chainInfo?chainId=31338&apiKey=demo');
  const names = info.routers.map(({ name }: { name: string }) => name).sort();
  expect(names).toEqual(['default-router', 'swapnet-router', 'universal-router']);
  const { body: plan } = await get(`${CALLDATA}&router=swapnet-router`);
  expect(plan).toMatchObject({ router: 'swapnet-router', block: 1, estimatedGas: plan.gasLimit });
  const { status, body } = await get(`${TRADE}&router=service-router`);
  expect([status, body.details]).toEqual([
    400,
    expect.objectContaining({ value: 'service-router' }),
  ]);
  const { body: tokens } = await get('tokens?chainId=31338&apiKey=demo');
  expect(new Set(tokens.map(({ chainId }: { chainId: number }) => chainId))).toEqual(
    new Set([31338]),
  );
});

test('no-details -> some routes have no details, others do', async () => {
  // Large enough that plans are split among many pools despite gas costs.
  const large = TRADE.replace('sellAmount=1', 'sellAmount=100');
  const targets = [large, large.replace(DOGE, USDC)];
  const plans = await Promise.all(targets.map((target) => planIn('no-details', target)));
  const routes = plans.flatMap((plan) => plan.routes);
  const without = routes.filter((route) => !('details' in route));
  expect(without.length).toBeGreaterThan(0);
  expect(without.length).toBeLessThan(routes.length);
});
