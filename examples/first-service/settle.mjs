// Settles a plan of the first service on a local Anvil: node settle.mjs [SERVICE_URL [NODE_URL]]
import { encodeForUniversalRouter } from 'swapcheck/encode';
import { createTestClient, erc20Abi, http, publicActions, walletActions } from 'viem';

const [, , service = 'http://127.0.0.1:8000', node = 'http://127.0.0.1:8545'] = process.argv;
const NATIVE = `0x${'e'.repeat(40)}`;
const USDC = '0x82c6d3ed4cd33d8ec1e51d0b5cc1d822eaa0c3dc';
const ROUTER = '0x12975173b87f7595ee45dffb2ab812ece596bf84';

const query = new URLSearchParams({
  apiKey: 'demo',
  chainId: '31337',
  router: 'universal-router',
  sellToken: NATIVE,
  buyToken: USDC,
  sellAmount: String(10n ** 18n),
});
const plan = await (await fetch(`${service}/api/v1.0/swap?${query}`)).json();
console.log(`quoted:   ${plan.buy.amount} base units of USDC`);

const chain = createTestClient({ mode: 'anvil', transport: http(node) })
  .extend(publicActions)
  .extend(walletActions);
const encoded = await encodeForUniversalRouter(plan, {
  node,
  leastBought: (BigInt(plan.buy.amount) * 995n) / 1000n,
  deadline: Math.floor(Date.now() / 1000) + 600,
});
if (encoded.kind !== 'encoded') throw new Error(encoded.why);
console.log(`calldata: ${encoded.calldata.slice(0, 42)}…`);

const account = '0x00000000000000000000000000000000000a11ce';
const balance = { address: USDC, abi: erc20Abi, functionName: 'balanceOf', args: [account] };
await chain.setBalance({ address: account, value: 10n ** 19n });
await chain.impersonateAccount({ address: account });
const start = await chain.snapshot();
const before = await chain.readContract(balance);
const hash = await chain.sendTransaction({
  account,
  chain: null,
  to: ROUTER,
  data: encoded.calldata,
  value: encoded.value,
});
await chain.mine({ blocks: 1 });
const { status } = await chain.waitForTransactionReceipt({ hash });
const received = (await chain.readContract(balance)) - before;
console.log(`received: ${received} base units of USDC (${status})`);
// Restore the state that the service quotes.
await chain.revert({ id: start });
