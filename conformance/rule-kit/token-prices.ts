import { addressKey } from '../checks/hex.ts';
import type { JudgedReply } from '../model/judged-reply.ts';
import type { Compared } from './reply-judges.ts';
import { type Found, planAddresses } from './reply-values.ts';

/** Maximum factor by which a token's price moves during one run. */
const MAX_MOVE = 2;

/** Returns whether a price is plausible for a token whose earlier price was `known`. */
export function isSteadyPrice(price: number, known: number): boolean {
  return price >= known / MAX_MOVE && price <= known * MAX_MOVE;
}

/** Returns the `usdPrice` of a plan's token by its address; none if the plan has no such token. */
export function priceOf(input: JudgedReply, address: string | undefined): readonly Found<number>[] {
  if (address === undefined) return [];
  const wanted = addressKey(address);
  const token = planAddresses(input).find((each) => each.addressKey === wanted)?.token;
  const value = token?.value['usdPrice'];
  return token === undefined || typeof value !== 'number'
    ? []
    : [{ pointer: `${token.pointer}/usdPrice`, value }];
}

/**
 * Returns the prices of a plan's tokens, each with its price in an earlier plan. Omits tokens
 * without an earlier price.
 */
export function pricesKnownBefore(input: JudgedReply): readonly Compared<number, number>[] {
  const before = input.chain?.usdPrices;
  if (before === undefined || before.size === 0) return [];
  return planAddresses(input).flatMap(({ addressKey: key, token }) => {
    const known = before.get(key);
    const { usdPrice: value } = token.value;
    return known !== undefined && typeof value === 'number'
      ? [{ pointer: `${token.pointer}/usdPrice`, value, known }]
      : [];
  });
}
