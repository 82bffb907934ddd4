import type { PriceMove } from '../model/settlement.ts';
import { amountIn, count, type Statement, words } from '../model/statement.ts';

/**
 * Describes the limit that calldata seems to encode, for readers of a failure that concerns the
 * slippage tolerance. It is the only 32-byte word within half of the quoted amount that is neither
 * an amount of the plan nor the limit that follows from the tolerance. Empty if there is no such
 * word or more than one, because then the limit would be a guess.
 */
export function describeEncodedLimit({
  request: { swapKind },
  plan,
  toleranceBps,
}: Pick<PriceMove, 'request' | 'plan' | 'toleranceBps'>): Statement {
  const [quoted, sign] = swapKind === 'exact-input' ? [plan.buy, -1] : ([plan.sell, 1] as const);
  const requested = quoted.amount + (quoted.amount * BigInt(sign * toleranceBps)) / 10_000n;
  const isNear = (word: bigint) => 2n * word >= quoted.amount && 2n * word <= 3n * quoted.amount;
  const isRequested = (word: bigint) => word - requested <= 1n && requested - word <= 1n;
  const planned = new Set(
    [plan.sell, plan.buy, ...plan.steps.flatMap(({ from, to }) => [...from, ...to])].map(
      (each) => each.amount,
    ),
  );
  const limits = [...wordsOf(plan.transaction?.calldata ?? '0x')].filter(
    (word) => isNear(word) && !planned.has(word) && !isRequested(word),
  );
  const [limit, ...others] = limits;
  if (limit === undefined || others.length > 0 || quoted.amount === 0n) return [];
  const difference = limit > quoted.amount ? limit - quoted.amount : quoted.amount - limit;
  const percent = Number((difference * 1_000_000n) / quoted.amount) / 10_000;
  const side = limit > quoted.amount ? words`more` : words`less`;
  return words`; the calldata contains ${amountIn(limit, { address: quoted.token })}, which is ${count(percent)}% ${side} than quoted`;
}

/**
 * Returns the distinct 32-byte words of the arguments, and of calls that are nested in them. Other
 * offsets are omitted, because there, the end of one word and the start of the next look like an
 * amount.
 */
function wordsOf(calldata: `0x${string}`): ReadonlySet<bigint> {
  const bytes = calldata.slice(2);
  const found = new Set<bigint>();
  for (const start of [SELECTOR_BYTES, 2 * SELECTOR_BYTES]) {
    for (let at = 2 * start; at + 64 <= bytes.length; at += 64) {
      found.add(BigInt(`0x${bytes.slice(at, at + 64)}`));
    }
  }
  return found;
}

const SELECTOR_BYTES = 4;
