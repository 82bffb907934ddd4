import type { Ask } from './ask.ts';
import type { Bench } from './bench.ts';
import { OTHER_USER } from './choose-asks.ts';

const ONE_PERCENT_BPS = 100;

/**
 * Returns for each trade with calldata for its own sender one that differs from it in one thing,
 * the things taking turns: who makes it, who receives, its tolerance, its
 * amount, or native for the wrapped token.
 */
export function neighboursOf(
  asks: readonly Ask[],
  { wrappedNative }: Pick<Bench, 'wrappedNative'>,
): readonly Ask[] {
  const wrapped = (asset: Ask['sell']): Ask['sell'] =>
    asset.native && wrappedNative !== undefined
      ? { ...asset, address: wrappedNative, native: false }
      : asset;
  const changes: readonly ((ask: Ask) => Ask)[] = [
    (ask) => ({ ...ask, user: OTHER_USER }),
    (ask) => ({ ...ask, recipient: ask.recipient === undefined ? OTHER_USER : undefined }),
    (ask) => ({ ...ask, slippageBps: ask.slippageBps === 0 ? ONE_PERCENT_BPS : 0 }),
    (ask) => ({ ...ask, amount: (ask.amount + 1n) / 2n }),
    (ask) => ({ ...ask, sell: wrapped(ask.sell), buy: wrapped(ask.buy) }),
  ];
  return asks
    .filter(({ slippageBps, wallet }) => slippageBps !== undefined && wallet === undefined)
    .map((ask, index) => changes[index % changes.length]?.(ask) ?? ask);
}
