import type { Middleware } from 'koa';
import { afterEach, describe, expect, test } from 'vitest';
import { createApp } from './app.ts';
import { createHttpServer, listen } from './http-server.ts';
import { doublePlanner, KEY, SMALL_MARKET, swapQuery } from './small-market.testing.ts';
import { MAX_RUNNING, type PlanTrade } from './swap.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

async function start(planner: PlanTrade, maxQueued: number) {
  const seen = { arrived: 0, closed: 0 };
  const count: Middleware = (ctx, next) => {
    seen.arrived += 1;
    ctx.res.once('close', () => {
      seen.closed += 1;
    });
    return next();
  };
  const options = { markets: [SMALL_MARKET], apiKeys: [KEY], middleware: [count] };
  const app = createApp({ ...options, planner, maxQueued });
  const { url, drain } = await listen(createHttpServer(app.callback()), 0, '127.0.0.1');
  closing.push(() => drain(0));
  const swap = async (sellAmount: number, signal?: AbortSignal) => {
    const target = `${url}/api/v1.0/swap?${swapQuery({ sellAmount: `${sellAmount}` })}`;
    const reply = await fetch(target, signal ? { signal } : {});
    const { error = 'planned' } = (await reply.json()) as { error?: string };
    return error;
  };
  return { swap, seen };
}

/**
 * Returns a planner that holds each plan back until it is released, with the amounts that began.
 */
function heldPlanner() {
  const began: number[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const planner: PlanTrade = async (market, request) => {
    began.push(Number(request.amount));
    await released;
    return doublePlanner(market, request);
  };
  return { planner, began, release: () => release() };
}

describe('the queue of trades', () => {
  test('more trades than may wait -> planned in order of arrival, the rest is rejected at once, and later trades fit', async () => {
    const { planner, began, release } = heldPlanner();
    const { swap, seen } = await start(planner, 2);
    const replies: Promise<string>[] = [];
    for (let amount = 1; amount <= MAX_RUNNING; amount++) {
      replies.push(swap(amount));
      await expect.poll(() => began.length).toBe(amount);
    }
    const others = [101, 102, 103, 104].map((amount) => swap(amount));
    await expect.poll(() => seen.arrived).toBe(MAX_RUNNING + 4);
    release();
    expect(await Promise.all(replies)).toEqual(Array(MAX_RUNNING).fill('planned'));
    expect((await Promise.all(others)).sort()).toEqual([
      ...['OVERLOADED', 'OVERLOADED'],
      ...['planned', 'planned'],
    ]);
    expect(began.slice(0, MAX_RUNNING)).toEqual([...Array(MAX_RUNNING).keys()].map((n) => n + 1));
    expect(await swap(200)).toBe('planned');
  });

  test('clients that disconnect while they wait -> not planned, and they leave room for others', async () => {
    const { planner, began, release } = heldPlanner();
    const { swap, seen } = await start(planner, 1);
    const running = Array.from({ length: MAX_RUNNING }, (_, index) => swap(index + 1));
    await expect.poll(() => began.length).toBe(MAX_RUNNING);
    const client = new AbortController();
    const gone = swap(101, client.signal).catch(() => 'gone');
    await expect.poll(() => seen.arrived).toBe(MAX_RUNNING + 1);
    expect(await swap(102)).toBe('OVERLOADED');
    client.abort();
    expect(await gone).toBe('gone');
    await expect.poll(() => seen.closed).toBe(2);
    const next = swap(103);
    await expect.poll(() => seen.arrived).toBe(MAX_RUNNING + 3);
    release();
    expect(await Promise.all([...running, next])).not.toContain('OVERLOADED');
    expect(began).not.toContain(101);
  });

  test('a planner that throws -> its own error, and the next trade is planned', async () => {
    const { swap } = await start((market, request) => {
      if (request.amount === 1n) throw new TypeError('boom');
      return doublePlanner(market, request);
    }, 8);
    expect(await Promise.all([swap(1), swap(2)])).toEqual(['INTERNAL_ERROR', 'planned']);
  });
});
