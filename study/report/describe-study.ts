import { counted } from '../../conformance/contract/counted.ts';
import { formatAmount } from '../../conformance/model/format-amount.ts';
import type { PlanSketch } from '../../conformance/model/plan-sketch.ts';
import { formatShare } from '../../conformance/output/units.ts';
import type { Duel, ServiceMetrics } from '../model/metrics.ts';
import type { StudyReport } from '../model/study-report.ts';
import { outcomeAt, pairName, receivedBps, settledAt } from '../summary/quote.ts';
import { formatBps, formatEstimate, formatSize } from './format.ts';

/** Returns the settings in a few sentences. */
export function describeSettings({ settings, services, trades }: StudyReport): readonly string[] {
  const { sizes, blocks, toleranceBps, chains, seed } = settings;
  const [smallest = 0, largest = 0] = [sizes[0], sizes.at(-1)];
  const requests = services.map((each) => `${each.name} ${each.requests}`).join(', ');
  return [
    `${counted(trades.length, 'trade')} on chain ${chains.join(', ')}, from ${formatSize(smallest)} to ${formatSize(largest)}, seed ${seed}`,
    `settled ${blocks.join(', ')} blocks after the quote, with calldata for tolerance ${toleranceBps / 10_000}`,
    `requests: ${requests}`,
  ];
}

type WorstTrade = {
  readonly head: string;
  readonly details: readonly (readonly [label: string, value: string])[];
  readonly plan: PlanSketch | undefined;
};

/** Returns the worst trades, by service. */
export function describeWorst({ worst, services, trades }: StudyReport): readonly WorstTrade[] {
  return worst.flatMap((ids, service) =>
    ids.flatMap((id) => {
      const trade = trades.find((each) => each.id === id);
      const answer = trade?.answers[service];
      if (trade === undefined || answer?.kind !== 'quoted') return [];
      const quote = { trade, answer };
      const settled = settledAt(quote, 0);
      const bps = settled && receivedBps(quote, settled);
      const result = bps === undefined ? 'reverted' : `${formatBps(bps)} bps`;
      const { sell, buy } = trade;
      const amounts = (sold: string, bought: string) =>
        `${formatAmount(sold, sell.decimals)} ${sell.symbol} for ${formatAmount(bought, buy.decimals)} ${buy.symbol}`;
      const outcome = outcomeAt(quote, 0);
      const form = `${trade.swapKind} on ${trade.router}${trade.useRfq ? ', useRfq=true' : ''}`;
      return [
        {
          head: `${services[service]?.name}: ${result}, ${pairName(trade)} of ${formatSize(trade.usd)}`,
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

/**
 * Returns a sentence for each pair of services that names the service ahead. For a single service,
 * compares received amounts with quotes. A service is ahead if the confidence interval of its share
 * of wins excludes one half.
 * @example 'a.example is ahead of b.example: better in 22 of 24 trades (96 ties), by a median of
 * +1.2 bps after gas'
 */
export function describeLeader(
  services: readonly ServiceMetrics[],
  duels: readonly Duel[],
): string | undefined {
  if (duels.length > 0) return duels.map(describeDuel).join('; ');
  const [service] = services;
  const first = service?.received[0];
  if (service === undefined || first?.settled === undefined) return undefined;
  const { settled, medianBps } = first;
  const median =
    medianBps === undefined
      ? ''
      : `, received compared with quoted is ${formatEstimate(medianBps, formatBps)} bps (median)`;
  return `${formatShare(settled.value)} of ${settled.count} plans of ${service.name} settled${median}`;
}

function describeDuel({ one, other, trades, ties, winRate, medianMarginBps }: Duel): string {
  const decided = trades - ties;
  const tied = ties === 0 ? '' : ` (${counted(ties, 'tie')})`;
  if (trades === 0) return `${one} and ${other} settled no trade that can be compared`;
  if (winRate === undefined) return `${one} and ${other} are equal in all ${trades} trades`;
  const { value, low = 0, high = 1 } = winRate;
  const wins = Math.round(value * decided);
  if (low <= 0.5 && high >= 0.5) {
    return `neither ${one} nor ${other} is clearly ahead: better in ${wins} and ${decided - wins} trades${tied}`;
  }
  const [ahead, behind, best, sign] =
    low > 0.5 ? [one, other, wins, 1] : [other, one, decided - wins, -1];
  const margin =
    medianMarginBps && medianMarginBps.value !== 0
      ? `, by a median of ${formatBps(sign * medianMarginBps.value)} bps after gas`
      : '';
  return `${ahead} is ahead of ${behind}: better in ${best} of ${decided} trades${tied}${margin}`;
}
