import wrapAnsi from 'wrap-ansi';
import { counted } from '../../conformance/contract/counted.ts';
import { createStatusLine, type StatusStream } from '../../conformance/output/status-line.ts';
import {
  createPaint,
  type Paint,
  type TerminalVariables,
  wantsColor,
} from '../../conformance/output/terminal.ts';
import { formatMs } from '../../conformance/output/units.ts';
import type { LoadProgress } from '../model/metrics.ts';
import { createLatestSecond, type SecondMetrics } from './latest-second.ts';

/**
 * Returns a view of a run in progress. On a terminal, the view redraws a few lines, none wider than
 * the terminal. Elsewhere, it prints a line every five seconds and at each step of a search.
 * @param now - Clock in milliseconds.
 */
export async function createLiveView(
  stream: StatusStream,
  now: () => number,
  variables: TerminalVariables,
) {
  const line = await createStatusLine(stream, now, variables);
  const paint = createPaint(wantsColor(stream, variables));
  const latest = createLatestSecond();
  return {
    show: (progress: LoadProgress): void => {
      const seen = { ...progress, ...latest(progress) };
      const { columns = 80 } = stream;
      line.show(line.isDrawn ? screen(seen, columns, paint) : plainLine(seen), seen.step?.number);
    },
    /** Leaves the last lines on the screen. */
    end: line.leave,
  };
}

type Snapshot = LoadProgress & {
  readonly second?: SecondMetrics;
  readonly errors: number;
};

function screen(seen: Snapshot, columns: number, paint: Paint): string {
  const share = Math.min(1, seen.elapsedS / seen.totalS);
  const cells = Math.max(8, Math.min(30, columns - 40));
  const done = Math.round(share * cells);
  const { second, errors, step } = seen;
  const latency = (name: string, ms = 0) => `${name} ${paint.bold(`${formatMs(ms)} ms`)}`;
  const lines = [
    [
      paint.cyan('█'.repeat(done)) + paint.dim('░'.repeat(cells - done)),
      `${(100 * share).toFixed(0).padStart(3)}%  ${clock(seen)}`,
      ...(step === undefined ? [] : [paint.bold(stepName(step))]),
    ],
    [
      paint.bold(rate(seen)),
      latency('p50', second?.p50Ms),
      latency('p90', second?.p90Ms),
      latency('p99', second?.p99Ms),
      errors > 0 ? paint.red(counted(errors, 'error')) : paint.green('no errors'),
    ],
  ];
  return lines.map((parts) => fill(parts, columns - 1)).join('\n');
}

function fill(parts: readonly string[], columns: number): string {
  const line = parts.map((part) => part.replaceAll(' ', NO_BREAK)).join(GAP);
  return wrapAnsi(line, columns).replaceAll(NO_BREAK, ' ');
}

function plainLine(seen: Snapshot): string {
  const { second, errors, step } = seen;
  const parts = [
    clock(seen),
    rate(seen),
    ...(['p50', 'p90', 'p99'] as const).map(
      (name) => `${name} ${formatMs(second?.[`${name}Ms`] ?? 0)} ms`,
    ),
    counted(errors, 'error'),
  ];
  return `${step === undefined ? '' : `${stepName(step)}: `}${parts.join(', ')}`;
}

function clock({ elapsedS, totalS }: LoadProgress): string {
  return `${elapsedS.toFixed(0)} of ${totalS.toFixed(0)} s`;
}

function stepName({ number, rate }: NonNullable<LoadProgress['step']>): string {
  return `step ${number} at ${rate}/s`;
}

function rate({ second, requestedRate }: Snapshot): string {
  const sent = `${second?.sent ?? 0}/s`;
  if (requestedRate === undefined || second === undefined) return sent;
  return `${sent} of ${requestedRate(second.startS, second.startS + 1).toFixed(0)}/s`;
}

const GAP = '   ';
const NO_BREAK = '\u00a0';
