import type { StudyReport } from '../model/study-report.ts';
import { pairName } from '../summary/worth.ts';
import { showSize } from './show.ts';

/** Returns what was measured, in a few sentences. */
export function describeSettings({ settings, services, trades }: StudyReport): readonly string[] {
  const { sizes, blocks, toleranceBps, chains, seed } = settings;
  const [least = 0, most = 0] = [sizes[0], sizes.at(-1)];
  const requests = services.map((each) => `${each.name} ${each.requests}`).join(', ');
  return [
    `${trades.length} of ${Math.ceil(settings.trades / sizes.length) * sizes.length} trades on chain ${chains.join(', ')}, from ${showSize(least)} to ${showSize(most)}, seed ${seed}`,
    `settled ${blocks.join(', ')} blocks after the quote, with calldata of tolerance ${toleranceBps / 10_000}`,
    `requests: ${requests}`,
  ];
}

/** Returns the trades that came out worst, a line each. */
export function describeWorst({ worst, services, trades }: StudyReport): readonly string[] {
  return worst.flatMap((ids, service) =>
    ids.flatMap((id) => {
      const trade = trades.find((each) => each.id === id);
      const answer = trade?.answers[service];
      if (trade === undefined || answer?.kind !== 'quoted') return [];
      const outcome = answer.outcomes.find(({ blocks }) => blocks === 0);
      const came =
        outcome?.kind === 'settled'
          ? `paid ${outcome.spent} for ${outcome.received}`
          : outcome?.kind === 'reverted'
            ? outcome.reason
            : '';
      const quoted = `quoted ${answer.sold} for ${answer.bought}`;
      return [
        `${services[service]?.name}: trade ${id}, ${trade.swapKind} of ${showSize(trade.usd)}, ${pairName(trade)} on ${trade.router} at block ${trade.block}: ${quoted}, ${came}`,
      ];
    }),
  );
}
