import { addressKey } from '../checks/hex.ts';
import { keptWith } from '../checks/kept-with.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import type { JudgedReply } from '../model/rule.ts';
import { marketFor } from './known-chains.ts';
import { Beside } from './reply-judges.ts';
import { type Found, Inside, planAddresses } from './reply-values.ts';

/** Prices of one token in one run: they move, but not by half. */
const LARGEST_MOVE = 2;

/** Returns whether a price may be that of a token, or of the native token, which was at `known` before. */
export function isSteadyPrice(price: number, known: number): boolean {
  return price >= known / LARGEST_MOVE && price <= known * LARGEST_MOVE;
}

/** Returns the `usdPrice` that a plan has for the token at an address; none where it has no such token. */
export function priceOf(input: JudgedReply, address: string | undefined): readonly Found<number>[] {
  if (address === undefined) return [];
  const wanted = addressKey(address);
  const token = planAddresses(input).find((each) => each.keyOfAddress === wanted)?.token;
  const value = token?.value['usdPrice'];
  return token === undefined || typeof value !== 'number'
    ? []
    : [new Inside(token, 'usdPrice', value)];
}

/** Returns the prices of a plan's tokens that an earlier plan told too. */
export function pricesKnownBefore(input: JudgedReply): readonly Beside<number, number>[] {
  const market = marketFor(input);
  if (market === undefined) return [];
  const before = learnedPrices(market);
  const found: Beside<number, number>[] = [];
  for (const { keyOfAddress, token } of planAddresses(input)) {
    const known = before.get(keyOfAddress);
    const { usdPrice: value } = token.value;
    if (known !== undefined && typeof value === 'number') {
      found.push(new Beside(new Inside(token, 'usdPrice', value), known));
    }
  }
  return found;
}

/** What discovery learned of the prices of a chain's tokens, by the key of the address. */
const learnedPrices = keptWith(({ pairs }: ChainMarket): ReadonlyMap<string, number> => {
  const prices = new Map<string, number>();
  for (const { address, usdPrice, native } of pairs.flatMap(({ sell, buy }) => [sell, buy])) {
    if (!native && usdPrice !== undefined) prices.set(addressKey(address), usdPrice);
  }
  return prices;
});
