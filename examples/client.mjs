import { createSwapClient } from 'swapcheck/client';

const {
  SWAPCHECK_BASE_URL: baseUrl = 'http://127.0.0.1:8080',
  SWAPCHECK_API_KEY: apiKey = 'demo',
} = process.env;
const client = createSwapClient({ baseUrl, apiKey });
const tokens = await client.tokens({ chainId: 31337 });
if (tokens.kind !== 'returned') throw new Error(`no tokens: ${tokens.kind}`);
const [sell, buy] = tokens.body;
const sides = { chainId: 31337, sellToken: sell.address, buyToken: buy.address };
const plan = await client.swap({ ...sides, sellAmount: 10n ** BigInt(sell.decimals) });
if (plan.kind === 'returned')
  console.log(`1 ${sell.symbol}: ${plan.body.buy.amount} ${buy.symbol}`);
else console.log(plan.kind, plan.kind === 'rejected' ? plan.message : plan.exchange.outcome);
await client.close();
