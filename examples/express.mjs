import express from 'express';
import { runConformance } from 'swapcheck';

const app = express();
app.get('/api/v1.0/chains', (_request, response) => {
  response.json([{ chainId: 1, name: 'Ethereum' }]);
});

const service = { listener: app };
const { verdict, reason } = await runConformance({ service, apiKey: 'test', only: ['2.7'] });
console.log(verdict, reason);
process.exitCode = verdict === 'conforming' ? 0 : 1;
