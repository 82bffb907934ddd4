import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Market } from '../market/market.ts';
import { anyStablePool, constantProductPool } from '../planner/pools/pools.testing.ts';
import { resolveRouters } from './encoders.ts';

const [stable] = fc.sample(anyStablePool, { seed: 1, numRuns: 1 });

describe('resolveRouters', () => {
  test('a source with pools that the encoder cannot settle -> omitted; without an encoder -> included', () => {
    const router = { address: stable?.address, sources: ['V2', 'Vault'] };
    const routers = [
      { ...router, name: 'default-router' },
      { ...router, name: 'universal-router' },
    ];
    const market = { routers, pools: [constantProductPool(1n, 1n), stable] } as unknown as Market;
    const sourcesOf = (encoders?: object) =>
      resolveRouters(market, encoders).map(({ constraints }) => [...constraints.sources]);
    expect(sourcesOf()).toEqual([['V2', 'Vault'], ['V2']]);
    expect(sourcesOf({})).toEqual([
      ['V2', 'Vault'],
      ['V2', 'Vault'],
    ]);
  });
});
