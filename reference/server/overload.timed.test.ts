import { type ChildProcess, fork } from 'node:child_process';
import autocannon from 'autocannon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { USD, WETH } from './small-market.testing.ts';

/* swap.test.ts tests the rules of the queue. This test puts the queue under real load. */

const PLAN_MS = 10;
const MAX_QUEUED = 20;

let service: ChildProcess;
let url: string;

beforeAll(async () => {
  service = fork(
    new URL('./slow-service.testing.ts', import.meta.url),
    [PLAN_MS, MAX_QUEUED].map(String),
    { execArgv: ['--import', 'tsx'] },
  );
  url = await new Promise((resolve) =>
    service.once('message', (message) => resolve(String(message))),
  );
});
afterAll(() => {
  service.kill();
});

test('60 connections that send without a pause -> only statuses 200 and 500, no error or timeout', async () => {
  const pair = `chainId=31337&sellToken=${WETH}&buyToken=${USD}`;
  let amount = 1_000_000;
  const nextTarget = () => `/api/v1.0/swap?${pair}&sellAmount=${amount++}&apiKey=demo`;
  const { errors, timeouts, statusCodeStats } = await autocannon({
    url,
    connections: 60,
    duration: 2,
    requests: [{ setupRequest: (request) => ({ ...request, path: nextTarget() }) }],
  });
  expect([errors, timeouts]).toEqual([0, 0]);
  expect(Object.keys(statusCodeStats ?? {}).sort()).toEqual(['200', '500']);
});
