import { addressKey, sameAddress } from '../checks/hex.ts';
import { isNative } from '../contract/names.ts';
import type { ChainInfo } from '../contract/resources.ts';
import type { Asset, ListedToken } from './facts.ts';

/**
 * Picks the USD token, the wrapped native token, listed tokens that cover every number of decimals,
 * and then other tokens in the service's order. Omits aliases of the native token, which a list may
 * contain: the native token is traded separately.
 */
export function pickTokens(
  tokens: readonly ListedToken[],
  info: ChainInfo | undefined,
  limit: number,
): readonly Asset[] {
  const byKey = new Map(
    tokens
      .filter(({ address }) => !isNative(address))
      .map((token) => [addressKey(token.address), assetOf(token)]),
  );
  // If the list lacks the token, guesses its decimals, which only scale the requested amounts.
  const named = (address: string, symbol: string, decimals: number): Asset =>
    byKey.get(addressKey(address)) ?? assetOf({ address, symbol, decimals });
  const hubs = info && [
    named(info.usdTokenAddress, 'USD', 6),
    named(info.wrappedNativeTokenAddress, 'wrapped native', 18),
  ];
  const listed = [...byKey.values()];
  const firstOfItsDecimals = listed.filter(
    (asset, index) => listed.findIndex(({ decimals }) => decimals === asset.decimals) === index,
  );
  const byAddress = new Map<string, Asset>();
  for (const asset of [...(hubs ?? []), ...firstOfItsDecimals, ...listed]) {
    const address = addressKey(asset.address);
    if (!isNative(address) && !byAddress.has(address)) byAddress.set(address, asset);
  }
  return [...byAddress.values()].slice(0, limit);
}

/**
 * Returns the pairs worth requesting, the most promising first: each token with the most traded
 * tokens and with the native token, in both directions; then neighbors in the list. No pair has the
 * same asset on both sides.
 */
export function candidatePairs(
  assets: readonly Asset[],
  native: Asset | undefined,
  hubs: { readonly usd: string | undefined; readonly wrappedNative: string | undefined },
  limit: number,
): readonly (readonly [sell: Asset, buy: Asset])[] {
  const at = (address: string | undefined) => assets.find((asset) => hasAddress(asset, address));
  const [usd, wrapped] = [at(hubs.usd), at(hubs.wrappedNative)];
  const pairs: (readonly [Asset, Asset])[] = [];
  const add = (sell: Asset | undefined, buy: Asset | undefined) => {
    if (sell === undefined || buy === undefined || sell === buy) return;
    if ((sell === native && buy === wrapped) || (sell === wrapped && buy === native)) return;
    if (!pairs.some(([one, other]) => one === sell && other === buy)) pairs.push([sell, buy]);
  };
  add(native, usd);
  add(usd, native);
  add(wrapped, usd);
  add(usd, wrapped);
  assets.forEach((asset, index) => {
    const next = assets[(index + 1) % assets.length];
    if (index % 2 === 0) {
      add(asset, native);
      add(usd, asset);
    } else {
      add(native, asset);
      add(asset, usd);
    }
    add(asset, next);
  });
  for (const asset of assets) {
    add(asset, wrapped);
    add(usd, asset);
    add(asset, usd);
    add(native, asset);
    add(asset, native);
    add(wrapped, asset);
  }
  return pairs.slice(0, limit);
}

function assetOf({
  address,
  symbol,
  decimals,
}: Pick<Asset, 'address' | 'symbol' | 'decimals'>): Asset {
  return { address, symbol, decimals, usdPrice: undefined, native: false };
}

/** Returns whether an asset has an address; false if the address is unknown. */
export function hasAddress(
  { address }: Pick<Asset, 'address'>,
  other: string | undefined,
): boolean {
  return other !== undefined && sameAddress(address, other);
}
