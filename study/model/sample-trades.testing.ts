import type { Answer, MeasuredTrade, Outcome, Quoted } from './measured-trade.ts';
import type { StudySettings } from './settings.ts';

/** Settings of a study of the sample trades. */
export const SAMPLE_SETTINGS: StudySettings = {
  seed: 1,
  trades: 4,
  sizes: [100, 10_000],
  blocks: [0, 1],
  toleranceBps: 10_000,
  chains: [1],
};

/**
 * A plan that sells 1,000 tokens at 1 USD for 1,000 tokens, and that settled for `received` at the
 * block of its quote.
 */
export function sampleQuoted(received: bigint, more: Partial<Quoted> = {}): Quoted {
  return {
    kind: 'quoted',
    latencyMs: 20,
    sold: '1000000',
    bought: '1000000',
    gasLimit: '200000',
    sources: ['Pools'],
    swaps: 1,
    usdPrice: { sell: 1, buy: 1, native: 2_000 },
    outcomes: [settled(0, received)],
    mined: { kind: 'mined', success: true, gasUsed: '100000', gasPriceWei: '1000000000' },
    ...more,
  };
}

export function settled(blocks: number, received: bigint, spent = 1_000_000n): Outcome {
  return { blocks, kind: 'settled', spent: String(spent), received: String(received) };
}

/** A trade of 1,000 tokens at 1 USD. */
export function sampleTrade(
  id: number,
  answers: readonly Answer[],
  more: Partial<MeasuredTrade> = {},
): MeasuredTrade {
  return {
    id,
    ladder: id,
    chainId: 1,
    rank: 1,
    sell: { address: `0x${'5'.repeat(40)}`, symbol: 'SELL', decimals: 3, native: false },
    buy: { address: `0x${'b'.repeat(40)}`, symbol: 'BUY', decimals: 3, native: false },
    swapKind: 'exact-input',
    router: 'default-router',
    useRfq: false,
    usd: 100,
    amount: '1000000',
    block: 7,
    answers: [...answers],
    ...more,
  };
}
