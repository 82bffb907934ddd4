import { formatShare } from '../../../conformance/output/units.ts';
import { SURVIVAL_BPS } from '../../model/settings.ts';
import type { StudyReport } from '../../model/study-report.ts';
import { formatBps, formatEstimate } from '../format.ts';

type Line = {
  readonly name: string;
  /**
   * Ascending quantiles at each block; null if the service has no value at that block. The middle
   * quantile is the estimate.
   */
  readonly quantiles: readonly (readonly number[] | null)[];
  readonly texts: readonly (string | null)[];
};

/**
 * Returns the data of the page's charts: survival by tolerance, and the distribution of received
 * amounts.
 */
export function chartData({ metrics, settings }: StudyReport) {
  const { blocks } = settings;
  const lines = <Item extends { readonly blocks: number }>(
    itemsOf: (service: StudyReport['metrics'][number]) => readonly Item[],
    describe: (
      item: Item,
    ) => { readonly quantiles: readonly number[]; readonly text: string } | undefined,
  ): readonly Line[] =>
    metrics.map((service) => {
      const described = blocks.map((at) => {
        const item = itemsOf(service).find((each) => each.blocks === at);
        return item && describe(item);
      });
      return {
        name: service.name,
        quantiles: described.map((each) => each?.quantiles ?? null),
        texts: described.map((each) => each?.text ?? null),
      };
    });
  return {
    blocks,
    survival: SURVIVAL_BPS.map((toleranceBps) =>
      lines(
        ({ survival }) => survival.filter((each) => each.toleranceBps === toleranceBps),
        ({ share }) => ({
          quantiles: [share.low ?? share.value, share.value, share.high ?? share.value],
          text: `${formatEstimate(share, formatShare)} of ${share.count}`,
        }),
      ),
    ),
    distribution: lines(
      ({ received }) => received,
      ({ spreadBps: spread }) =>
        spread && {
          quantiles: [spread.p5, spread.p25, spread.median, spread.p75, spread.p95],
          text: `median ${formatBps(spread.median)}, 90% from ${formatBps(spread.p5)} to ${formatBps(spread.p95)}, all from ${formatBps(spread.min)} to ${formatBps(spread.max)}`,
        },
    ),
  };
}
