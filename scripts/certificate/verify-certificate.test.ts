import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { planFile } from '../../conformance/drawing/plan-file.ts';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { createRouteCommand } from '../../reference/commands/route-command.ts';
import { type CertificateJson, refute } from './verify-certificate.ts';

const path = createRequire(import.meta.url).resolve('#fixtures/markets/31337.json');
const market = JSON.parse(readFileSync(path, 'utf8'));

async function certificateOf(...trade: readonly string[]): Promise<CertificateJson> {
  const { stdout } = await runCommand(createRouteCommand(planFile), [
    ...['--market', path, '--certificate'],
    ...trade,
  ]);
  return JSON.parse(stdout);
}

describe.each([
  ['exact input', ['--sell', 'WETH', '--buy', 'USDC', '--sell-amount', `${5n * 10n ** 19n}`]],
  ['exact output', ['--sell', 'DAI', '--buy', 'WETH', '--buy-amount', `${5n * 10n ** 19n}`]],
  ['a cent', ['--sell', 'USDT', '--buy', 'SHIB', '--sell-amount', '10000']],
  ['a cent, exact output', ['--sell', 'WETH', '--buy', 'USDC', '--buy-amount', '10000']],
  ['stable pools', ['--sell', 'DAI', '--buy', 'GUSD', '--sell-amount', `${10n ** 22n}`]],
  ['pools of a manager', ['--sell', 'UNI', '--buy', 'WBTC', '--sell-amount', `${10n ** 22n}`]],
  ['weighted pools', ['--sell', 'LINK', '--buy', 'TICKET', '--buy-amount', '2000']],
  [
    'paths',
    ['--sell', 'USDT', '--buy', 'DAI', '--sell-amount', '90000000', '--router', 'universal-router'],
  ],
])('certificate of %s', (_, trade) => {
  test('unchanged -> its prices prove its bound', async () => {
    const certificate = await certificateOf(...trade);
    expect(refute(market, certificate)).toBeUndefined();
    const { trade: kind, bound, acyclicBound } = certificate;
    const [min, max] = kind === 'exact-input' ? [acyclicBound, bound] : [bound, acyclicBound];
    expect(min).toBeLessThanOrEqual(max);
  });

  test('the price of the sell token changed by 1% -> rejected', async () => {
    const certificate = await certificateOf(...trade);
    const { prices, sellToken } = certificate;
    for (const factor of [1.01, 0.99]) {
      const tampered = { ...prices, [sellToken]: (prices[sellToken] ?? 0) * factor };
      expect(refute(market, { ...certificate, prices: tampered })).toMatch(/^the prices prove/);
    }
  });

  test('a better bound, a better plan, a missing price -> rejected', async () => {
    const certificate = await certificateOf(...trade);
    const { trade: kind, bound, buyToken, prices } = certificate;
    const better = kind === 'exact-input' ? bound * (1 - 1e-6) : bound * (1 + 1e-6);
    expect(refute(market, { ...certificate, bound: better })).toMatch(/^the prices prove/);
    const plan =
      kind === 'exact-input'
        ? { buyAmount: `${BigInt(certificate.buyAmount) * 2n}` }
        : { sellAmount: `${BigInt(certificate.sellAmount) / 2n}` };
    expect(refute(market, { ...certificate, ...plan })).toMatch(/^the plan/);
    const { [buyToken]: _price, ...others } = prices;
    expect(refute(market, { ...certificate, prices: others })).toBeDefined();
  });
});

test.each([
  ['LINK', 'SHIB', '--sell-amount', '219'],
  ['LINK', 'SHIB', '--buy-amount', '8479'],
  ['wstETH', 'WETH', '--sell-amount', '1'],
  ['UNI', 'SHIB', '--sell-amount', '240658'],
])(
  'a few base units, %s to %s (%s %s) -> its prices prove its bound',
  async (sell, buy, ...amount) => {
    const trade = ['--sell', sell, '--buy', buy, ...amount];
    expect(refute(market, await certificateOf(...trade))).toBeUndefined();
  },
);

test('pools drained far beyond their narrow ranges -> its prices prove its bound', async () => {
  const router = ['--router', 'universal-router'];
  const trade = ['--sell', 'WBTC', '--buy', 'DAI', '--sell-amount', `${10n ** 12n}`, ...router];
  expect(refute(market, await certificateOf(...trade))).toBeUndefined();
});
