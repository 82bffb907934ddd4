import type { ChildProcess } from 'node:child_process';
import type { ChainInfo, TokenInfo } from '../../conformance/contract/resources.ts';
import { messageOf, startProgram } from './kit.ts';
import type { Bodies, Usage } from './reference-server.ts';

/** A server of `reference-server.ts`, in a process of its own. */
export type BenchServer = Awaited<ReturnType<typeof startServer>>;

/** Starts the reference; with bodies, bare Koa that answers them. */
export async function startServer(bodies?: Bodies) {
  const child = startProgram('reference-server');
  return {
    child,
    url: await ask<string>(child, bodies ? { bodies } : {}),
    usage: () => ask<Usage>(child, {}),
  };
}

/** Sends a message to a program and resolves to what it says next. */
export function ask<Answer>(child: ChildProcess, message: object): Promise<Answer> {
  const answer = messageOf<Answer>(child);
  child.send(message);
  return answer;
}

export const PREFIX = '/api/v1.0';

/** Resolves to the body of a reply that is 2xx. */
export async function getText(url: string): Promise<string> {
  const reply = await fetch(url);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${reply.status} for ${url}: ${text}`);
  return text;
}

/** Returns the trades that a reference is asked for, as targets by number: the pairs in turn. */
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
    /** The same amount for each pair, then the next. */
    repeated: (n: number) => sellFor(buys[n % pairs], unit + BigInt(Math.floor(n / pairs))),
    /** No trade near another of its pair: amounts up to ten times the least, thousands apart. */
    apart: (n: number) =>
      sellFor(buys[n % pairs], unit + BigInt((n * 7_919) % 90_001) * 10n ** 13n),
    /** No trade twice. */
    distinct: (n: number) => sellFor(buys[n % pairs], unit + BigInt(n + 100) * 10n ** 9n),
    /** A target for each pair; the amount, from 10^8 on, is to be put in for `AMOUNT`. */
    templates: buys.map((buy) => sellFor(buy, unit).replace(`${unit}`, 'AMOUNT000000000')),
  };
}
