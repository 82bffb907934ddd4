import { noteOnDelayedWrites } from '../../conformance/client/delayed-writes.ts';
import { counted } from '../../conformance/contract/counted.ts';
import {
  type Block,
  type Document,
  type Item,
  listOf,
  type Part,
  tableOf,
} from '../../conformance/output/document.ts';
import {
  formatCount,
  formatDuration,
  formatMoment,
  formatMs,
} from '../../conformance/output/units.ts';
import type { LoadResult, ThresholdResult } from '../model/load-result.ts';
import { errorCount, failuresOf } from '../model/metrics.ts';
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
import { phaseBlocks } from './phases.ts';

/**
 * Returns a load result as a document: verdict, metrics by endpoint, thresholds, wrong replies,
 * conditions.
 */
export function loadDocument(result: LoadResult): Document {
  const { verdict, reason, profile, breakpoint, samples, thresholds } = result;
  const tint = ({ passed: 'good', failed: 'bad', invalid: 'warn', incomplete: 'warn' } as const)[
    verdict
  ];
  return [
    { blocks: [{ kind: 'verdict', subject: `Load ${profile.name}`, verdict, tint, reason }] },
    { blocks: runLines(result) },
    { title: 'Thresholds', blocks: listOf(thresholds.map(thresholdItem)) },
    { title: 'Wrong replies', blocks: samples.findings.map((each) => finding(each, samples)) },
    { title: 'Rates tried', blocks: stepTable(breakpoint) },
    { title: 'Latency by endpoint', blocks: metricTable(result) },
    { title: 'Phases of the run', blocks: phaseBlocks(result) },
    { title: 'Errors', blocks: listOf(errorItems(result)) },
    { title: 'Conditions', blocks: [{ kind: 'parts', parts: conditions(result) }] },
  ];
}

const LATENCY_NOTE = `Milliseconds, from when a request was due; “service p99” runs from when it was sent, so if it is far below p99, requests waited for a free connection. ${BRACKETS_NOTE}`;

function runLines(result: LoadResult): Block[] {
  const { version, target, profile, startedAt, durationMs, sent } = result;
  return [
    { kind: 'line', line: [{ text: `swapcheck load ${version}`, isBold: true }, '  ', target] },
    { kind: 'line', line: `profile ${profile.name}: ${profile.description}` },
    { kind: 'line', line: workloadLine(result) },
    { kind: 'line', line: rateLine(result) },
    {
      kind: 'line',
      line: `started ${formatMoment(startedAt)}, took ${formatDuration(durationMs)}, ${counted(formatCount(sent), 'request')} sent`,
    },
    ...delayedWrites(result),
  ];
}

function delayedWrites({ target, endpoints }: LoadResult): Block[] {
  const note = noteOnDelayedWrites(
    target,
    endpoints.map(({ requests, serviceMs: { p50, p99 } }) => ({
      requests,
      p50Ms: p50,
      p99Ms: p99,
    })),
  );
  return note === undefined ? [] : [{ kind: 'line', line: { text: note, tint: 'warn' } }];
}

const LATENCIES = ['p50', 'p90', 'p99', 'p99.9'] as const;

function metricTable({ endpoints }: LoadResult): Block[] {
  const table = tableOf(
    ['Endpoint', 'Requests', ...LATENCIES, 'max', 'service p99', 'Errors'],
    endpoints.map((endpoint) => [
      endpoint.name,
      String(endpoint.requests),
      ...LATENCIES.map((name) => formatLatency(endpoint, name)),
      formatMs(endpoint.latencyMs.max),
      formatMs(endpoint.serviceMs.p99),
      errorCount(endpoint) === 0
        ? '0'
        : { text: formatErrors(endpoint.name, endpoints), tint: 'bad' },
    ]),
  );
  const note: Block = { kind: 'line', line: { text: LATENCY_NOTE, tint: 'dim' } };
  return table.length === 0 ? [] : [...table, note];
}

const MEANINGS: Readonly<Record<string, string>> = {
  timeout: 'no complete reply within the timeout',
  reset: 'the connection was closed or reset before the reply was complete',
  refused: 'no connection could be made',
  protocol: 'the reply was not HTTP, or too large',
  client: "the client's machine could open no more connections",
  unsent: 'due, but no connection was free before the end',
};

/** Returns the causes of failed requests, the most frequent first, each with a sample. */
function errorItems({ endpoints, samples }: LoadResult): Item[] {
  const named = endpoints.filter(({ name }) => name !== 'all');
  const byName = Object.fromEntries(named.map((each) => [each.name, each]));
  return failuresOf(byName).map(([cause, count]) => {
    const sample = samples.errors?.find((each) => `status ${each.status}` === cause);
    const meaning = MEANINGS[cause] ?? 'a reply with an unexpected status';
    return {
      line: [
        { mark: 'failed' },
        ` ${cause}: ${counted(formatCount(count), 'request')}, ${meaning}`,
      ],
      ...(sample && {
        parts: [
          ['Request', { text: sample.target, isCode: true }],
          ['Reply', { text: `HTTP ${sample.status}: ${sample.excerpt}`, isCode: true }],
        ],
      }),
    };
  });
}

function stepTable({ steps }: NonNullable<LoadResult['breakpoint']> = { steps: [] }): Block[] {
  const marks = { held: 'passed', crossed: 'failed', invalid: 'warning' } as const;
  return tableOf(
    ['Held', 'Rate', 'Reached', 'p50 ms', 'p99 ms', 'Errors', 'Why not'],
    steps.map(({ rate, reached, outcome, p50, p99, errors, reasons }) => [
      { mark: marks[outcome] },
      `${rate}/s`,
      `${reached.toFixed(1)}/s`,
      formatMs(p50),
      formatMs(p99),
      formatCount(errors),
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
  const { rule, clause, expected, actual, target, status, excerpt, count, firstS } = found;
  return {
    kind: 'finding',
    heading: [{ mark: 'failed' }, ` ${rule}: ${count} of ${judged} judged, first at ${firstS} s`],
    about: [clause],
    example: [
      ['Expected', { text: expected, tint: 'good' }],
      ['Actual', { text: actual, tint: 'bad' }],
      ['Request', { text: target, isCode: true }],
      ['Reply', { text: `HTTP ${status}: ${excerpt}`, isCode: true }],
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
