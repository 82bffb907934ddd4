import { createDeck } from '../generate/deck.ts';
import type { Session } from '../model/session.ts';
import type { Ask } from './ask.ts';
import type { Bench } from './bench.ts';
import { USER } from './choose-asks.ts';
import { encodeUniversal } from './encode-universal.ts';
import { nextBlockTime, type Settled, settleTrades } from './settle-trades.ts';
import { readAddress } from './swap-plan.ts';

const ROUTER = 'universal-router';
const PLANS = 16;
const AMPLE_GAS = 16_000_000n;

/**
 * Asks for plans of the universal router without calldata, encodes them as any
 * client may, and settles them.
 *
 * @see Specification 1.2
 */
export async function settleOwnEncodings(
  session: Session,
  bench: Bench,
  { clock, seed }: { readonly clock: () => number; readonly seed: number },
): Promise<Settled> {
  const market = session.facts.markets.get(bench.chainId);
  const info = session.facts.chainInfo.get(bench.chainId);
  const router = readAddress(info?.routers.find(({ name }) => name === ROUTER)?.deployedAddress);
  if (market === undefined || router === undefined || !market.routers.has(ROUTER)) {
    return { items: [], skipped: [] };
  }
  const deck = createDeck(market.pairs, seed);
  const asks = Array.from({ length: Math.min(PLANS, market.pairs.length) }, (_, index): Ask => {
    const { sell, buy, sellAmount, buyAmount } = deck.deal();
    const trade = index % 2 === 0 ? 'exact-input' : 'exact-output';
    const amount = trade === 'exact-input' ? sellAmount : buyAmount;
    const { chainId, standing } = market;
    return { chainId, standing, router: ROUTER, sell, buy, trade, amount, ...WITHOUT_CALLDATA };
  });
  return settleTrades(session, bench, asks, {
    clock,
    encode: async ({ sell, buy }, plan) => {
      const encoded = await encodeUniversal(bench.rpc(), {
        plan,
        sellNative: sell.native,
        buyNative: buy.native,
        leastBought: 0n,
        deadline: nextBlockTime(bench, clock) + 3_600,
      });
      return encoded.startsWith('0x')
        ? { router, calldata: encoded as `0x${string}`, gasLimit: AMPLE_GAS }
        : encoded;
    },
  });
}

const WITHOUT_CALLDATA = { slippageBps: undefined, user: USER, recipient: undefined };
