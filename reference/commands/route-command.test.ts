import { createRequire } from 'node:module';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRouteCommand } from './route-command.ts';

const market = createRequire(import.meta.url).resolve('#fixtures/markets/31337.json');

async function run(...args: readonly string[]) {
  const written = { stdout: '', stderr: '' };
  const catching = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += text;
      return true;
    });
  const spies = [catching('stdout'), catching('stderr')];
  await createRouteCommand().parseAsync(args, { from: 'user' });
  for (const spy of spies) spy.mockRestore();
  return { ...written, exitCode: process.exitCode };
}

afterEach(() => {
  process.exitCode = 0;
});

describe('createRouteCommand', () => {
  test('exact input as JSON -> shares of the sell token sum to one, amounts to what is sold', async () => {
    const { stdout, exitCode } = await run(
      ...['--market', market, '--sell', 'WETH', '--buy', 'USDC'],
      ...['--sell-amount', '50000000000000000000', '--format', 'json'],
    );
    const plan = JSON.parse(stdout);
    expect(exitCode).toBe(0);
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
    const { stdout, exitCode } = await run(
      ...['--market', market, '--sell', 'TICKET', '--buy', 'DAI'],
      ...['--buy-amount', '1000000000000000000000', '--router', 'universal-router'],
    );
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^\d+ TICKET -> 1000 DAI\n.*, universal-router, exact output\n\nTICKET\n/,
    );
    expect(stdout).toMatch(/ {2}100\.00 % {2}\d+ TICKET/);
  });

  test.each([
    ['--sell', ['--sell', 'NOPE', '--buy', 'DAI', '--sell-amount', '1'], "--sell 'NOPE': expected"],
    [
      'same token',
      ['--sell', 'DAI', '--buy', 'DAI', '--sell-amount', '1'],
      "--buy 'DAI': expected",
    ],
    ['no amount', ['--sell', 'WETH', '--buy', 'DAI'], 'exactly one of --sell-amount'],
    ['amount', ['--sell', 'WETH', '--buy', 'DAI', '--buy-amount', '0x1'], "--buy-amount '0x1'"],
    [
      'router',
      ['--sell', 'WETH', '--buy', 'DAI', '--sell-amount', '1', '--router', 'mine'],
      "--router 'mine': expected a router of the market: default-router",
    ],
  ])('wrong %s -> one line, exit code 2', async (_, args, message) => {
    const { stderr, exitCode } = await run('--market', market, ...args);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(exitCode).toBe(2);
  });

  test('market that is no file -> one line, exit code 2', async () => {
    const { stderr, exitCode } = await run(
      ...['--market', '/nowhere.json', '--sell', 'A', '--buy', 'B', '--sell-amount', '1'],
    );
    expect(stderr).toBe(
      "error: --market '/nowhere.json': expected a file that can be read (ENOENT)\n",
    );
    expect(exitCode).toBe(2);
  });

  test('token that nothing trades -> exit code 1, with the reason', async () => {
    const { stderr, exitCode } = await run(
      ...['--market', market, '--sell', 'LONE', '--buy', 'DAI', '--sell-amount', '1'],
    );
    expect(stderr).toContain('no pools connect the two tokens');
    expect(exitCode).toBe(1);
  });
});
