import { createLogUpdate } from 'log-update';
import { createPaint, type Paint } from '../../conformance/report/paint.ts';
import { showMs } from '../report/words.ts';
import type { LoadProgress } from '../run/run-load.ts';
import { createLatestSecond, type SecondFigures } from './latest-second.ts';

/** Where a run is watched: usually standard error. */
export type WatchStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Shows how a run goes. */
export type LiveView = {
  readonly show: (progress: LoadProgress) => void;
  /** Leaves the screen as it is. */
  readonly end: () => void;
};

const PLAIN_LINE_MS = 5000;
const BAR_CELLS = 30;

/**
 * Returns a view of a run: on a terminal a few lines that are drawn over,
 * elsewhere a plain line every five seconds.
 *
 * @param now - Clock in milliseconds.
 */
export function createLiveView(stream: WatchStream, colour: boolean, now: () => number): LiveView {
  const latest = createLatestSecond();
  let errors = 0;
  const seen = (progress: LoadProgress): SecondFigures | undefined => {
    for (const { endpoints } of progress.intervals) {
      for (const each of Object.values(endpoints)) {
        errors += Object.values(each.errors).reduce((sum, count) => sum + count, 0);
      }
    }
    return latest(progress);
  };
  if (stream.isTTY === true) {
    const draw = createLogUpdate(stream, { showCursor: true });
    const paint = createPaint(colour);
    return {
      show: (progress) => draw(screen(progress, seen(progress), errors, paint)),
      end: () => draw.done(),
    };
  }
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    show(progress) {
      const second = seen(progress);
      if (now() - writtenAt < PLAIN_LINE_MS) return;
      writtenAt = now();
      stream.write(`${plainLine(progress, second, errors)}\n`);
    },
    end: () => {},
  };
}

function screen(
  { elapsedS, totalS, asked, phase }: LoadProgress,
  second: SecondFigures | undefined,
  errors: number,
  paint: Paint,
): string {
  const share = Math.min(1, elapsedS / totalS);
  const done = Math.round(share * BAR_CELLS);
  const bar = paint.cyan('█'.repeat(done)) + paint.dim('░'.repeat(BAR_CELLS - done));
  const rate = `${second?.requests ?? 0}/s${asked === undefined ? '' : ` of ${asked.toFixed(0)}/s asked`}`;
  const lost = errors > 0 ? paint.red(`${errors} errors`) : paint.green('no errors');
  return [
    `${bar} ${(100 * share).toFixed(0).padStart(3)} %  ${elapsedS.toFixed(0)} of ${totalS.toFixed(0)} s${phase === undefined ? '' : `  ${paint.bold(phase)}`}`,
    `rate ${paint.bold(rate)}   p50 ${paint.bold(`${showMs(second?.p50Ms ?? 0)} ms`)}   p99 ${paint.bold(`${showMs(second?.p99Ms ?? 0)} ms`)}   ${lost}`,
  ].join('\n');
}

function plainLine(
  { elapsedS, totalS, asked, phase }: LoadProgress,
  second: SecondFigures | undefined,
  errors: number,
): string {
  const parts = [
    `${elapsedS.toFixed(0)} of ${totalS.toFixed(0)} s`,
    `${second?.requests ?? 0}/s${asked === undefined ? '' : ` of ${asked.toFixed(0)}/s`}`,
    `p50 ${showMs(second?.p50Ms ?? 0)} ms`,
    `p99 ${showMs(second?.p99Ms ?? 0)} ms`,
    `${errors} errors`,
  ];
  return `${phase === undefined ? '' : `${phase}: `}${parts.join(', ')}`;
}
