import { describe, expect, test } from 'vitest';
import type { StepYield, SwapStep } from '../model/settlement.ts';
import { findMismatch } from './pool-payments.ts';

const [SELL, BUY] = ['0x51', '0xb0'] as const;

const stepOf = (sold: bigint, bought: bigint, pool = '0x99'): SwapStep => ({
  pool,
  source: 'UniswapV2',
  from: [{ token: SELL, amount: sold }],
  to: [{ token: BUY, amount: bought }],
});

const judge = (...yields: readonly StepYield[]) =>
  findMismatch(
    {
      pools: { kind: 'settled', yields },
      request: { swapKind: 'exact-output' },
      frozen: true,
    },
    0,
  );

describe('findMismatch', () => {
  const [first, second] = [stepOf(100n, 50n), stepOf(200n, 100n)];

  test('two steps through one pool, the second at a worse price -> judged by their sum', () => {
    const yields = (last: bigint): readonly StepYield[] => [
      { step: first, sold: 100n, received: 52n },
      { step: second, sold: 200n, received: last },
    ];
    expect(judge(...yields(98n))).toBeUndefined();
    expect(judge(...yields(97n))).toMatchObject({
      side: 'paid',
      planned: { token: BUY, amount: 150n },
      actual: 149n,
    });
  });

  test('two pools -> each judged separately', () => {
    const other = stepOf(200n, 100n, '0x88');
    const found = judge(
      { step: first, sold: 100n, received: 52n },
      { step: other, sold: 200n, received: 98n },
    );
    expect(found).toMatchObject({ step: other, actual: 98n });
  });
});
