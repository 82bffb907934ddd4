import { afterAll, beforeAll, expect, test } from 'vitest';
import { mine as mineBlock } from '../../../fixtures/testing/send.testing.ts';
import type { Hex, Scenario } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import { type AnvilNode, startAnvil } from '../node/anvil.ts';
import { createRpc, originOf, quantity, type Rpc } from '../node/json-rpc.ts';
import { type Fault, type NodeCall, startNodeProxy } from '../node/node-proxy.testing.ts';
import { untilEnd } from '../node/until-end.testing.ts';
import { ampleScenario, type SaltedBlock } from '../scenario/circumstances.ts';
import { mine } from '../settle/mine.testing.ts';
import { simulate } from '../settle/simulate.ts';
import { simulateWithCalls } from '../settle/trace-call.ts';
import { openFork } from './fork.ts';
import { CannotSettleError } from './source.ts';

const chainId = 5353;
const ACCOUNT = '0x00000000000000000000000000000000000000aa';
const PAYEE = '0x00000000000000000000000000000000000000bb';

let origin: AnvilNode;
let rpc: Rpc;

beforeAll(async () => {
  origin = await startAnvil({ chainId, timestamp: 1_750_000_000 });
  rpc = createRpc(origin.url);
});
afterAll(() => origin.stop());

const startProxy = (faultOf: (call: NodeCall) => Fault | undefined = () => undefined) =>
  untilEnd(startNodeProxy(origin.url, faultOf));

test('a chain that advances -> read and simulated at one block until the fork is moved', async () => {
  await rpc('anvil_setBalance', [ACCOUNT, '0x7b']);
  await mineBlock(rpc);
  const proxy = await startProxy();
  const chain = await untilEnd(openFork({ chainId, rpcUrl: proxy.url, settleOn: 'node' }));
  const { number } = chain.block;
  await mineBlock(rpc);
  await rpc('anvil_setBalance', [ACCOUNT, '0x99']);
  await mineBlock(rpc);
  const held = () => chain.rpc('eth_getBalance', [ACCOUNT, 'latest']);
  expect(await chain.rpc('eth_blockNumber')).toBe(quantity(number));
  expect(await held()).toBe('0x7b');
  await chain.refresh(number + 2);
  expect(await chain.rpc('eth_blockNumber')).toBe(quantity(number + 2));
  expect(await held()).toBe('0x99');
});

test('a call that names no block -> executed at the same block', async () => {
  const proxy = await startProxy();
  const chain = await untilEnd(openFork({ chainId, rpcUrl: proxy.url, settleOn: 'node' }));
  await chain.rpc('eth_call', [{ to: ACCOUNT }]);
  expect(proxy.calls.at(-1)?.params).toEqual([{ to: ACCOUNT }, quantity(chain.block.number)]);
});

const paying5 = (fork: SaltedBlock): Scenario =>
  ampleScenario(fork, {
    ...{ chainId, overrides: { [ACCOUNT]: { balance: 10n ** 18n } }, before: [] },
    trade: { from: ACCOUNT, to: PAYEE, value: 5n, data: '0x' },
    measured: { tokens: [NATIVE_TOKEN], holders: [ACCOUNT] },
  });

test('a scenario -> settled as on a fork, in one call that changes nothing', async () => {
  const proxy = await startProxy();
  const source = { chainId, rpcUrl: proxy.url };
  const chain = await untilEnd(openFork({ ...source, settleOn: 'node' }));
  const fork = await untilEnd(openFork(source));
  const scenario = paying5(chain);
  const before = proxy.calls.length;
  const settled = await simulate(chain, scenario);
  expect(proxy.calls.slice(before).map(({ method }) => method)).toEqual(['eth_simulateV1']);
  expect(settled).toEqual(await simulate(fork, scenario));
  expect(settled).toMatchObject({ outcome: 'settled', payments: [{ amount: 5n }] });
  expect(Number(await rpc('eth_blockNumber'))).toBe(chain.block.number);
});

const rejectLikeReth = ({ method, params }: NodeCall): Fault | undefined => {
  type Calls = readonly { readonly gas: Hex }[];
  type Simulated = { readonly blockOverrides: { readonly gasLimit: Hex }; readonly calls: Calls };
  const isTooMuch = (gas: Hex, most: number) => Number(gas) > most;
  const [first] = params as [{ gas?: Hex; blockStateCalls?: readonly Simulated[] }];
  const sumOf = (calls: Calls) => quantity(calls.reduce((sum, { gas }) => sum + Number(gas), 0));
  const isRejected =
    method === 'eth_call'
      ? isTooMuch(first.gas ?? '0x0', 50_000_000)
      : (first?.blockStateCalls ?? []).some(
          ({ blockOverrides: { gasLimit }, calls }) =>
            isTooMuch(gasLimit, 50_000_000) ||
            isTooMuch(sumOf(calls), Number(gasLimit)) ||
            calls.some(({ gas }) => isTooMuch(gas, 2 ** 24)),
        );
  return isRejected ? { code: -38026, message: 'Client adjustable limit reached' } : undefined;
};

