import Koa from 'koa';
import { createApp } from '../../reference/server/app.ts';
import { createHttpServer, listen } from '../../reference/server/http-server.ts';

/** Target, or path alone, to the body that bare Koa answers it with. */
export type Bodies = readonly (readonly [target: string, body: string])[];

/** Returns the least Koa that answers with these bodies from memory. */
function createBareApp(bodies: Bodies): Koa {
  const bytes = new Map(bodies.map(([target, body]) => [target, Buffer.from(body)]));
  const app = new Koa();
  app.use((ctx) => {
    ctx.type = 'json';
    ctx.body = bytes.get(ctx.url) ?? bytes.get(ctx.path);
  });
  return app;
}

/** Sent back for any later message: CPU time of the process so far, and the memory that it holds. */
export type Usage = { readonly cpuUs: number; readonly rssBytes: number };

function reportUsage(): void {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system, rssBytes: process.memoryUsage.rss() } satisfies Usage);
}

process.once('message', async (message: { readonly bodies?: Bodies }) => {
  const app = message.bodies ? createBareApp(message.bodies) : createApp();
  const { url } = await listen(createHttpServer(app.callback()), 0, '127.0.0.1');
  process.on('message', reportUsage);
  process.send?.(url);
});
