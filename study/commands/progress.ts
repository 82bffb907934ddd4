import { createDrawing, type TerminalVariables } from '../../conformance/output/terminal.ts';
import type { StudyEvent } from '../measure/run-study.ts';

/** Where progress is shown: usually standard error. */
export type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Shows how a study goes. */
export type StudyProgress = {
  readonly show: (event: StudyEvent) => void;
  readonly end: () => void;
};

const PLAIN_LINE_MS = 5_000;

/**
 * Returns what shows a study while it goes: one line that is drawn over on a
 * terminal; elsewhere a plain line every five seconds.
 *
 * @param now - Clock in milliseconds.
 */
export async function createProgress(
  stream: ProgressStream,
  now: () => number,
  variables: TerminalVariables,
): Promise<StudyProgress> {
  const line = await createDrawing(stream, variables);
  let [writtenAt, startedAt] = [Number.NEGATIVE_INFINITY, now()];
  return {
    show: (event) => {
      if (event.kind === 'progress') {
        const text = progressText(event, now() - startedAt);
        if (line !== undefined) line(text);
        else if (now() - writtenAt >= PLAIN_LINE_MS) {
          writtenAt = now();
          stream.write(`${text}\n`);
        }
        return;
      }
      stream.write(`${eventText(event)}\n`);
      if (event.kind === 'discovered') startedAt = now();
    },
    end: () => {
      line?.clear();
      line?.done();
    },
  };
}

function eventText(event: Exclude<StudyEvent, { readonly kind: 'progress' }>): string {
  if (event.kind === 'discovered') return `discovered ${event.service}: ${event.requests} requests`;
  const { budget, blockSeconds } = event;
  const pace = blockSeconds > 0 ? ` (a block every ${Number(blockSeconds.toPrecision(2))} s)` : '';
  return `budget: at most about ${budget.requests} requests to each service, ${budget.nodeCalls} node calls, ${showTime(budget.seconds)}${pace}`;
}

function progressText(
  { asked, trades, settled, settlements }: Extract<StudyEvent, { readonly kind: 'progress' }>,
  elapsedMs: number,
): string {
  const done = asked + settled;
  const leftMs = done === 0 ? 0 : (elapsedMs / done) * (trades + settlements - done);
  return `asked for ${asked} of ${trades} trades, settled ${settled} of ${settlements}, about ${showTime(Math.ceil(leftMs / 1000))} left`;
}

function showTime(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
