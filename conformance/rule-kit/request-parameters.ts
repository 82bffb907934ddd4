import { addressKey, isHexAddress } from '../checks/hex.ts';
import type { Exchange } from '../client/exchange.ts';
import { KEY_PLACEHOLDER } from '../client/request.ts';
import { type Chain, NATIVE_ALIASES, type RouterInfo } from '../contract/resources.ts';
import type { Facts } from '../discovery/facts.ts';

/**
 * Returns the value of a query parameter as the bytes sent it, or undefined
 * where it was not given, or given more than once, which leaves open what was
 * asked.
 */
export function askedFor(exchange: Exchange, name: string): string | undefined {
  const values = exchange.query.filter(([each]) => each === name);
  return values.length === 1 ? values[0]?.[1] : undefined;
}

/** Returns whether a query parameter was given at all. */
export function wasGiven(exchange: Exchange, name: string): boolean {
  return exchange.query.some(([each]) => each === name);
}

/** Returns whether the request is known; a captured body alone does not tell what was asked. */
export function requestIsKnown(exchange: Exchange): boolean {
  return exchange.origin !== 'body-only';
}

/** Returns whether the request carried the caller's key, once. Captured requests are taken to. */
export function carriesKey(exchange: Exchange): boolean {
  return exchange.origin !== 'sent' || askedFor(exchange, 'apiKey') === KEY_PLACEHOLDER;
}

/** Returns the chain asked for, or undefined where the request does not name one plainly. */
export function chainAskedFor(exchange: Exchange): number | undefined {
  const text = askedFor(exchange, 'chainId');
  return text !== undefined && /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined;
}

/** Returns the entry of `/chains` for a chain. */
export function knownChain(facts: Facts | undefined, chainId: number): Chain | undefined {
  return facts?.chains.find((chain) => chain.chainId === chainId);
}

/** Returns a router of a chain as `/chainInfo` tells it. */
export function routerOf(
  facts: Facts | undefined,
  chainId: number | undefined,
  name: unknown,
): RouterInfo | undefined {
  if (chainId === undefined) return undefined;
  return facts?.chainInfo.get(chainId)?.routers.find((router) => router.name === name);
}

/** Returns whether an address is one of the two spellings of the native token, in any letter case. */
export function isNative(address: string): boolean {
  return NATIVE_ALIASES.some((alias) => alias === address.toLowerCase());
}

/**
 * Returns whether addresses of a chain are 20 bytes of hex. The chain's own
 * addresses decide, by majority, so that one malformed address does not make
 * the chain look like another kind of chain.
 */
export function usesHexAddresses(addresses: readonly string[]): boolean {
  const fitting = addresses.filter(isHexAddress).length;
  return fitting * 2 > addresses.length;
}

/** Returns every address that `/chainInfo` and `/tokens` tell of a chain. */
export function addressesOf(facts: Facts | undefined, chainId: number | undefined): string[] {
  if (facts === undefined || chainId === undefined) return [];
  const info = facts.chainInfo.get(chainId);
  return [
    ...(info === undefined
      ? []
      : [
          info.usdTokenAddress,
          info.wrappedNativeTokenAddress,
          ...info.routers.map((router) => router.deployedAddress),
        ]),
    ...(facts.tokens.get(chainId) ?? []).map((token) => token.address),
  ];
}

/** Returns whether a chain told of a token itself: listed it, or named it as its native or USD token. */
export function isKnownToken(facts: Facts, chainId: number, address: string): boolean {
  const key = addressKey(address);
  return isNative(address) || addressesOf(facts, chainId).some((each) => addressKey(each) === key);
}
