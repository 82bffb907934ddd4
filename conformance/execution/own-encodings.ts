import { createDeck } from '../generate/deck.ts';
import type { Executed } from '../model/executor.ts';
import type { SettledPlan } from '../model/settlement.ts';
import { SWAP_KINDS, tradePair } from './choose-requests.ts';
import { encodeUniversal } from './encode-universal.ts';
import { NEXT_BLOCK_S } from './fork-session.ts';
import { readAddress } from './read-swap-plan.ts';
import { type ForkedMarket, settleTrades } from './settle-trades.ts';

const ROUTER = 'universal-router';
const WITHOUT_CALLDATA = { router: ROUTER, slippageBps: undefined, recipient: undefined } as const;
const PLANS = 16;
const AMPLE_GAS = 16_000_000n;
const AMPLE_TIME_S = 3_600;

/**
 * Asks for plans of the universal router without calldata, encodes them as any
 * client may, and settles them.
 *
 * @see Specification 1.2
 */
export async function settleOwnEncodings(forked: ForkedMarket): Promise<Executed<SettledPlan>> {
  const { service, market, session } = forked;
  const info = service.facts.chainInfo.get(market.chainId);
  const router = readAddress(info?.routers.find(({ name }) => name === ROUTER)?.deployedAddress);
  if (router === undefined || !market.routers.has(ROUTER)) return { items: [], skipped: [] };
  const deck = createDeck(market.pairs, service.seed);
  const requests = Array.from({ length: Math.min(PLANS, market.pairs.length) }, (_, index) => {
    const swapKind = SWAP_KINDS[index % 2] ?? 'exact-input';
    return tradePair(market, deck.deal(), { ...WITHOUT_CALLDATA, swapKind });
  });
  return settleTrades(forked, requests, async ({ sell, buy }, plan) => {
    const encoded = await encodeUniversal(session.rpc(), {
      plan,
      sellNative: sell.native,
      buyNative: buy.native,
      leastBought: 0n,
      deadline: session.blockTimeIn(NEXT_BLOCK_S) + AMPLE_TIME_S,
    });
    return encoded.startsWith('0x')
      ? { router, calldata: encoded as `0x${string}`, gasLimit: AMPLE_GAS }
      : encoded;
  });
}
