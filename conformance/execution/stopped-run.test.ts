import { expect, test } from 'vitest';
import { exchangeWith } from '../client/exchange.testing.ts';
import { RunStopped } from '../client/scheduler.ts';
import { startAnvil } from './node/anvil.ts';
import { createRpc } from './node/json-rpc.ts';
import { settle, untilEnd } from './node/until-end.testing.ts';
import { plainAsset, plainMarket, plainSession } from './plain-market.testing.ts';

const CHAIN = 5353;
const ROUTER = `0x${'3'.repeat(40)}`;
const TOKEN = `0x${'2'.repeat(40)}`;
const PLANS = 96;

const pair = [plainAsset(`0x${'0'.repeat(40)}`, 'ETH'), plainAsset(TOKEN, 'TWO')] as const;

const reply = (startedAtMs: number) =>
  exchangeWith(
    {
      sell: { referenceId: 0, amount: '5' },
      buy: { referenceId: 1, amount: '5' },
      tokens: [
        { referenceId: 0, address: `0x${'1'.repeat(40)}` },
        { referenceId: 1, address: TOKEN },
      ],
      routes: [],
      routerAddress: ROUTER,
      calldata: '0x01020304',
      gasLimit: '100000',
    },
    { startedAtMs, durationMs: 0, headers: { date: [new Date(startedAtMs).toUTCString()] } },
  );

test('a run that is stopped during the second batch of plans -> the first batch is judged', async () => {
  const node = await untilEnd(startAnvil({ chainId: CHAIN }));
  // The router accepts any call.
  await createRpc(node.url)('anvil_setCode', [ROUTER, '0x00']);
  const settledUntil = async (lastRequest: number) => {
    const ending = new AbortController();
    let requests = 0;
    const get = async () => {
      if (++requests > lastRequest) ending.abort(new RunStopped('the budget of 5 s is spent'));
      ending.signal.throwIfAborted();
      return reply(Date.now());
    };
    const market = plainMarket(CHAIN, [pair], [5n, 5n]);
    const service = { ...plainSession(market, get), ending: ending.signal };
    const execution = await settle({ chainId: CHAIN, rpcUrl: node.url }, service, PLANS);
    return { execution, requests };
  };
  const items = (execution: Awaited<ReturnType<typeof settle>>) =>
    execution.kind === 'executed' ? execution.items.length : execution.why;
  const whole = await settledUntil(Number.POSITIVE_INFINITY);
  expect(items(whole.execution)).toBeGreaterThan(48);
  const cut = await settledUntil(Math.floor(whole.requests * 0.75));
  expect(items(cut.execution)).toBe(48);
  await expect(settledUntil(3)).rejects.toThrow('the budget of 5 s is spent');
});
