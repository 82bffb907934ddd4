import { amountText } from '../../conformance/model/amount-text.ts';
import type { PlanSketch } from '../../conformance/model/plan-sketch.ts';
import { tradesIn } from '../model/settings.ts';
import type { StudyReport } from '../model/study-report.ts';
import { outcomeAt, pairName, receivedBps, settledAt } from '../summary/worth.ts';
import { showBps, showSize } from './show.ts';

/** Returns what was measured, in a few sentences. */
export function describeSettings({ settings, services, trades }: StudyReport): readonly string[] {
  const { sizes, blocks, toleranceBps, chains, seed } = settings;
  const [least = 0, most = 0] = [sizes[0], sizes.at(-1)];
  const requests = services.map((each) => `${each.name} ${each.requests}`).join(', ');
  return [
    `${trades.length} of ${tradesIn(settings)} trades on chain ${chains.join(', ')}, from ${showSize(least)} to ${showSize(most)}, seed ${seed}`,
    `settled ${blocks.join(', ')} blocks after the quote, with calldata of tolerance ${toleranceBps / 10_000}`,
    `requests: ${requests}`,
  ];
}

/** A trade that came out far below its quote. */
type WorstTrade = {
  readonly head: string;
  readonly details: readonly (readonly [label: string, value: string])[];
  readonly plan: PlanSketch | undefined;
};

/** Returns the trades that came out worst, by service. */
export function describeWorst({ worst, services, trades }: StudyReport): readonly WorstTrade[] {
  return worst.flatMap((ids, service) =>
    ids.flatMap((id) => {
      const trade = trades.find((each) => each.id === id);
      const answer = trade?.answers[service];
      if (trade === undefined || answer?.kind !== 'quoted') return [];
      const quote = { trade, answer };
      const settled = settledAt(quote, 0);
      const bps = settled && receivedBps(quote, settled);
      const came = bps === undefined ? 'reverted' : `${showBps(bps)} bp`;
      const { sell, buy } = trade;
      const amounts = (sold: string, bought: string) =>
        `${amountText(sold, sell.decimals)} ${sell.symbol} for ${amountText(bought, buy.decimals)} ${buy.symbol}`;
      const outcome = outcomeAt(quote, 0);
      const form = `${trade.swapKind} on ${trade.router}${trade.useRfq ? ', useRfq=true' : ''}`;
      return [
        {
          head: `${services[service]?.name}: ${came}, ${pairName(trade)} of ${showSize(trade.usd)}`,
          details: [
            ['Trade', `${id}: ${form}, at block ${trade.block} of chain ${trade.chainId}`],
            ['Quoted', amounts(answer.sold, answer.bought)],
            [
              'Received',
              settled
                ? amounts(settled.spent, settled.received)
                : outcome?.kind === 'reverted'
                  ? outcome.reason
                  : '',
            ],
            ['Sources', answer.sources.join(', ')],
          ],
          plan: answer.plan,
        },
      ];
    }),
  );
}
