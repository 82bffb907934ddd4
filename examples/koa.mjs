import Koa from 'koa';
import { runConformance } from 'swapcheck';

const app = new Koa();
app.use((ctx) => {
  if (ctx.path === '/api/v1.0/chains') ctx.body = [{ chainId: 1, name: 'Ethereum' }];
});

const service = { listener: app.callback() };
const { verdict, reason } = await runConformance({ service, apiKey: 'test', only: ['2.7'] });
console.log(verdict, reason);
process.exitCode = verdict === 'conforming' ? 0 : 1;
