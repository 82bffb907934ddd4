import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planFile } from '../../conformance/drawing/plan-file.ts';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { createRouteCommand } from './route-command.ts';

const market = createRequire(import.meta.url).resolve('#fixtures/markets/31337.json');

const run = (...args: readonly string[]) =>
  runCommand(createRouteCommand(planFile), ['--market', market, ...args]);

describe('createRouteCommand', () => {
  test("exact input as JSON -> shares of the sell token's swaps sum to one, their amounts to the amount sold", async () => {
    const { stdout, code } = await run(
      ...['--sell', 'WETH', '--buy', 'USDC'],
      ...['--sell-amount', '50000000000000000000', '--format', 'json'],
    );
    const plan = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(plan).toMatchObject({ chainId: 31337, router: 'default-router', trade: 'exact-input' });
    const first = plan.swaps.filter((swap: { tokenIn: string }) => swap.tokenIn === plan.sellToken);
    const sum = first.reduce((total: bigint, { amountIn }: { amountIn: string }) => {
      return total + BigInt(amountIn);
    }, 0n);
    expect(sum).toBe(50_000_000_000_000_000_000n);
    const shares = first.reduce((total: number, { share }: { share: number }) => total + share, 0);
    expect(shares).toBeCloseTo(1, 4);
  });

  test('exact output as text -> totals, then the swaps below their token', async () => {
    const { stdout, code } = await run(
      ...['--sell', 'TICKET', '--buy', 'DAI'],
      ...['--buy-amount', '1000000000000000000000', '--router', 'universal-router'],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\d+ TICKET -> 1000 DAI\n.*, universal-router, exact output\nsells at most .* \(relative\) more than the best plan\ngas of the swaps \d+, .*\n\nTICKET\n/,
    );
    expect(stdout).toMatch(/ {2}100\.00% {2}\d+ TICKET/);
  });

  test('tokens named 中文 and 🚀 -> the columns of the text are aligned', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'route-'));
    const renamed = join(folder, 'market.json');
    writeFileSync(
      renamed,
      readFileSync(market, 'utf8')
        .replace('"symbol": "DAI"', '"symbol": "中文"')
        .replace('"symbol": "USDC"', '"symbol": "🚀"'),
    );
    const { stdout, stderr } = await run(
      ...['--market', renamed, '--sell', 'WETH', '--buy', '🚀'],
      ...['--sell-amount', '50000000000000000000'],
    );
    rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/-> {2}[\d.]+ 中文 .*0x/);
    expect(stdout).toMatch(/-> {2}[\d.]+ 🚀 .*0x/);
    const swaps = stdout.split('\n').filter((line) => line.includes('->  '));
    const columns = swaps.map((line) =>
      line.replaceAll('中文', 'CCcc').replaceAll('🚀', 'RR').indexOf('0x'),
    );
    expect(new Set(columns).size).toBe(1);
  });

  test('exact input as SVG -> an edge per swap; as JSON -> the gap and the bound', async () => {
    const trade = ['--sell', 'WETH', '--buy', 'USDC', '--sell-amount', `${5n * 10n ** 19n}`];
    const { stdout: json } = await run(...trade, '--format', 'json');
    const { swaps, gap, bound } = JSON.parse(json);
    const { stdout: svg } = await run(...trade, '--format', 'svg');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" class="plan"/);
    expect(svg.match(/<path class="edge"/g)).toHaveLength(swaps.length);
    expect(svg).toContain('>sell 50</text>');
    expect(gap).toBeLessThan(1);
    expect(bound).toBeGreaterThan(0);
  });

  test('gas price -> counted in the buy token, with fewer swaps; 0 or missing -> not counted', async () => {
    const trade = ['--sell', 'WETH', '--buy', 'DAI', '--sell-amount', `${10n ** 17n}`];
    const planned = async (...args: readonly string[]) =>
      JSON.parse((await run(...trade, '--format', 'json', ...args)).stdout);
    const alone = await planned('--gas-price', '0');
    const dear = await planned('--gas-price', '50000000000');
    expect(alone.gas).toEqual({ units: expect.stringMatching(/^\d+$/), priceWei: '0' });
    expect(dear.gas).toMatchObject({
      priceWei: '50000000000',
      cost: expect.stringMatching(/^\d+$/),
    });
    expect(dear.swaps.length).toBeLessThan(alone.swaps.length);
    expect(dear.bound).toBe(alone.bound);
    const { stdout } = await run(...trade, '--gas-price', '50000000000');
    expect(stdout).toMatch(/\ngas of the swaps \d+, [\d.]+ DAI at 50000000000 wei, included\n/);
    expect((await run(...trade, '--gas-price', '0')).stdout).toContain('not counted: no gas price');
  });

  test.each([
    ...['-1', '1.5', '0x1', '1gwei', '', '01', `${10n ** 21n + 1n}`].map(
      (wei): [string, string[], string] => [
        `gas price '${wei}'`,
        ['--sell', 'WETH', '--buy', 'DAI', '--sell-amount', '1', `--gas-price=${wei}`],
        `--gas-price '${wei}': expected whole wei up to`,
      ],
    ),
    ...['0', '-1', '1.5', '1e3', '', '1000000'].map((count): [string, string[], string] => [
      `solutions '${count}'`,
      ['--sell', 'WETH', '--buy', 'DAI', '--sell-amount', '1', `--max-solutions=${count}`],
      `--max-solutions '${count}': expected a whole number from 1 to 999999`,
    ]),
    ['--sell', ['--sell', 'NOPE', '--buy', 'DAI', '--sell-amount', '1'], "--sell 'NOPE': expected"],
    [
      'same token',
      ['--sell', 'DAI', '--buy', 'DAI', '--sell-amount', '1'],
      "--buy 'DAI': expected",
    ],
    [
      'drawing of a certificate',
      ['--sell', 'WETH', '--buy', 'DAI', '--sell-amount', '1', '--certificate', '--format=svg'],
      "--format 'svg': expected text or json with --certificate",
    ],
    ['no amount', ['--sell', 'WETH', '--buy', 'DAI'], 'exactly one of --sell-amount'],
    ['amount', ['--sell', 'WETH', '--buy', 'DAI', '--buy-amount', '0x1'], "--buy-amount '0x1'"],
    [
      'router',
      ['--sell', 'WETH', '--buy', 'DAI', '--sell-amount', '1', '--router', 'mine'],
      "--router 'mine': expected a router of the market: default-router",
    ],
  ])('wrong %s -> one line, exit code 2', async (_, args, message) => {
    const { stderr, code } = await run(...args);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  test('a market file that does not exist -> one line, exit code 2', async () => {
    const { stderr, code } = await run(
      ...['--market', '/nowhere.json', '--sell', 'A', '--buy', 'B', '--sell-amount', '1'],
    );
    expect(stderr).toBe("--market '/nowhere.json': expected a file that can be read (ENOENT)");
    expect(code).toBe(2);
  });

  test('a token that no pool trades -> exit code 1, with the reason', async () => {
    const { stderr, code } = await run(...['--sell', 'LONE', '--buy', 'DAI', '--sell-amount', '1']);
    expect(stderr).toContain('no pools connect the two tokens');
    expect(code).toBe(1);
  });
});
