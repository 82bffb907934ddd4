import type { ChildProcess } from 'node:child_process';
import type { ChainInfo, TokenInfo } from '../../conformance/contract/resources.ts';
import type { BenchServerOrder, Usage } from './bench-server.ts';
import { startProgram } from './kit.ts';

/** A server of `bench-server.ts`, in a separate process. */
export type BenchServer = Awaited<ReturnType<typeof startServer>>;

/** Starts a server. Default: the reference. */
export async function startServer(order: BenchServerOrder = { kind: 'reference' }) {
  const child = startProgram('bench-server');
  return {
    child,
    url: await request<string>(child, order),
    usage: () => request<Usage>(child, {}),
  };
}

/** Sends a message to a program and resolves to its response. */
export function request<Response>(child: ChildProcess, message: object): Promise<Response> {
  const response = new Promise<Response>((resolve) => child.once('message', resolve));
  child.send(message);
  return response;
}

export const PREFIX = '/api/v1.0';

/** Resolves to the body of a successful reply. */
export async function getText(url: string): Promise<string> {
  const reply = await fetch(url);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${reply.status} for ${url}: ${text}`);
  return text;
}

/**
 * Returns functions that map a number to the target of a trade. Successive numbers use all pairs in
 * turn.
 */
export async function findTrades(url: string) {
  const chain = 'chainId=31337&apiKey=demo';
  const info: ChainInfo = JSON.parse(await getText(`${url}${PREFIX}/chainInfo?${chain}`));
  const tokens: TokenInfo[] = JSON.parse(await getText(`${url}${PREFIX}/tokens?${chain}`));
  const router = info.routers.find(({ hasEncoder }) => hasEncoder)?.name;
  const sellFor = (buyToken: string | undefined, sellAmount: bigint) => {
    const sides = `sellToken=${info.wrappedNativeTokenAddress}&buyToken=${buyToken}`;
    return `${PREFIX}/swap?${chain}&${sides}&sellAmount=${sellAmount}&router=${router}`;
  };
  const unit = 10n ** 17n;
  const buys: string[] = [];
  for (const { address } of tokens) {
    if ((await fetch(url + sellFor(address, unit))).ok) buys.push(address);
  }
  const pairs = buys.length;
  return {
    chain,
    pairs,
    /** Requests one amount for every pair, then the next amount. */
    repeated: (n: number) => sellFor(buys[n % pairs], unit + BigInt(Math.floor(n / pairs))),
    /**
     * The amounts of a pair rise in large steps, up to ten times the smallest amount, so that no
     * trade is close to another.
     */
    distant: (n: number) =>
      sellFor(buys[n % pairs], unit + BigInt((n * 7_919) % 90_001) * 10n ** 13n),
    /** Never repeats a trade. */
    distinct: (n: number) => sellFor(buys[n % pairs], unit + BigInt(n + 100) * 10n ** 9n),
    /**
     * Targets with a placeholder, one for each pair. `AMOUNT` represents a number of at least 10^8.
     */
    templates: buys.map((buy) => sellFor(buy, unit).replace(`${unit}`, 'AMOUNT000000000')),
  };
}
