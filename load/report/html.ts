import { markup } from '../../conformance/output/markup.ts';
import { writePage } from '../../conformance/output/page.ts';
import { chartStyle, readBeside } from '../../conformance/output/page-style.ts';
import { readUplot } from '../../conformance/output/uplot.ts';
import type { LoadResult } from '../model/load-result.ts';
import { chartData } from './html/chart-data.ts';
import { headSection } from './html/head-section.ts';
import {
  conditionSection,
  searchSection,
  thresholdSection,
  wrongSection,
} from './html/load-sections.ts';
import { figureSection, outcomeSection, timeSection } from './html/metric-sections.ts';

/** Returns the result as one self-contained page that includes uPlot; text of a service is escaped. */
export function write(result: LoadResult): string {
  const { verdict, profile, target, version } = result;
  return writePage({
    title: `${verdict}: load ${profile.name} · ${target}`,
    style: readUplot('uPlot.min.css') + chartStyle() + readBeside(import.meta.url, 'html/load.css'),
    script: `/*! uPlot: ${readUplot('../LICENSE')}*/\n${readUplot('uPlot.iife.min.js')}\n${readBeside(import.meta.url, 'html/load.js')}`,
    data: chartData(result),
    header: headSection(result),
    main: [
      thresholdSection(result),
      wrongSection(result),
      searchSection(result),
      timeSection(result),
      figureSection(result),
      outcomeSection(result),
      conditionSection(result),
    ],
    footer: markup`Written by swapcheck ${version}. Latency runs from when a request was due, so a stalled service cannot hide the requests that could not be sent.`,
  });
}