test('a node that limits gas -> never sent a higher limit, however many calls are simulated', async () => {
  const proxy = await startProxy(rejectLikeReth);
  const chain = await untilEnd(openFork({ chainId, rpcUrl: proxy.url, settleOn: 'node' }));
  const call = { from: ACCOUNT, to: PAYEE, value: 1n, data: '0x' } as const;
  for (const count of [0, 1, 32]) {
    const before = Array.from({ length: count }, () => call);
    const settled = await simulate(chain, { ...paying5(chain), before });
    expect(settled).toMatchObject({ outcome: 'settled', payments: [{ amount: 5n }] });
    expect(await simulateWithCalls(chain, { ...paying5(chain), before })).toMatchObject({
      ...settled,
      calls: { to: PAYEE },
    });
  }
  await chain.rpc('eth_call', [{ to: PAYEE, gas: quantity(1_000_000_000) }, 'latest']);
  expect(proxy.calls.at(-1)?.params[0]).toEqual({ to: PAYEE, gas: quantity(50_000_000) });
});

test('a failure -> confirmed by another simulation with its calls, and recorded on a fork', async () => {
  const chain = await untilEnd(openFork({ chainId, rpcUrl: origin.url, settleOn: 'node' }));
  const scenario = paying5(chain);
  const again = await simulateWithCalls(chain, scenario);
  expect(again).toMatchObject({ outcome: 'settled', calls: { to: PAYEE, value: '0x5' } });
  const state = await chain.recordState(async (copy) => {
    await simulateWithCalls(copy, scenario);
  });
  expect(Object.keys(state?.accounts ?? {})).toEqual(expect.arrayContaining([PAYEE]));
  expect(Number(await rpc('eth_blockNumber'))).toBe(chain.block.number);
});

test('a chain in our own Anvil -> trades are simulated on it, as they are mined', async () => {
  const anvil = await untilEnd(startAnvil({ chainId }));
  const chain = await openFork({ chainId, rpcUrl: anvil.url, isPrivate: true });
  const scenario = paying5(chain);
  const mined = await mine(chain, scenario);
  expect(mined.calls).toMatchObject({ to: PAYEE, value: '0x5' });
  expect(await simulateWithCalls(chain, scenario)).toMatchObject({
    ...mined,
    calls: { to: PAYEE },
  });
  expect(await chain.rpc('eth_blockNumber')).toBe('0x0');
  const state = await chain.recordState(async (copy) => {
    await copy.rpc('eth_getBalance', [PAYEE, 'latest']);
  });
  expect(state?.accounts[PAYEE]).toMatchObject({ balance: '0x0' });
});

test.each(['anvil_setBalance', 'evm_mine', 'eth_sendTransaction'])(
  '%s -> not called, since it would change the node',
  async (method) => {
    const chain = await untilEnd(openFork({ chainId, rpcUrl: origin.url, settleOn: 'node' }));
    await expect(chain.rpc(method)).rejects.toThrow(/would change the node/);
  },
);

const unknown: Fault = { code: -32601, message: 'the method does not exist' };
test.each<[string, (call: NodeCall) => Fault | undefined, RegExp]>([
  [
    'no eth_simulateV1',
    ({ method }) => (method === 'eth_simulateV1' ? unknown : undefined),
    /it failed: eth_simulateV1: the method does not exist/,
  ],
  [
    'no debug_traceCall',
    ({ method }) => (method === 'debug_traceCall' ? unknown : undefined),
    /it failed: debug_traceCall: the method does not exist/,
  ],
  [
    'no overrides of the block',
    ({ method, params }) => {
      if (method !== 'eth_simulateV1') return undefined;
      const [{ blockStateCalls }] = params as [{ blockStateCalls: readonly object[] }];
      const calls = blockStateCalls.map((each) => ({ ...each, blockOverrides: {} }));
      return { params: [{ blockStateCalls: calls, traceTransfers: true }, params[1]] };
    },
    /its eth_simulateV1 does not override the state and the block/,
  ],
  [
    'no transfers of the native token',
    ({ method, params }) => {
      if (method !== 'eth_simulateV1') return undefined;
      return { params: [{ ...(params[0] as object), traceTransfers: false }, params[1]] };
    },
    /its eth_simulateV1 does not report transfers of the native token/,
  ],
])('a node with %s -> cannot settle plans, with the reason', async (_, faultOf, why) => {
  const proxy = await startProxy(faultOf);
  const opening = openFork({ chainId, rpcUrl: proxy.url, settleOn: 'node' });
  await expect(opening).rejects.toThrow(CannotSettleError);
  await expect(opening).rejects.toThrow(why);
  await expect(opening).rejects.toThrow(`the node at ${originOf(proxy.url)} cannot settle plans`);
});
