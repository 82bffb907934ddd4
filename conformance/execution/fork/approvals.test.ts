import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFixtureChain } from '../../../fixtures/chains/fixture-chain.ts';
import type { RouterInfo } from '../../contract/resources.ts';
import type { Address } from '../../model/trade-request.ts';
import type { AnvilNode } from '../node/anvil.ts';
import { createRpc, type Rpc } from '../node/json-rpc.ts';
import { approvalOf } from './approvals.ts';

const require = createRequire(import.meta.url);
const contracts = require('#fixtures/markets/31337.contracts.json') as {
  permit2: Address;
  universalRouter: Address;
  wrappedNative: Address;
};

let node: AnvilNode;
let rpc: Rpc;

beforeAll(async () => {
  node = await startFixtureChain(31337);
  rpc = createRpc(node.url);
});

afterAll(() => node.stop());

describe('approvalOf', () => {
  const router = contracts.universalRouter;
  const info = (tokenProxyAddress?: string): RouterInfo => ({
    name: 'universal-router',
    liquiditySources: [],
    deployedAddress: router,
    hasEncoder: true,
    ...(tokenProxyAddress === undefined ? {} : { tokenProxyAddress }),
  });

  test('no proxy -> the router', async () => {
    expect(await approvalOf(rpc, info())).toEqual({ router, spender: router, viaPermit2: false });
  });

  test('any other contract as the token proxy -> that contract', async () => {
    const spender = contracts.wrappedNative;
    expect(await approvalOf(rpc, info(spender))).toEqual({ router, spender, viaPermit2: false });
  });

  test('Permit2 as the token proxy -> Permit2, through which the router takes tokens', async () => {
    const spender = contracts.permit2;
    expect(await approvalOf(rpc, info(spender))).toEqual({ router, spender, viaPermit2: true });
  });

  test('an invalid address -> undefined', async () => {
    expect(await approvalOf(rpc, { ...info(), deployedAddress: 'nowhere' })).toBeUndefined();
  });
});
