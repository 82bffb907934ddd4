import { readFileSync } from 'node:fs';
import request from 'supertest';
import { expect, test } from 'vitest';
import type { ChainInfo, SwapResponse, TokenInfo } from '../../conformance/contract/resources.ts';
import { ENCODERS } from '../encoding/encoders.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import { createApp, MAX_QUEUED } from './app.ts';

const agent = request(createApp().callback());
const get = async <Body>(target: string): Promise<Body> => {
  const { status, body } = await agent.get(`/api/v1.0/${target}&apiKey=demo`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

test('the embedded markets, by default -> calldata for every router that has an encoder', async () => {
  const info = await get<ChainInfo>('chainInfo?chainId=31337');
  const tokens = await get<TokenInfo[]>('tokens?chainId=31337');
  expect(tokens.map(({ address }) => address)).toContain(info.usdTokenAddress);
  const encoded = info.routers.filter(({ hasEncoder }) => hasEncoder);
  expect(encoded.map(({ name }) => name).sort()).toEqual(Object.keys(ENCODERS).sort());
  for (const { name, deployedAddress, liquiditySources } of encoded) {
    const sides = `sellToken=${info.wrappedNativeTokenAddress}&buyToken=${info.usdTokenAddress}`;
    const calldata = `includeCalldata=true&userAddress=0x${'11'.repeat(20)}&slippageTolerance=0.01`;
    const target = `swap?chainId=31337&${sides}&sellAmount=1000000000000000000&router=${name}`;
    const plain = await get<{ routes: { name: string; details: object }[] }>(target);
    const settled = await get<Record<string, string>>(`${target}&${calldata}`);
    expect(settled).toMatchObject(plain);
    expect(settled['routerAddress']).toBe(deployedAddress);
    expect(settled['calldata']).toMatch(/^0x([0-9a-f]{2})+$/);
    expect(settled['gasLimit']).toMatch(/^[1-9][0-9]*$/);
    for (const { name, details } of plain.routes) {
      expect(liquiditySources).toContain(name);
      const ofFamily = name === 'UniswapV4' ? 'poolId' : /v2/i.test(name) ? 'feeInBps' : 'fee';
      expect(Object.keys(details)[0], name).toBe(ofFamily);
    }
  }
});

test('a recipient that is a contract of the embedded market -> rejected', async () => {
  const [market] = loadEmbeddedMarkets();
  const { pools = [], makerOrders } = market ?? {};
  const vaults = pools.flatMap((pool) => ('vault' in pool ? [pool.vault] : []));
  const managers = pools.filter(({ family }) => family === 'singleton').map((each) => each.address);
  const contracts = [
    [vaults[0], 'a vault of pools'],
    [managers[0], 'a pool'],
    [makerOrders, 'a contract that fills orders'],
  ];
  const sides = `sellToken=${market?.usdToken}&buyToken=${market?.wrappedNative}&sellAmount=1000000`;
  for (const [recipient, what] of contracts) {
    const calldata = `includeCalldata=true&slippageTolerance=0.01&userAddress=0x${'11'.repeat(20)}`;
    const target = `swap?chainId=31337&${sides}&${calldata}&recipientAddress=${recipient}&apiKey=demo`;
    const { status, body } = await agent.get(`/api/v1.0/${target}`);
    expect([status, body.message]).toEqual([400, expect.stringContaining(`not ${what} of chain`)]);
  }
});

test('reference ids, order of tokens and routes -> arbitrary, but the same for equal requests', async () => {
  const info = await get<ChainInfo>('chainInfo?chainId=31337');
  const sides = `sellToken=${info.wrappedNativeTokenAddress}&buyToken=${info.usdTokenAddress}`;
  const plans: SwapResponse[] = [];
  for (let hundreds = 1; hundreds <= 12; hundreds++) {
    const target = `swap?chainId=31337&${sides}&sellAmount=${hundreds}${'0'.repeat(20)}`;
    const plan = await get<SwapResponse>(target);
    expect(await get(target)).toEqual(plan);
    plans.push(plan);
  }
  const placesOf = (at: (plan: SwapResponse) => number) => new Set(plans.map(at)).size;
  const isSold = ({ sell }: SwapResponse, id: number | undefined) => id === sell.referenceId;
  expect(
    placesOf((plan) => plan.tokens.findIndex((each) => isSold(plan, each.referenceId))),
  ).toBeGreaterThan(2);
  expect(
    placesOf((plan) =>
      plan.routes.findIndex(({ fromTokens }) => isSold(plan, fromTokens[0]?.referenceId)),
    ),
  ).toBeGreaterThan(1);
  for (const { tokens } of plans) {
    const ids = tokens.map(({ referenceId }) => referenceId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Math.max(...ids)).toBeGreaterThan(ids.length);
  }
});

test('docs/reference-service.md -> states the maximum number of waiting trades', () => {
  const page = readFileSync(new URL('../../docs/reference-service.md', import.meta.url), 'utf8');
  expect(page).toContain(`${MAX_QUEUED} trades`);
});
