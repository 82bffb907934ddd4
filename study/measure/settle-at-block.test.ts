import { expect, test } from 'vitest';
import { openFork } from '../../conformance/execution/fork/fork.ts';
import { untilEnd } from '../../conformance/execution/node/until-end.testing.ts';
import {
  encodeCall,
  oddSession,
  startOddChain,
} from '../../conformance/execution/odd-chain.testing.ts';
import { plainAsset } from '../../conformance/execution/plain-market.testing.ts';
import { readSwapPlan } from '../../conformance/execution/settle/read-swap-plan.ts';
import {
  type Address,
  type TradeRequest,
  targetOf,
} from '../../conformance/model/trade-request.ts';
import type { Outcome } from '../model/measured-trade.ts';
import { settleAtBlock } from './settle-at-block.ts';
import { STUDY_ACCOUNTS } from './study-accounts.ts';

const CHAIN = 4242;
const AMOUNT = 10n ** 18n;

test('a token whose balances grow every second -> exactly the traded amounts', async () => {
  const chain = await startOddChain(CHAIN);
  await untilEnd(chain.node);
  const names = ['AccruingToken', 'PlainToken', 'Counter'];
  const [accruing, plain, router] = (await inOrder(names, (name) => chain.deploy(name))) as [
    Address,
    Address,
    Address,
  ];
  const pool = await chain.read(router, 'Counter', 'pool');
  const transfer = encodeCall('PlainToken', 'transfer', [pool, 10n ** 24n]);
  await inOrder([accruing, plain], (token) => chain.send(token, transfer));
  const { facts, get } = oddSession({
    ...{ chainId: CHAIN, wrappedNative: plain, amount: AMOUNT, pairs: [] },
    routers: [{ name: 'default-router', deployedAddress: router }],
    planFor: (asked) => {
      const [sell, buy] = ['sellToken', 'buyToken'].map((name) => [asked.get(name), AMOUNT]) as [
        [Address, bigint],
        [Address, bigint],
      ];
      const calldata = encodeCall('Counter', 'trade', [...sell, ...buy, STUDY_ACCOUNTS.user]);
      return { router, sell, buy, routes: [[pool, sell, buy]], calldata };
    },
  });
  const info = facts.chainInfo.get(CHAIN);
  const source = { chainId: CHAIN, rpcUrl: chain.node.url };
  const fork = await untilEnd(openFork(source, { info, accounts: STUDY_ACCOUNTS }));
  for (const [sell, buy] of [
    [accruing, plain],
    [plain, accruing],
  ] as const) {
    const request = requestOf(sell, buy);
    const plan = readSwapPlan(await get(targetOf(request)));
    if (plan?.transaction === undefined) throw new Error('the reply contains no calldata');
    const outcomes: Outcome[] = [];
    const planned = { request, plan, transaction: plan.transaction };
    await settleAtBlock(async () => fork, fork.block.number, [{ planned, outcomes, blocks: 0 }]);
    const amounts = { spent: String(AMOUNT), received: String(AMOUNT) };
    expect(outcomes).toEqual([{ blocks: 0, kind: 'settled', ...amounts }]);
  }
});

function requestOf(sell: Address, buy: Address): TradeRequest {
  const [sold, bought] = [plainAsset(sell, 'SELL'), plainAsset(buy, 'BUY')];
  return {
    ...{ chainId: CHAIN, router: 'default-router', sell: sold, buy: bought },
    ...{ swapKind: 'exact-input', amount: AMOUNT, slippageBps: 10_000 },
    ...{ user: STUDY_ACCOUNTS.user, recipient: undefined, useRfq: false },
    requiredParameters: undefined,
  };
}

async function inOrder<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
