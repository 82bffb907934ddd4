import { createRequire } from 'node:module';
import fc from 'fast-check';
import { erc20Abi } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BalancerContracts } from '../../scripts/fixtures/contracts.ts';
import { parseAddress } from '../domain/address.ts';
import { graphRouter } from '../encoding/graph-router.ts';
import { anyPlan } from './plans.testing.ts';
import { expectExact, settle } from './settlement.testing.ts';
import { startTestChain, type TestChain } from './test-chain.testing.ts';

const USER = parseAddress(`0x${'5e11e4'.padStart(40, '0')}`);
const PLANS = process.env['SWAPCHECK_LONG'] ? 400 : 20;

const contracts: BalancerContracts = createRequire(import.meta.url)(
  '#fixtures/markets/31337.contracts.json',
);

let chain: TestChain;
beforeAll(async () => {
  const started = await startTestChain();
  const { pools } = started.market;
  const near = pools.filter((pool) => pool.family === 'constant-product').slice(0, 8);
  const ofVault = pools.filter((pool) => 'poolId' in pool);
  chain = { ...started, market: { ...started.market, pools: [...ofVault, ...near] } };
});
afterAll(() => chain?.node.stop());

describe.each(['default-router', 'service-router'] as const)('%s', (router) => {
  test('any plan with pools of the Vault -> settles as quoted to the base unit, within the gas limit, nothing stays', async () => {
    const plans = fc
      .sample(anyPlan(chain.market), { numRuns: 6 * PLANS, seed: router.length })
      .filter(({ swaps }) => swaps.some(({ pool }) => 'poolId' in pool))
      .slice(0, PLANS);
    expect(plans.length).toBe(PLANS);
    expect(new Set(plans.map(({ swapKind }) => swapKind)).size).toBe(2);
    for (const [i, plan] of plans.entries()) {
      const settled = await settle(chain, plan, {
        router,
        encode: graphRouter.encode,
        user: USER,
        sellNative: plan.sellToken === chain.market.wrappedNative && i % 2 > 0,
        buyNative: plan.buyToken === chain.market.wrappedNative && i % 2 > 0,
      });
      expectExact(settled, plan);
      const allowances = await Promise.all(
        plan.swaps.map(({ tokenIn }) =>
          chain.client.readContract({
            address: tokenIn,
            abi: erc20Abi,
            functionName: 'allowance',
            args: [
              chain.market.routers.find(({ name }) => name === router)?.address ?? USER,
              contracts.vault,
            ],
          }),
        ),
      );
      expect(allowances.every((allowance) => allowance === 0n)).toBe(true);
    }
  }, 120_000);
});
