import { PLAN_STYLE } from '../../conformance/drawing/plan-style.ts';
import { chartAssets } from '../../conformance/output/charts.ts';
import { documentSections } from '../../conformance/output/document-page.ts';
import { markup } from '../../conformance/output/markup.ts';
import { writePage } from '../../conformance/output/page.ts';
import type { StudyReport } from '../model/study-report.ts';
import { chartData } from './html/chart-data.ts';
import {
  distributionSection,
  HEAT_STYLE,
  headSection,
  heatSection,
  survivalSection,
  worstSection,
} from './html/sections.ts';
import { tableSections } from './study-document.ts';

/**
 * Returns the study as one self-contained page that includes uPlot. Text from a service is escaped.
 */
export function write(report: StudyReport): string {
  const { verdict, services, version } = report;
  const { style, script } = chartAssets(import.meta.url, 'html/study');
  const [received, ...tables] = documentSections(tableSections(report));
  return writePage({
    title: `${verdict}: study of ${services.map(({ name }) => name).join(', ')}`,
    style: PLAN_STYLE + style + HEAT_STYLE,
    script,
    data: chartData(report),
    header: headSection(report),
    main: [
      ...(received === undefined ? [] : [received]),
      survivalSection(report),
      distributionSection(report),
      heatSection(report),
      ...tables,
      worstSection(report),
    ],
    footer: markup`Written by swapcheck ${version}. Intervals are 95% confidence intervals: bootstrapped by ladder, and Wilson's for shares. A study observes; it does not judge.`,
  });
}
