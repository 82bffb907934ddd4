import { createServer, type Server } from 'node:http';
import Koa from 'koa';
import { createApp } from '../../reference/server/app.ts';
import { createHttpServer, listen } from '../../reference/server/http-server.ts';
import { startPlanningThread } from '../../reference/server/planning-thread.ts';

/*
 * A server in a separate process. The first message selects it, and every later message requests
 * its usage.
 */

/**
 * Selects the server: the reference, bare node:http, or bare Koa, which returns these bodies by
 * target or path.
 */
export type BenchServerOrder =
  | { readonly kind: 'reference' | 'node' }
  | { readonly kind: 'koa'; readonly bodies: Bodies };
export type Bodies = readonly (readonly [target: string, body: string])[];

/** CPU time that the process has used since its start, and its memory. */
export type Usage = { readonly cpuUs: number; readonly rssBytes: number };

function serverOf(order: BenchServerOrder): Server {
  if (order.kind === 'node') return nodeServer();
  const app =
    order.kind === 'koa'
      ? koaApp(order.bodies)
      : createApp({ planner: startPlanningThread().planner });
  return createHttpServer(app.callback());
}

function nodeServer(): Server {
  const body = JSON.stringify({ plan: 'x'.repeat(3400) });
  return createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.setHeader('content-length', Buffer.byteLength(body));
    response.end(body);
  });
}

function koaApp(bodies: Bodies): Koa {
  const bytes = new Map(bodies.map(([target, body]) => [target, Buffer.from(body)]));
  const app = new Koa();
  app.use((ctx) => {
    ctx.type = 'json';
    ctx.body = bytes.get(ctx.url) ?? bytes.get(ctx.path);
  });
  return app;
}

function reportUsage(): void {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system, rssBytes: process.memoryUsage.rss() } satisfies Usage);
}

process.on('disconnect', () => process.exit(0));
process.once('message', async (order: BenchServerOrder) => {
  const { url } = await listen(serverOf(order), 0, '127.0.0.1');
  process.on('message', reportUsage);
  process.send?.(url);
});
