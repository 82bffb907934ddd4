import { chartAssets } from '../../conformance/output/charts.ts';
import { markup } from '../../conformance/output/markup.ts';
import { writePage } from '../../conformance/output/page.ts';
import type { LoadResult } from '../model/load-result.ts';
import { chartData } from './html/chart-data.ts';
import { headSection } from './html/head-section.ts';
import {
  conditionSection,
  searchSection,
  thresholdSection,
  wrongSection,
} from './html/load-sections.ts';
import { outcomeSection, percentileSection, timeSection } from './html/metric-sections.ts';

/** Returns the result as one self-contained page that includes uPlot. Text from a service is escaped. */
export function write(result: LoadResult): string {
  const { verdict, profile, target, version } = result;
  return writePage({
    title: `${verdict}: load ${profile.name} · ${target}`,
    ...chartAssets(import.meta.url, 'html/load'),
    data: chartData(result),
    header: headSection(result),
    main: [
      thresholdSection(result),
      wrongSection(result),
      searchSection(result),
      timeSection(result),
      percentileSection(result),
      outcomeSection(result),
      conditionSection(result),
    ],
    footer: markup`Written by swapcheck ${version}. Latency runs from when a request was due, so a stalled service cannot hide the requests that could not be sent.`,
  });
}
