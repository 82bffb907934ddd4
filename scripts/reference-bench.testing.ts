import { createRequire } from 'node:module';
import type { Middleware } from 'koa';
import type { Endpoint, Exchange } from '../conformance/client/exchange.ts';
import {
  type ChainInfo,
  ROUTER_NAMES,
  type SwapResponse,
  type TokenInfo,
} from '../conformance/contract/resources.ts';
import type { Asset, ChainMarket, Facts, TradedPair } from '../conformance/discovery/facts.ts';
import type { AnvilNode } from '../conformance/execution/anvil.ts';
import type { Execution } from '../conformance/execution/execution.ts';
import type { ForkSource } from '../conformance/execution/fork.ts';
import { PATHS } from '../conformance/generate/trades.ts';
import type { RequestTarget, Session } from '../conformance/runner/session.ts';
import { parseMarket } from '../reference/market/parse-market.ts';
import { startReference } from '../reference/server/start.ts';
import { startFixtureChain } from './fixture-chain.ts';

const require = createRequire(import.meta.url);
const NATIVE = '0x0000000000000000000000000000000000000000';

/** The reference with its chains, and a session on it. */
export type ReferenceBench = {
  readonly sources: readonly ForkSource[];
  readonly nodes: readonly AnvilNode[];
  readonly facts: Facts;
  /** A session that sends to the reference, through the middleware if one is given. */
  readonly session: (execution?: Execution, middleware?: Middleware) => Promise<Session>;
  readonly stop: () => Promise<void>;
};

/** Starts the fixture chains, and references on demand. */
export async function startReferenceBench(chainIds: readonly number[]): Promise<ReferenceBench> {
  const nodes = await Promise.all(chainIds.map(startFixtureChain));
  const markets = chainIds.map((id) => parseMarket(require(`#fixtures/markets/${id}.json`)));
  const running: { close(): Promise<void> }[] = [];
  const session = async (execution?: Execution, middleware?: Middleware): Promise<Session> => {
    const reference = await startReference({
      markets,
      ...(middleware && { middleware: [middleware] }),
    });
    running.push(reference);
    return {
      facts,
      get: sender(reference.url),
      seed: 1,
      frozen: true,
      tolerancePpm: 0,
      ...(execution && { execution }),
    };
  };
  const plain = await startReference({ markets });
  running.push(plain);
  const facts = await discover(sender(plain.url), chainIds);
  return {
    sources: chainIds.map((chainId, index) => ({
      chainId,
      rpcUrl: (nodes[index] as AnvilNode).url,
    })),
    nodes,
    facts,
    session,
    stop: async () => {
      await Promise.all([
        ...running.map((each) => each.close()),
        ...nodes.map((node) => node.stop()),
      ]);
    },
  };
}

/** Sends requests one after the other, as plainly as can be. */
function sender(baseUrl: string) {
  let id = 0;
  return async ({ path, query }: RequestTarget): Promise<Exchange> => {
    const pairs = typeof query === 'string' ? [...new URLSearchParams(query)] : query;
    const search = new URLSearchParams(
      pairs.map(([name, value]): [string, string] => [name, value]),
    );
    search.append('apiKey', 'demo');
    const response = await fetch(`${baseUrl}${path}?${search}`);
    const text = await response.text();
    id += 1;
    return {
      id,
      endpoint: path.split('/').at(-1) as Endpoint,
      origin: 'sent',
      method: 'GET',
      target: path,
      query: pairs,
      startedAtMs: Date.now(),
      durationMs: 1,
      outcome: {
        kind: 'reply',
        status: response.status,
        headers: {},
        text,
        document: { kind: 'json', value: JSON.parse(text) as unknown, duplicateKeys: [] },
      },
    };
  };
}

type Get = (target: RequestTarget) => Promise<Exchange>;

async function discover(get: Get, chainIds: readonly number[]): Promise<Facts> {
  const chainInfo = new Map<number, ChainInfo>();
  const tokens = new Map<number, readonly TokenInfo[]>();
  const markets = new Map<number, ChainMarket>();
  for (const chainId of chainIds) {
    const query = [['chainId', String(chainId)]] as const;
    const info = bodyOf(await get({ path: PATHS.chainInfo, query })) as ChainInfo;
    const listed = bodyOf(await get({ path: PATHS.tokens, query })) as readonly TokenInfo[];
    chainInfo.set(chainId, info);
    tokens.set(chainId, listed);
    markets.set(chainId, {
      chainId,
      addresses: 'evm',
      pairs: await findPairs(get, chainId, listed),
      refusedPairs: [],
      routers: new Map(
        ROUTER_NAMES.flatMap((name) => {
          const router = info.routers.find((each) => each.name === name);
          return router === undefined
            ? []
            : [[name, router.hasEncoder ? 'calldata' : 'plan'] as const];
        }),
      ),
      nativeTokenUsdPrice: undefined,
    });
  }
  return { chains: [], chainInfo, tokens, markets };
}

/** Every listed token and native against a few others, for about a thousand dollars. */
async function findPairs(
  get: Get,
  chainId: number,
  listed: readonly TokenInfo[],
): Promise<readonly TradedPair[]> {
  const native: Asset = {
    address: NATIVE,
    symbol: 'ETH',
    decimals: 18,
    usdPrice: undefined,
    native: true,
  };
  const assets: readonly Asset[] = listed.map(({ address, symbol, decimals }) => ({
    address,
    symbol,
    decimals,
    usdPrice: undefined,
    native: false,
  }));
  const usd = assets.find(({ symbol }) => symbol === 'USDC') as Asset;
  const pairs: TradedPair[] = [];
  const quote = async (
    sell: Asset,
    buy: Asset,
    amount: bigint,
  ): Promise<TradedPair | undefined> => {
    const query = [
      ['chainId', String(chainId)],
      ['sellToken', sell.address],
      ['buyToken', buy.address],
      ['sellAmount', String(amount)],
    ] as const;
    const body = bodyOf(await get({ path: PATHS.swap, query })) as SwapResponse | undefined;
    return body && { sell, buy, sellAmount: amount, buyAmount: BigInt(body.buy.amount) };
  };
  const thousand = 1_000n * 10n ** BigInt(usd.decimals);
  for (const asset of [native, ...assets]) {
    if (asset === usd) continue;
    const there = await quote(usd, asset, thousand);
    if (there === undefined || there.buyAmount === 0n) continue;
    const back = await quote(asset, usd, there.buyAmount);
    const onwards =
      asset.native || asset.symbol === 'WETH'
        ? undefined
        : await quote(asset, native, there.buyAmount);
    const inwards =
      onwards === undefined ? undefined : await quote(native, asset, onwards.buyAmount);
    for (const pair of [there, back, onwards, inwards]) if (pair) pairs.push(pair);
  }
  return pairs;
}

function bodyOf({ outcome }: Exchange): unknown {
  return outcome.kind === 'reply' && outcome.status === 200 && outcome.document.kind === 'json'
    ? outcome.document.value
    : undefined;
}
