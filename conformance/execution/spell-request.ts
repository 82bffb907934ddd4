import { getAddress } from 'viem';
import { isHexAddress } from '../checks/hex.ts';
import type { RequestTarget } from '../client/request.ts';
import { NATIVE_ALIASES } from '../contract/names.ts';
import { createRandom, shuffle } from '../generate/deck.ts';
import { type TradeRequest, targetOf } from '../model/trade-request.ts';

/** How clients write addresses: in lower case, with the letters that EIP-55 says, and all in capitals. */
const LETTERS: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => getAddress(address.toLowerCase()),
  (address) => `0x${address.slice(2).toUpperCase()}`,
];

/**
 * Returns a request as one of the world's clients spells it, by its seed:
 * addresses in other letters, parameters in another order, and half of those
 * for the default router without its name. It means the same.
 */
export function spelledTarget(request: TradeRequest): RequestTarget {
  const { path, query } = targetOf(request);
  const { spelling, router, requiredParameters = [] } = request;
  if (spelling === undefined || typeof query === 'string') return { path, query };
  const random = createRandom(spelling);
  const letters = LETTERS[Math.floor(random() * LETTERS.length)] ?? LETTERS[0];
  const isUnnamed =
    random() < 0.5 &&
    router === 'default-router' &&
    !requiredParameters.some(([name]) => name === 'router');
  const spelled = query
    .filter(([name]) => !isUnnamed || name !== 'router')
    .map(([name, value]): readonly [string, string] => {
      const isSpelled = isHexAddress(value) && !NATIVE_ALIASES.some((alias) => alias === value);
      return [name, isSpelled ? (letters?.(value) ?? value) : value];
    });
  return { path, query: shuffle(spelled, random) };
}
