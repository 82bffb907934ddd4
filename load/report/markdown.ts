import { escapeText, markupTable } from '../../conformance/output/markdown.ts';
import { errorCount } from '../model/figures.ts';
import type { LoadResult } from '../model/load-result.ts';
import { showMs } from '../model/units.ts';
import { describeCrossing, showThreshold } from '../thresholds/describe-threshold.ts';
import { clientLine, rateLine, serviceLine, showErrors, workloadLine } from './words.ts';

/** Returns the result as GitHub-flavoured Markdown, for a job summary. */
export function writeLoadMarkdown(result: LoadResult): string {
  const { verdict, profile, endpoints, thresholds, samples } = result;
  const sign = { passed: '✅', failed: '❌', invalid: '⚠️', incomplete: '⚠️' }[verdict];
  const blocks = [
    `## ${sign} Load ${cell(profile.name)}: ${verdict}`,
    cell(result.reason),
    `${code(result.target)}, ${rateLine(result)}. ${cell(workloadLine(result))}.`,
    markupTable(
      ['Endpoint', 'Requests', 'Errors', 'p50 ms', 'p90 ms', 'p99 ms', 'p99.9 ms', 'Max ms'],
      endpoints.map((endpoint) => [
        cell(endpoint.name),
        String(endpoint.requests),
        errorCount(endpoint) === 0 ? '0' : cell(showErrors(endpoint.errors)),
        ...(['p50', 'p90', 'p99', 'p99.9', 'max'] as const).map((name) =>
          showMs(endpoint.latencyMs[name]),
        ),
      ]),
    ),
    thresholds.length === 0
      ? ''
      : markupTable(
          ['', 'Threshold', 'Bound', 'Measured'],
          thresholds.map((threshold) => {
            const { name, bound, actual } = showThreshold(threshold);
            const words = threshold.held ? actual : describeCrossing(threshold);
            return [threshold.held ? '✅' : '❌', cell(name), bound, cell(words)];
          }),
        ),
    result.breakpoint === undefined
      ? ''
      : markupTable(
          ['', 'Rate tried', 'Reached', 'p50 ms', 'p99 ms', 'Why not'],
          result.breakpoint.steps.map(({ rate, reached, outcome, p50, p99, reasons }) => [
            { held: '✅', crossed: '❌', invalid: '⚠️' }[outcome],
            `${rate}/s`,
            `${reached.toFixed(1)}/s`,
            showMs(p50),
            showMs(p99),
            cell(reasons.join('; ')),
          ]),
        ),
    samples.findings.length === 0
      ? ''
      : [
          '### Wrong replies',
          markupTable(
            ['Rule', 'Clause', 'Seen', 'Expected', 'Actual', 'Request'],
            samples.findings.map(({ rule, clause, count, expected, actual, target }) => [
              code(rule),
              cell(clause),
              String(count),
              cell(expected),
              cell(actual),
              code(target),
            ]),
          ),
        ].join('\n\n'),
    [
      `Judged ${samples.judged} replies, ${samples.wrong} of them wrong.`,
      `Client: ${cell(clientLine(result))}.`,
      `Service: ${cell(serviceLine(result))}.`,
      ...result.leftOut.map((kind) => `Left out: ${cell(kind)}.`),
    ].join('\n'),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function cell(text: string): string {
  return escapeText(text, 300);
}

function code(text: string): string {
  return `<code>${cell(text)}</code>`;
}
