import { type ChildProcess, fork } from 'node:child_process';
import autocannon from 'autocannon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { USD, WETH } from './small-market.testing.ts';

/* What waits, and what is refused, are laws in planning-queue.test.ts; here is real load. */

const PLAN_MS = 10;
const MAX_WAIT_MS = 200;

let service: ChildProcess;
let url: string;

beforeAll(async () => {
  service = fork(
    new URL('./slow-service.testing.ts', import.meta.url),
    [PLAN_MS, MAX_WAIT_MS].map(String),
    { execArgv: ['--import', 'tsx'] },
  );
  url = await new Promise((resolve) => service.once('message', (said) => resolve(String(said))));
});
afterAll(() => {
  service.kill();
});

test('connections as fast as they go -> nothing but 200 and 500, no error', async () => {
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
