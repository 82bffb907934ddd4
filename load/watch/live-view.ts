import { createStatusLine, type StatusStream } from '../../conformance/output/status-line.ts';
import {
  createPaint,
  type Paint,
  type TerminalVariables,
  wantsColour,
} from '../../conformance/output/terminal.ts';
import { errorCount, type LoadProgress } from '../model/figures.ts';
import { showMs } from '../model/units.ts';
import { createLatestSecond, type SecondFigures } from './latest-second.ts';

/**
 * Returns a view of a run: a few lines that are drawn over, no wider than the
 * terminal; or a plain line every five seconds, and at each step of a search.
 *
 * @param now - Clock in milliseconds.
 */
export async function createLiveView(
  stream: StatusStream,
  now: () => number,
  variables: TerminalVariables,
) {
  const line = await createStatusLine(stream, now, variables);
  const paint = createPaint(wantsColour(stream, variables));
  const latest = createLatestSecond();
  let errors = 0;
  return {
    show: (progress: LoadProgress): void => {
      for (const { endpoints } of progress.intervals) {
        for (const each of Object.values(endpoints)) errors += errorCount(each);
      }
      const seen = { ...progress, second: latest(progress), errors };
      const { columns = 80 } = stream;
      line.show(line.isDrawn ? screen(seen, columns, paint) : plainLine(seen), seen.step?.number);
    },
    /** Leaves the screen as it is. */
    end: line.leave,
  };
}

type Snapshot = LoadProgress & {
  readonly second: SecondFigures | undefined;
  /** So far. */
  readonly errors: number;
};

function screen(seen: Snapshot, columns: number, paint: Paint): string {
  const share = Math.min(1, seen.elapsedS / seen.totalS);
  const cells = Math.max(8, Math.min(30, columns - 40));
  const done = Math.round(share * cells);
  const { second, errors } = seen;
  const latency = (name: string, ms: number | undefined): Part => ({
    width: name.length + 1 + `${showMs(ms ?? 0)} ms`.length,
    text: `${name} ${paint.bold(`${showMs(ms ?? 0)} ms`)}`,
  });
  const plain = (text: string, tint: (text: string) => string = (as) => as): Part => ({
    width: text.length,
    text: tint(text),
  });
  const lines = [
    [
      {
        width: cells,
        text: paint.cyan('█'.repeat(done)) + paint.dim('░'.repeat(cells - done)),
      },
      plain(`${(100 * share).toFixed(0).padStart(3)} %  ${clock(seen)}`),
      ...(seen.step === undefined ? [] : [plain(stepName(seen.step), paint.bold)]),
    ],
    [
      plain(rate(seen), paint.bold),
      latency('p50', second?.p50Ms),
      latency('p90', second?.p90Ms),
      latency('p99', second?.p99Ms),
      errors > 0 ? plain(`${errors} errors`, paint.red) : plain('no errors', paint.green),
    ],
  ];
  return lines.map((parts) => fill(parts, columns - 1)).join('\n');
}

type Part = { readonly text: string; readonly width: number };

/** Joins parts into as many lines as they need: a line that a terminal wraps cannot be drawn over cleanly. */
function fill(parts: readonly Part[], columns: number): string {
  let text = '';
  let width = 0;
  for (const part of parts) {
    const fits = width === 0 || width + GAP.length + part.width <= columns;
    text += width === 0 ? part.text : `${fits ? GAP : '\n'}${part.text}`;
    width = fits && width > 0 ? width + GAP.length + part.width : part.width;
  }
  return text;
}

function plainLine(seen: Snapshot): string {
  const { second, errors, step } = seen;
  const parts = [
    clock(seen),
    rate(seen),
    ...(['p50', 'p90', 'p99'] as const).map(
      (name) => `${name} ${showMs(second?.[`${name}Ms`] ?? 0)} ms`,
    ),
    `${errors} errors`,
  ];
  return `${step === undefined ? '' : `${stepName(step)}: `}${parts.join(', ')}`;
}

function clock({ elapsedS, totalS }: LoadProgress): string {
  return `${elapsedS.toFixed(0)} of ${totalS.toFixed(0)} s`;
}

function stepName({ number, rate }: NonNullable<LoadProgress['step']>): string {
  return `step ${number} at ${rate}/s`;
}

/** Sent and asked for in the same second. */
function rate({ second, askedIn }: Snapshot): string {
  const sent = `${second?.sent ?? 0}/s`;
  if (askedIn === undefined || second === undefined) return sent;
  return `${sent} of ${askedIn(second.startS, second.startS + 1).toFixed(0)}/s asked`;
}

const GAP = '   ';
