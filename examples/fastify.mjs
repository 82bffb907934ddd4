import Fastify from 'fastify';
import { runConformance } from 'swapcheck';

const app = Fastify();
app.get('/api/v1.0/chains', async () => [{ chainId: 1, name: 'Ethereum' }]);
await app.ready();

const service = { listener: app.routing };
const { verdict, reason } = await runConformance({ service, apiKey: 'test', only: ['2.7'] });
console.log(verdict, reason);
process.exitCode = verdict === 'conforming' ? 0 : 1;
