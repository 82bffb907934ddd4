import { NATIVE_ALIASES } from '../contract/names.ts';
import type { ChainInfo, TokenInfo } from '../contract/resources.ts';
import type { Asset } from './facts.ts';

/** The tokens of a chain that discovery looks at; the native token is never among them. */
export type PickedTokens = {
  readonly assets: readonly Asset[];
  readonly usd: Asset | undefined;
};

/**
 * Picks the USD token, the wrapped native token, then listed tokens so that
 * every number of decimals is there, then others in the service's order. A list
 * may name the native token by one of its aliases, which trades like no token.
 */
export function pickTokens(
  tokens: readonly TokenInfo[],
  info: ChainInfo | undefined,
  limit: number,
): PickedTokens {
  const byKey = new Map(
    tokens
      .filter(({ address }) => !isNativeAlias(address))
      .map((token) => [token.address.toLowerCase(), assetOf(token)]),
  );
  // Decimals are a guess where the list does not say: they only scale what is asked for.
  const key = (address: string, symbol: string, decimals: number): Asset =>
    byKey.get(address.toLowerCase()) ?? {
      address,
      symbol,
      decimals,
      usdPrice: undefined,
      native: false,
    };
  const usd = info === undefined ? undefined : key(info.usdTokenAddress, 'USD', 6);
  const wrapped =
    info === undefined ? undefined : key(info.wrappedNativeTokenAddress, 'wrapped native', 18);
  const listed = [...byKey.values()];
  const firstOfItsDecimals = listed.filter(
    (asset, index) => listed.findIndex(({ decimals }) => decimals === asset.decimals) === index,
  );
  const byAddress = new Map<string, Asset>();
  for (const asset of [usd, wrapped, ...firstOfItsDecimals, ...listed]) {
    if (asset === undefined || isNativeAlias(asset.address)) continue;
    const address = asset.address.toLowerCase();
    if (!byAddress.has(address)) byAddress.set(address, asset);
  }
  const assets = [...byAddress.values()].slice(0, limit);
  return { assets, usd: assets[0] };
}

function isNativeAlias(address: string): boolean {
  return NATIVE_ALIASES.some((alias) => alias === address.toLowerCase());
}

/** Addresses that other tokens trade against. */
export type Hubs = {
  readonly usd: string | undefined;
  readonly wrappedNative: string | undefined;
};

/**
 * Pairs worth asking for, the likeliest first: each token against the hubs and
 * native, both ways, then neighbours in the list. No asset stands on both sides.
 */
export function candidatePairs(
  assets: readonly Asset[],
  native: Asset | undefined,
  hubs: Hubs,
  limit: number,
): readonly (readonly [sell: Asset, buy: Asset])[] {
  const at = (address: string | undefined) =>
    assets.find((asset) => asset.address.toLowerCase() === address?.toLowerCase());
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

function assetOf({ address, symbol, decimals }: TokenInfo): Asset {
  return { address, symbol, decimals, usdPrice: undefined, native: false };
}
