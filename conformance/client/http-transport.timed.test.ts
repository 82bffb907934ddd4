import { expect, test } from 'vitest';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { createHttpTransport } from './http-transport.ts';

test('our process stalls for longer than the timeout -> the reply is still read', async () => {
  const server = await serve((_, response) => response.end('[]'));
  const transport = createHttpTransport(new URL(server.url), { timeoutMs: 300 });
  const signal = new AbortController().signal;
  const reply = transport.send({ method: 'GET', target: '/', signal });
  const until = performance.now() + 1_200;
  while (performance.now() < until);
  expect(await reply).toMatchObject({ kind: 'wire-reply', status: 200 });
  await transport.close();
  await server.close();
});
