import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type AnvilNode, startAnvil } from '../execution/node/anvil.ts';
import { NodeUnreachableError } from '../execution/node/json-rpc.ts';
import { startNodeProxy } from '../execution/node/node-proxy.testing.ts';
import { untilEnd } from '../execution/node/until-end.testing.ts';
import { UsageError } from '../output/usage-error.ts';
import { checkForks } from './judge-settings.ts';

const url = new URL('https://api.example.org');
const EXECUTES = ['settlement'] as const;
let node: AnvilNode;

beforeAll(async () => {
  node = await startAnvil({ chainId: 77 });
});

afterAll(() => node.stop());

function check(chainId: number, rpcUrl: string, kinds = EXECUTES): Promise<unknown> {
  return checkForks(url, kinds, { forks: [{ chainId, rpcUrl }] });
}

describe('checkForks', () => {
  test('a node for the chain, from an argument or the environment -> its fork is returned', async () => {
    const forks = [{ chainId: 77, rpcUrl: node.url }];
    expect(await check(77, node.url)).toEqual(forks);
    process.env['SWAPCHECK_RPC_77'] = node.url;
    expect(await checkForks(url, EXECUTES, {})).toEqual(forks);
    delete process.env['SWAPCHECK_RPC_77'];
  });

  test('a node of another chain -> usage error that names both chains', async () => {
    await expect(check(1, node.url)).rejects.toThrow(UsageError);
    await expect(check(1, node.url)).rejects.toThrow(/serves chain 77, not chain 1/);
  });

  test("no response -> an error with the node's origin, without the key", async () => {
    const failing = check(1, 'http://127.0.0.1:1/v2/KEY');
    await expect(failing).rejects.toThrow(NodeUnreachableError);
    await expect(failing).rejects.toThrow(/^(?!.*KEY).*127\.0\.0\.1:1 does not respond/);
  });

  test('--settle-on node -> accepts a node that can settle plans, without Anvil; rejects a node that cannot', async () => {
    vi.stubEnv('ANVIL_BIN', '/no/such/anvil');
    onTestFinished(() => void vi.unstubAllEnvs());
    const checkOn = (rpcUrl: string) =>
      checkForks(url, EXECUTES, { forks: [{ chainId: 77, rpcUrl }], settleOn: 'node' });
    expect(await checkOn(node.url)).toEqual([{ chainId: 77, rpcUrl: node.url, settleOn: 'node' }]);
    const proxy = await untilEnd(
      startNodeProxy(node.url, ({ method }) =>
        method === 'eth_simulateV1' ? { code: -32601, message: 'no such method' } : undefined,
      ),
    );
    await expect(checkOn(proxy.url)).rejects.toThrow(UsageError);
    await expect(checkOn(proxy.url)).rejects.toThrow(
      /cannot settle plans: it failed: eth_simulateV1: .*; omit --settle-on node$/,
    );
  });

  test('execute without a node -> usage error, except for the reference', async () => {
    await expect(checkForks(url, EXECUTES, {})).rejects.toThrow(UsageError);
    await expect(checkForks(undefined, EXECUTES, {})).resolves.toBeUndefined();
    await expect(checkForks(url, [], {})).resolves.toBeUndefined();
  });
});
