// A swap aggregation service with one chain, two tokens and one pool. It needs only Node.js.
import { createServer } from 'node:http';

const API_KEY = process.env.API_KEY ?? 'demo';
const CHAIN = { chainId: 31337, name: 'Swapcheck One' };
const NATIVE = [`0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`];
const ROUTERS = {
  'service-router': '0x98eddadcfde04dc22a0e62119617e74a6bc77313',
  'universal-router': '0x12975173b87f7595ee45dffb2ab812ece596bf84',
  'default-router': '0x95bd8d42f30351685e96c62eddc0d0613bf9a87a',
};
const WETH = '0x700b6a60ce7eaaea56f065753d8dcb9653dbad35';
const USDC = '0x82c6d3ed4cd33d8ec1e51d0b5cc1d822eaa0c3dc';
const TOKENS = [
  { address: WETH, name: 'Wrapped Ether', symbol: 'WETH', decimals: 18 },
  { address: USDC, name: 'USD Coin', symbol: 'USDC', decimals: 6 },
];
const POOL = { address: '0x78348f02f15926ac7638a03f9c2cebf6444520af', name: 'UniswapV2' };
const RESERVES = { [WETH]: 1278997266143343618603n, [USDC]: 3995199999999n };
const USD = { [WETH]: 3123.7, [USDC]: 1 };

class Invalid extends Error {}

function amountOut(sold, bought, amount) {
  const paid = amount * 997n;
  return (paid * RESERVES[bought]) / (RESERVES[sold] * 1000n + paid);
}

function amountIn(sold, bought, amount) {
  if (amount >= RESERVES[bought]) throw new Invalid('the pool does not hold buyAmount');
  return (RESERVES[sold] * amount * 1000n) / ((RESERVES[bought] - amount) * 997n) + 1n;
}

function read(query, name, pattern, fallback) {
  const value = query[name] ?? fallback;
  if (value === undefined || !new RegExp(`^(${pattern})$`).test(value)) {
    throw new Invalid(`${name} is missing or invalid`);
  }
  return value;
}

function readAmount(query, name) {
  const amount = BigInt(read(query, name, '[0-9]{1,78}'));
  if (amount === 0n || amount >= 2n ** 256n) throw new Invalid(`${name} is out of range`);
  return amount;
}

function readAsset(query, name) {
  const address = read(query, name, '0x[0-9a-fA-F]{40}').toLowerCase();
  const isNative = NATIVE.includes(address);
  const token = isNative ? WETH : address;
  if (!(token in RESERVES)) throw new Invalid(`${name} is not a token of this chain`);
  return { token, isNative };
}

function swap(query) {
  const [sold, bought] = [readAsset(query, 'sellToken'), readAsset(query, 'buyToken')];
  if (sold.token === bought.token) throw new Invalid('sellToken and buyToken are the same asset');
  if ('sellAmount' in query === 'buyAmount' in query) {
    throw new Invalid('exactly one of sellAmount and buyAmount is required');
  }
  const router = read(query, 'router', Object.keys(ROUTERS).join('|'), 'default-router');
  for (const name of ['useRfq', 'includeCalldata']) read(query, name, 'true|false', 'false');
  for (const name of ['userAddress', 'recipientAddress']) {
    read(query, name, '0x[0-9a-fA-F]{40}', NATIVE[0]);
  }
  read(query, 'slippageTolerance', '0([.][0-9]{1,4}0*)?|1([.]0+)?', '0');
  if (query.includeCalldata === 'true') throw new Invalid('this service has no encoder');
  const isExactInput = 'sellAmount' in query;
  const given = readAmount(query, isExactInput ? 'sellAmount' : 'buyAmount');
  const sell = isExactInput ? given : amountIn(sold.token, bought.token, given);
  const buy = isExactInput ? amountOut(sold.token, bought.token, given) : given;
  if (buy === 0n || sell >= 2n ** 256n) throw new Invalid('the pool cannot fill this amount');
  const from = { referenceId: 0, amount: String(sell) };
  const to = { referenceId: 1, amount: String(buy) };
  return {
    aggregator: 'first-service',
    router,
    sell: { ...from, ...(sold.isNative && { wrapFromNative: true }) },
    buy: { ...to, ...(bought.isNative && { unwrapToNative: true }) },
    nativeTokenUsdPrice: USD[WETH],
    tokens: [sold.token, bought.token].map((address, referenceId) => ({
      ...TOKENS.find((token) => token.address === address),
      referenceId,
      usdPrice: USD[address],
    })),
    routes: [{ ...POOL, fromTokens: [from], toTokens: [to] }],
  };
}

const OPERATIONS = {
  swap,
  chains: () => [CHAIN],
  tokens: () =>
    TOKENS.map((token) => ({
      ...token,
      metadata: { logoURI: `https://example.org/${token.symbol}.png` },
    })),
  chainInfo: () => ({
    ...CHAIN,
    usdTokenAddress: USDC,
    wrappedNativeTokenAddress: WETH,
    routers: Object.entries(ROUTERS).map(([name, deployedAddress]) => ({
      name,
      liquiditySources: [POOL.name],
      deployedAddress,
      hasEncoder: false,
    })),
  }),
};

function answer({ pathname, searchParams }) {
  const name = pathname.replace('/api/v1.0/', '');
  if (!Object.hasOwn(OPERATIONS, name)) return [404, 'NOT_FOUND', 'no such operation'];
  const query = Object.fromEntries(searchParams);
  try {
    if (Object.keys(query).length < searchParams.size) throw new Invalid('a parameter is repeated');
    if (query.apiKey !== API_KEY) throw new Invalid('apiKey is missing or unknown');
    if (name !== 'chains' && Number(read(query, 'chainId', '[0-9]{1,15}')) !== CHAIN.chainId) {
      throw new Invalid('chainId is not a supported chain');
    }
    return [200, OPERATIONS[name](query)];
  } catch (error) {
    if (!(error instanceof Invalid)) return [500, 'INTERNAL', 'internal error'];
    return [400, 'INVALID_PARAMETER', error.message];
  }
}

const server = createServer(({ url }, response) => {
  const [status, body, message] = answer(new URL(url, 'http://localhost'));
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(message === undefined ? body : { error: body, message }));
});
server.listen(Number(process.env.PORT ?? 8000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
