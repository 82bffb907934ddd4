import { decodeFunctionData, encodeAbiParameters, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import type { SwapResponse } from '../contract/resources.ts';
import { type EncodeOptions, encodeForUniversalRouter } from './encode.ts';

const [POOL, FACTORY, SOLD, BOUGHT] = ['1', '2', '3', '4'].map(
  (digit) => `0x${digit.repeat(40)}` as const,
) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`];
const token = (referenceId: number, address: string) => ({
  ...{ referenceId, address, name: 'T', symbol: 'T', decimals: 18, usdPrice: 1 },
});
const PLAN: SwapResponse = {
  aggregator: 'a',
  router: 'universal-router',
  sell: { referenceId: 7, amount: '1000' },
  buy: { referenceId: 9, amount: '990' },
  nativeTokenUsdPrice: 1,
  tokens: [token(7, SOLD), token(9, BOUGHT)],
  routes: [
    {
      address: POOL,
      name: 'UniswapV3',
      fromTokens: [{ referenceId: 7, amount: '1000' }],
      toTokens: [{ referenceId: 9, amount: '990' }],
    },
  ],
};
const EXECUTE = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
]);
const word = (address: `0x${string}`) => encodeAbiParameters([{ type: 'address' }], [address]);
/** A node on whose chain the pool is one of its factory, at a fee of 500. */
const node: EncodeOptions['node'] = async <Result>(_: string, [call]: readonly unknown[] = []) => {
  const { to, data } = call as { to: string; data: string };
  const answers: Record<string, string> = {
    '0xc45a0155': word(FACTORY),
    '0xddca3f43': `0x${(500).toString(16).padStart(64, '0')}`,
  };
  return (to === FACTORY ? word(POOL) : answers[data.slice(0, 10)]) as Result;
};
const options = { node, leastBought: 980n, deadline: 2_000_000_000 };

describe('encodeForUniversalRouter', () => {
  test('a plan through one pool -> execute with a swap and a sweep', async () => {
    const encoded = await encodeForUniversalRouter(PLAN, options);
    if (encoded.kind !== 'encoded') throw new Error(encoded.why);
    const { args } = decodeFunctionData({ abi: EXECUTE, data: encoded.calldata });
    expect([args[0], args[2], encoded.value]).toEqual(['0x0004', 2_000_000_000n, 0n]);
    expect(args[1][0]).toContain(`${SOLD.slice(2)}0001f4${BOUGHT.slice(2)}`);
    expect(args[1][1]).toContain((980).toString(16));
  });

  test('native on both sides -> sent with the transaction, wrapped and unwrapped', async () => {
    const native = {
      ...PLAN,
      sell: { ...PLAN.sell, wrapFromNative: true },
      buy: { ...PLAN.buy, unwrapToNative: true },
    };
    const encoded = await encodeForUniversalRouter(native, options);
    if (encoded.kind !== 'encoded') throw new Error(encoded.why);
    const { args } = decodeFunctionData({ abi: EXECUTE, data: encoded.calldata });
    expect([args[0], encoded.value]).toEqual(['0x0b000c', 1000n]);
    const plain = await encodeForUniversalRouter(native, { ...options, sellNative: false });
    expect(plain).toMatchObject({ kind: 'encoded', value: 0n });
  });

  test('a plan of another source, and one that cannot be read -> the reason', async () => {
    const [route] = PLAN.routes as [SwapResponse['routes'][number]];
    const other = { ...PLAN, routes: [{ ...route, name: 'Curve' }] };
    expect(await encodeForUniversalRouter(other, options)).toEqual({
      kind: 'not-encodable',
      why: 'the source "Curve" is not known here',
    });
    const torn = { ...PLAN, tokens: [] };
    expect(await encodeForUniversalRouter(torn, options)).toMatchObject({ kind: 'not-encodable' });
  });
});
