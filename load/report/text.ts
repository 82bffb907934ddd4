import { createPaint, type Paint } from '../../conformance/output/paint.ts';
import { printable } from '../../conformance/output/printable.ts';
import { errorCount } from '../model/figures.ts';
import type { LoadResult } from '../model/load-result.ts';
import { showMs } from '../model/units.ts';
import { describeCrossing, showThreshold } from '../thresholds/describe-threshold.ts';
import { clientLine, rateLine, serviceLine, showErrors, workloadLine } from './words.ts';

const COLUMNS = ['p50', 'p90', 'p99', 'p99.9', 'max'] as const;

/** Returns the result for a terminal: figures by endpoint, thresholds, wrong replies, conditions, verdict. */
export function writeLoadText(result: LoadResult, colour = false): string {
  const paint = createPaint(colour);
  const { profile } = result;
  const sections = [
    [
      `${paint.bold(`swapcheck load ${result.version}`)}  ${printable(result.target)}`,
      `profile ${printable(profile.name)}: ${printable(profile.description)}`,
      workloadLine(result),
    ],
    [rateLine(result), '', ...figureLines(result, paint)],
    result.breakpoint === undefined ? [] : stepLines(result.breakpoint, paint),
    thresholdLines(result, paint),
    wrongLines(result, paint),
    [
      `client   ${clientLine(result)}`,
      `service  ${printable(serviceLine(result))}`,
      `judged   ${result.samples.judged} replies, ${result.samples.wrong} of them wrong`,
      ...result.leftOut.map((kind) => paint.yellow(`left out ${printable(kind)}`)),
    ],
    [verdictLine(result, paint)],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function figureLines({ endpoints }: LoadResult, paint: Paint): string[] {
  const width = Math.max(8, ...endpoints.map(({ name }) => name.length));
  const head = `${'endpoint'.padEnd(width)}  ${['requests', 'errors', ...COLUMNS].map((cell) => cell.padStart(8)).join(' ')}`;
  const rows = endpoints.map((endpoint) => {
    const { name, requests, errors, latencyMs } = endpoint;
    const lost = String(errorCount(endpoint)).padStart(8);
    const cells = [
      String(requests).padStart(8),
      errorCount(endpoint) > 0 ? paint.red(lost) : lost,
      ...COLUMNS.map((column) => showMs(latencyMs[column]).padStart(8)),
    ].join(' ');
    const kinds = errorCount(endpoint) > 0 ? `  ${showErrors(errors)}` : '';
    return `${printable(name).padEnd(width)}  ${cells}${kinds}`;
  });
  return [paint.bold(head), ...rows, paint.dim('milliseconds from when a request was due')];
}

function stepLines({ steps }: NonNullable<LoadResult['breakpoint']>, paint: Paint): string[] {
  const signs = { held: paint.green('✓'), crossed: paint.red('✗'), invalid: paint.yellow('!') };
  return [
    paint.bold('Rates tried'),
    ...steps.map(
      ({ rate, reached, outcome, p50, p99, reasons }) =>
        `  ${signs[outcome]} ${rate}/s: reached ${reached.toFixed(1)}/s, p50 ${showMs(p50)} ms, p99 ${showMs(p99)} ms${reasons.length === 0 ? '' : `; ${printable(reasons.join('; '), 300)}`}`,
    ),
  ];
}

function thresholdLines({ thresholds }: LoadResult, paint: Paint): string[] {
  if (thresholds.length === 0) return [];
  return [
    paint.bold('Thresholds'),
    ...thresholds.map((threshold) => {
      const { name, bound, actual } = showThreshold(threshold);
      return threshold.held
        ? `  ${paint.green('✓')} ${printable(name)} ${actual} (${bound})`
        : `  ${paint.red(`✗ ${printable(describeCrossing(threshold))}`)}`;
    }),
  ];
}

function wrongLines({ samples }: LoadResult, paint: Paint): string[] {
  if (samples.findings.length === 0) return [];
  return [
    paint.bold('Wrong replies'),
    ...samples.findings.flatMap(({ rule, clause, expected, actual, target, count, firstS }) => [
      `  ${paint.red('✗')} ${clause}  ${rule}: ${count} of ${samples.judged} judged, first at ${firstS} s`,
      `      Expected: ${paint.green(printable(expected, 300))}`,
      `        Actual: ${paint.red(printable(actual, 300))}`,
      `       Request: ${printable(target, 500)}`,
    ]),
  ];
}

function verdictLine({ verdict, reason }: LoadResult, paint: Paint): string {
  const tint = {
    passed: paint.green,
    failed: paint.red,
    invalid: paint.yellow,
    incomplete: paint.yellow,
  };
  return paint.bold(tint[verdict](`${verdict.toUpperCase()}: ${printable(reason)}`));
}
