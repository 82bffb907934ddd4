import { addressKey, isHexAddress } from '../checks/hex.ts';
import { keptWith } from '../checks/kept-with.ts';
import { memoize } from '../checks/reply-body.ts';
import { isNative } from '../contract/names.ts';
import type { Chain, ChainInfo, RouterInfo, TokenInfo } from '../contract/resources.ts';
import type { ChainMarket, Facts } from '../discovery/facts.ts';
import type { JudgedReply } from '../model/rule.ts';
import { chainAskedFor } from './request-parameters.ts';

/** What was asked for, and what discovery learned before. */
type Asked = Pick<JudgedReply, 'exchange' | 'facts'>;

/** Returns a function that looks at each reply once beside what discovery learned, however many rules ask. */
export function memoizeAsked<T>(read: (input: JudgedReply) => T): (input: JudgedReply) => T {
  const place = memoize((): { by?: JudgedReply['facts'] | null; value?: T } => ({ by: null }));
  return (input) => {
    const kept = place(input.reply);
    if (kept.by !== input.facts) {
      kept.value = read(input);
      kept.by = input.facts;
    }
    return kept.value as T;
  };
}

export function knownChain(facts: Facts | undefined, chainId: number): Chain | undefined {
  return facts?.chains.find((chain) => chain.chainId === chainId);
}

/** Returns the id of a chain that the service told of, best of one that it told all of. */
export function someChainId({ chainInfo, chains }: Facts): number | undefined {
  return [...chainInfo.keys()][0] ?? chains[0]?.chainId;
}

/** Returns what `/chainInfo` tells of the chain that a request asked for. */
export function chainInfoFor({ exchange, facts }: Asked): ChainInfo | undefined {
  return facts?.chainInfo.get(chainAskedFor(exchange) ?? Number.NaN);
}

/** Returns a router of the chain that a request asked for, as `/chainInfo` tells it. */
export function routerFor(asked: Asked, name: unknown): RouterInfo | undefined {
  return chainInfoFor(asked)?.routers.find((router) => router.name === name);
}

/** Returns what discovery learned to trade on the chain that a request asked for. */
export function marketFor({ exchange, facts }: Asked): ChainMarket | undefined {
  return facts?.markets.get(chainAskedFor(exchange) ?? Number.NaN);
}

/** Returns what `/tokens` lists for the chain that a request asked for, by the key of the address. */
export function listedTokensFor({ exchange, facts }: Asked): ReadonlyMap<string, TokenInfo> {
  return byAddress(facts?.tokens.get(chainAskedFor(exchange) ?? Number.NaN) ?? NO_TOKENS);
}

const NO_TOKENS: readonly TokenInfo[] = [];

/** Dozens of rules ask of each reply. */
const byAddress = keptWith(
  (listed: readonly TokenInfo[]) =>
    new Map(listed.map((token) => [addressKey(token.address), token])),
);

/**
 * Returns whether addresses of a chain are 20 bytes of hex. The chain's own
 * addresses decide, by majority, so that one malformed address does not make
 * the chain look like another kind of chain.
 */
export function usesHexAddresses(addresses: readonly string[]): boolean {
  return hexMajority(addresses) > 0;
}

/** Returns how many more addresses are 20 bytes of hex than are not. */
export function hexMajority(addresses: readonly string[]): number {
  let majority = 0;
  for (const address of addresses) majority += isHexAddress(address) ? 1 : -1;
  return majority;
}

/** Returns every address that `/chainInfo` and `/tokens` tell of a chain. */
export function addressesOf(facts: Facts | undefined, chainId: number | undefined): string[] {
  if (facts === undefined || chainId === undefined) return [];
  const info = facts.chainInfo.get(chainId);
  const named = info && [info.usdTokenAddress, info.wrappedNativeTokenAddress];
  const deployed = info?.routers.map((router) => router.deployedAddress);
  const listed = facts.tokens.get(chainId)?.map((token) => token.address);
  return [named, deployed, listed].flatMap((addresses) => addresses ?? []);
}

/** Returns whether a chain told of a token itself: listed it, or named it as its native or USD token. */
export function isKnownToken(facts: Facts, chainId: number, address: string): boolean {
  const key = addressKey(address);
  return isNative(address) || addressesOf(facts, chainId).some((each) => addressKey(each) === key);
}
