import type { IncomingMessage, ServerResponse } from 'node:http';
import { pino } from 'pino';
import request from 'supertest';
import { expect, test } from 'vitest';
import { refuseEarly } from './early-refusal.ts';
import { createPlanningQueue } from './planning-queue.ts';

test('a trade while others wait to be refused -> refused as they are, and logged', async () => {
  const queue = createPlanningQueue({ maxQueued: 0 });
  const lines: object[] = [];
  const logger = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const read: (string | undefined)[] = [];
  const listener = refuseEarly(queue, logger, async (asked, response) => {
    read.push(asked.url);
    response.end('read');
  });
  const ask = (target: string) =>
    request(
      // Waits to be refused until the event loop turns.
      (asked: IncomingMessage, response: ServerResponse) => {
        void queue.run(
          () => {},
          () => false,
        );
        void listener(asked, response);
      },
    ).get(target);
  const { status, headers, body } = await ask('/api/v1.0/swap?chainId=%ZZ');
  expect([status, body.error, headers['retry-after']]).toEqual([500, 'OVERLOADED', '1']);
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(lines).toMatchObject([
    { method: 'GET', path: '/api/v1.0/swap', status: 500, error: 'OVERLOADED' },
  ]);
  expect((await ask('/api/v1.0/chains')).text).toBe('read');
  expect((await ask('/api/v1.0/swap')).text).toBe('read');
  expect(read).toEqual(['/api/v1.0/chains', '/api/v1.0/swap']);
});

test('a trade while none wait to be refused -> read', async () => {
  const logger = pino({ level: 'silent' });
  const listener = refuseEarly(createPlanningQueue(), logger, async (_, response) => {
    response.end('read');
  });
  expect((await request(listener).get('/api/v1.0/swap?chainId=1')).text).toBe('read');
});
