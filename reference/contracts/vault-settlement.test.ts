import { createRequire } from 'node:module';
import fc from 'fast-check';
import { toHex, type Address as ViemAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chain31337 } from '../../scripts/fixtures/chain-31337.ts';
import type { BalancerContracts } from '../../scripts/fixtures/contracts.ts';
import { createSender } from '../../scripts/fixtures/sender.ts';
import type { VaultPoolSpec } from '../../scripts/fixtures/spec.ts';
import { createdVaultPools, openVaultPool } from '../../scripts/fixtures/vault-pools.ts';
import { parseAddress } from '../domain/address.ts';
import { graphRouter } from '../encoding/graph-router.ts';
import { createNodeClient } from '../market/live/node-client.ts';
import { readIdentities, readStates } from '../market/live/read-chain.ts';
import { familyOf } from '../pools/families.ts';
import { anyPlan } from './plans.testing.ts';
import { settle, startTestChain, type TestChain } from './settlement.testing.ts';

const USER = parseAddress(`0x${'5e11e4'.padStart(40, '0')}`);
const PLANS = process.env['SWAPCHECK_LONG'] ? 400 : 20;

const POOLS: readonly VaultPoolSpec[] = [
  {
    family: 'stable',
    tokens: ['DAI', 'USDT'],
    amplification: 200,
    feePips: 100,
    depthUsd: 900_000,
  },
  {
    family: 'stable',
    tokens: ['USDC', 'GUSD', 'DAI', 'EURC'],
    amplification: 50,
    feePips: 400,
    depthUsd: 700_000,
  },
  {
    family: 'weighted',
    tokens: ['WETH', 'USDC'],
    weights: [80, 20],
    feePips: 3000,
    depthUsd: 900_000,
  },
  {
    family: 'weighted',
    tokens: ['WETH', 'LINK', 'UNI', 'USDT'],
    weights: [40, 20, 20, 20],
    feePips: 1000,
    depthUsd: 900_000,
  },
];

type Contracts = BalancerContracts & { readonly deployer: ViemAddress };
const contracts: Contracts = createRequire(import.meta.url)(
  '#fixtures/markets/31337.contracts.json',
);

let chain: TestChain;
beforeAll(async () => {
  const started = await startTestChain();
  chain = started;
  const { client, market, node, rpc } = started;
  await rpc('evm_setBlockGasLimit', [toHex(3_000_000_000)]);
  await rpc('evm_mine');
  const tokens = new Map(
    [...market.tokens.values()].map(({ symbol, address }) => {
      const spec = chain31337.tokens.find((token) => token.symbol === symbol);
      if (spec === undefined) throw new Error(`the chain has no ${symbol}`);
      return [symbol, { ...spec, address }] as const;
    }),
  );
  const sender = await createSender(client, contracts.deployer);
  const openings = POOLS.map((pool, index) => {
    const nth = POOLS.slice(0, index).filter(({ family }) => family === pool.family).length;
    return openVaultPool({ reader: client, sender, contracts, tokens }, pool, index, nth);
  });
  for (const { create } of openings) create();
  await sender.mine();
  for (const { fill } of openings) await fill();
  await sender.mine();
  const live = createNodeClient(node.url);
  const block = await live.client.getBlock();
  const created = await createdVaultPools(client, contracts);
  const entries = created.map(({ family, address }) => ({ family, address, source: 'Vault' }));
  const identities = await readIdentities(live, { pools: entries }, block);
  const pools = (await readStates(live, identities, new Map(), block)).map((file) =>
    familyOf(file).parse(
      file,
      '',
      (token) => market.tokens.get(parseAddress(token))?.decimals ?? 0,
    ),
  );
  const near = market.pools.filter((pool) => pool.family === 'constant-product').slice(0, 8);
  chain = { ...started, market: { ...market, pools: [...pools, ...near] } };
}, 60_000);
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
      expect(settled.sent.kind).toBe('mined');
      expect(settled.sold).toBe(plan.sellAmount);
      expect(settled.bought).toBe(plan.buyAmount);
      expect(settled.left).toBe(0n);
      expect(Number(settled.gasLimit)).toBeGreaterThanOrEqual(Number(settled.estimate));
      const allowances = await Promise.all(
        plan.swaps.map(({ tokenIn }) =>
          chain.client.readContract({
            address: tokenIn,
            abi: ALLOWANCE,
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

const ALLOWANCE = [
  {
    type: 'function',
    name: 'allowance',
    stateMutability: 'view',
    inputs: [{ type: 'address' }, { type: 'address' }],
    outputs: [{ type: 'uint256' }],
  },
] as const;
