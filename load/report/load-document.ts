import {
  type Block,
  type Document,
  type Item,
  listOf,
  type Part,
  tableOf,
} from '../../conformance/output/document.ts';
import { formatMs } from '../../conformance/output/units.ts';
import type { LoadResult, ThresholdResult } from '../model/load-result.ts';
import { errorCount } from '../model/metrics.ts';
import { describeCrossing, formatThreshold } from '../thresholds/describe-threshold.ts';
import {
  BRACKETS_NOTE,
  clientLine,
  formatErrors,
  formatLatency,
  judgedLine,
  partLines,
  rateLine,
  sentAgainLine,
  serviceLine,
  workloadLine,
} from './describe-run.ts';

/** Returns a load result as a document: verdict, metrics by endpoint, thresholds, wrong replies, conditions. */
export function loadDocument(result: LoadResult): Document {
  const { verdict, reason, profile, breakpoint, samples, thresholds } = result;
  const tint = ({ passed: 'good', failed: 'bad', invalid: 'warn', incomplete: 'warn' } as const)[
    verdict
  ];
  return [
    { blocks: [{ kind: 'verdict', subject: `Load ${profile.name}`, verdict, tint, reason }] },
    { blocks: runLines(result) },
    {
      blocks: [...metricTable(result), { kind: 'line', line: { text: LATENCY_NOTE, tint: 'dim' } }],
    },
    { title: 'Rates tried', blocks: stepTable(breakpoint) },
    { title: 'Thresholds', blocks: listOf(thresholds.map(thresholdItem)) },
    { title: 'Wrong replies', blocks: samples.findings.map((each) => finding(each, samples)) },
    { title: 'Conditions', blocks: [{ kind: 'parts', parts: conditions(result) }] },
  ];
}

const LATENCY_NOTE = `Milliseconds, from when a request was due. ${BRACKETS_NOTE}`;

function runLines(result: LoadResult): Block[] {
  const { version, target, profile } = result;
  return [
    { kind: 'line', line: [{ text: `swapcheck load ${version}`, isBold: true }, '  ', target] },
    { kind: 'line', line: `profile ${profile.name}: ${profile.description}` },
    { kind: 'line', line: workloadLine(result) },
    { kind: 'line', line: rateLine(result) },
  ];
}

const LATENCIES = ['p50', 'p90', 'p99', 'p99.9'] as const;

function metricTable({ endpoints }: LoadResult): Block[] {
  return tableOf(
    ['Endpoint', 'Requests', ...LATENCIES, 'max', 'Errors'],
    endpoints.map((endpoint) => [
      endpoint.name,
      String(endpoint.requests),
      ...LATENCIES.map((name) => formatLatency(endpoint, name)),
      formatMs(endpoint.latencyMs.max),
      errorCount(endpoint) === 0
        ? '0'
        : { text: formatErrors(endpoint.name, endpoints), tint: 'bad' },
    ]),
  );
}

function stepTable({ steps }: NonNullable<LoadResult['breakpoint']> = { steps: [] }): Block[] {
  const marks = { held: 'passed', crossed: 'failed', invalid: 'warning' } as const;
  return tableOf(
    ['', 'Rate', 'Reached', 'p50 ms', 'p99 ms', 'Why not'],
    steps.map(({ rate, reached, outcome, p50, p99, reasons }) => [
      { mark: marks[outcome] },
      `${rate}/s`,
      `${reached.toFixed(1)}/s`,
      formatMs(p50),
      formatMs(p99),
      reasons.join('; '),
    ]),
  );
}

function thresholdItem(threshold: ThresholdResult): Item {
  const { name, bound, actual } = formatThreshold(threshold);
  if (threshold.held) return { line: [{ mark: 'passed' }, ` ${name} ${actual} (${bound})`] };
  const text = describeCrossing(threshold);
  return threshold.actual === undefined
    ? { line: [{ mark: 'warning' }, ' ', { text, tint: 'warn' }] }
    : { line: [{ mark: 'failed' }, ' ', { text, tint: 'bad' }] };
}

function finding(
  found: LoadResult['samples']['findings'][number],
  { judged }: LoadResult['samples'],
): Block {
  const { rule, clause, expected, actual, target, count, firstS } = found;
  return {
    kind: 'finding',
    heading: [{ mark: 'failed' }, ` ${rule}: ${count} of ${judged} judged, first at ${firstS} s`],
    about: [clause],
    example: [
      ['Expected', { text: expected, tint: 'good' }],
      ['Actual', { text: actual, tint: 'bad' }],
      ['Request', { text: target, isCode: true }],
    ],
  };
}

function conditions(result: LoadResult): Part[] {
  const { samples, omitted } = result;
  const again = sentAgainLine(result);
  return [
    ['Client', clientLine(result)],
    ['Service', serviceLine(result)],
    ['Judged', `${judgedLine(result)}, ${samples.wrong} of them wrong`],
    ...(again === undefined ? [] : [['Sent again', again] satisfies Part]),
    ...partLines(result).map((text): Part => ['Merged', text]),
    ...omitted.map((text): Part => ['Omitted', { text, tint: 'warn' }]),
  ];
}
