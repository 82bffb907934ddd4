import { describe, expect, expectTypeOf, test } from 'vitest';
import type { SwapResponse } from '../contract/resources.ts';
import { exchangeWith } from './exchange.testing.ts';
import { createOperations, readAnswer, type SwapWithCalldata, targetFor } from './operations.ts';

const CHAINS = [{ chainId: 1, name: 'One' }];
const PLAN = {
  aggregator: 'a',
  router: 'default-router',
  sell: { referenceId: 0, amount: '1' },
  buy: { referenceId: 1, amount: '1' },
  nativeTokenUsdPrice: 1,
  tokens: [],
  routes: [],
};

describe('readAnswer', () => {
  const error = { error: 'E', message: 'm', details: { a: 1 } };
  test.each([
    [CHAINS, 200, { kind: 'returned', body: CHAINS }],
    [error, 400, { kind: 'rejected', ...error }],
    [{ error: 'E', message: 'm' }, 500, { kind: 'failed', error: 'E', message: 'm' }],
    ['<html>', 200, { kind: 'unexpected', why: expect.stringMatching(/^its body is not JSON/) }],
    [error, 404, { kind: 'unexpected', why: expect.stringMatching(/^status 404, but/) }],
    [{ a: 1 }, 400, { kind: 'unexpected', why: expect.stringMatching(/must have .*'error'/) }],
    [
      [{ chainId: '1', name: 'One' }],
      200,
      { kind: 'unexpected', why: '/0/chainId must be integer, got "1"' },
    ],
  ])('%j with status %i -> its kind', async (body, status, expected) => {
    const exchange = exchangeWith(body, { status });
    expect(await readAnswer('chains', exchange)).toMatchObject({ ...expected, exchange });
  });

  test('no reply -> the reason', async () => {
    const outcome = { kind: 'no-reply', cause: 'timeout', message: 'none in time' } as const;
    const answer = await readAnswer('chains', { ...exchangeWith([]), outcome });
    expect(answer).toMatchObject({ kind: 'no-reply', cause: 'timeout', why: 'none in time' });
  });
});

describe('createOperations', () => {
  const sale = { chainId: 1, sellToken: '0xa', buyToken: '0xb', sellAmount: 10n ** 20n };
  const calldata = { includeCalldata: true, userAddress: '0xc', slippageTolerance: 0.01 } as const;

  test('parameters -> the query, without undefined ones', () => {
    expect(targetFor('swap', { ...sale, router: 'universal-router', useRfq: false })).toEqual({
      path: '/api/v1.0/swap',
      query: [
        ['chainId', '1'],
        ['sellToken', '0xa'],
        ['buyToken', '0xb'],
        ['sellAmount', '100000000000000000000'],
        ['router', 'universal-router'],
        ['useRfq', 'false'],
      ],
    });
    expect(targetFor('chains', {})).toEqual({ path: '/api/v1.0/chains', query: [] });
  });

  test('a plan without the requested calldata -> unexpected', async () => {
    const { swap } = createOperations(async () => exchangeWith(PLAN));
    const [plain, encoded] = [await swap(sale), await swap({ ...sale, ...calldata })];
    expect(plain.kind).toBe('returned');
    expect(encoded).toMatchObject({ kind: 'unexpected', why: 'its plan has no `routerAddress`' });
    if (plain.kind === 'returned') expectTypeOf(plain.body).toEqualTypeOf<SwapResponse>();
    if (encoded.kind === 'returned') expectTypeOf(encoded.body).toEqualTypeOf<SwapWithCalldata>();
  });

  test('options -> passed on', async () => {
    const { chains } = createOperations(async (_, name: string) =>
      exchangeWith(CHAINS, { method: name }),
    );
    expect(await chains('x')).toMatchObject({ kind: 'returned', exchange: { method: 'x' } });
  });
});
