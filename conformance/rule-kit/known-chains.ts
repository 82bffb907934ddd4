import { addressKey } from '../checks/hex.ts';
import { isNative } from '../contract/names.ts';
import type { RouterInfo } from '../contract/resources.ts';
import type { ChainMarket, Facts, KnownChainInfo, ListedChain } from '../discovery/facts.ts';
import { addressesOf } from '../discovery/known-chain.ts';
import { type JudgedReply, requestedChain } from '../model/judged-reply.ts';

type KnownRequest = Pick<JudgedReply, 'exchange' | 'facts'>;

export function knownChain(facts: Facts | undefined, chainId: number): ListedChain | undefined {
  return facts?.chains.find((chain) => chain.chainId === chainId);
}

/** Returns the id of a known chain, preferably one with chain info. */
export function someChainId({ chainInfo, chains }: Facts): number | undefined {
  return [...chainInfo.keys()][0] ?? chains[0]?.chainId;
}

/** Returns the chain info of the requested chain. */
export function chainInfoFor({ exchange, facts }: KnownRequest): KnownChainInfo | undefined {
  return facts?.chainInfo.get(requestedChain(exchange) ?? Number.NaN);
}

/** Returns a router from the chain info of the requested chain. */
export function routerFor(requested: KnownRequest, name: unknown): RouterInfo | undefined {
  return chainInfoFor(requested)?.routers.find((router) => router.name === name);
}

/** Returns the market of the requested chain. */
export function marketFor({ exchange, facts }: KnownRequest): ChainMarket | undefined {
  return facts?.markets.get(requestedChain(exchange) ?? Number.NaN);
}

/** Returns whether `/tokens` or `/chainInfo` names a token of a chain. */
export function isKnownToken(facts: Facts, chainId: number, address: string): boolean {
  const key = addressKey(address);
  return isNative(address) || addressesOf(facts, chainId).some((each) => addressKey(each) === key);
}
