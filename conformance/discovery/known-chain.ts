import { type ChecksumTest, createChecksumTest } from '../checks/checksum.ts';
import { addressKey, isHexAddress } from '../checks/hex.ts';
import { isNative } from '../contract/names.ts';
import type { Facts, ListedToken, TradedPair } from './facts.ts';

/** Facts about one chain, indexed for rules that need them for every reply. */
export type KnownChain = {
  /** Number of known addresses that are 20 bytes of hex, minus the number of other addresses. */
  readonly hexMajority: number;
  /** Entries of `/tokens` by the key of their address. */
  readonly listedTokens: ReadonlyMap<string, ListedToken>;
  /** Prices from plans that discovery received, by the key of the token's address. */
  readonly usdPrices: ReadonlyMap<string, number>;
  /** Pairs for which discovery could read a plan's amounts, keyed by `tradedPairKey`. */
  readonly tradedPairs: ReadonlyMap<string, TradedPair>;
};

/** Returns a key for two tokens. All aliases of the native token have the same key. */
export function tradedPairKey(sell: string, buy: string): string {
  return [sell, buy].map((each) => (isNative(each) ? 'native' : addressKey(each))).join(' ');
}

/** Facts about a service, indexed once for all its replies. */
export type KnownService = {
  readonly facts: Facts | undefined;
  readonly chains: ReadonlyMap<number, KnownChain>;
  readonly hasChecksum: ChecksumTest;
};

/** Returns the facts with an index of each chain. */
export function indexFacts(facts: Facts | undefined): KnownService {
  const hasChecksum = createChecksumTest();
  if (facts === undefined) return { facts, chains: new Map(), hasChecksum };
  const { chainInfo, tokens, markets } = facts;
  const ids = new Set([...chainInfo.keys(), ...tokens.keys(), ...markets.keys()]);
  const chains = new Map([...ids].map((id) => [id, indexChain(facts, id)]));
  return { facts, chains, hasChecksum };
}

function indexChain(facts: Facts, chainId: number): KnownChain {
  const listed = facts.tokens.get(chainId) ?? [];
  return {
    hexMajority: hexMajority(addressesOf(facts, chainId)),
    listedTokens: new Map(listed.map((token) => [addressKey(token.address), token])),
    usdPrices: pricesOf(facts, chainId),
    tradedPairs: pairsOf(facts, chainId),
  };
}

function pairsOf({ markets }: Facts, chainId: number): ReadonlyMap<string, TradedPair> {
  const market = markets.get(chainId);
  const pairs = market?.hasUnreadableAmounts ? [] : (market?.pairs ?? []);
  return new Map(
    pairs.map((pair) => [tradedPairKey(pair.sell.address, pair.buy.address), pair] as const),
  );
}

/** Omits the native token, which has the price of its wrapped token. */
function pricesOf({ markets }: Facts, chainId: number): ReadonlyMap<string, number> {
  const prices = new Map<string, number>();
  const assets = markets.get(chainId)?.pairs.flatMap(({ sell, buy }) => [sell, buy]) ?? [];
  for (const { address, usdPrice, native } of assets) {
    if (!native && usdPrice !== undefined) prices.set(addressKey(address), usdPrice);
  }
  return prices;
}

/**
 * Returns the number of addresses that are 20 bytes of hex, minus the number of other addresses.
 */
export function hexMajority(addresses: readonly string[]): number {
  let majority = 0;
  for (const address of addresses) majority += isHexAddress(address) ? 1 : -1;
  return majority;
}

/** Returns every address of a chain in `/chainInfo` and `/tokens`. */
export function addressesOf(facts: Facts, chainId: number): string[] {
  const info = facts.chainInfo.get(chainId);
  const named = info && [info.usdTokenAddress, info.wrappedNativeTokenAddress];
  const deployed = info?.routers.map((router) => router.deployedAddress);
  const listed = facts.tokens.get(chainId)?.map((token) => token.address);
  return [named, deployed, listed].flatMap((addresses) => addresses ?? []);
}
