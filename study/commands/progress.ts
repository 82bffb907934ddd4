import { counted } from '../../conformance/contract/counted.ts';
import { createStatusLine, type StatusStream } from '../../conformance/output/status-line.ts';
import { notify, type TerminalVariables } from '../../conformance/output/terminal.ts';
import type { StudyEvent } from '../measure/run-study.ts';

/**
 * Returns a progress display of a study. On a terminal, the display redraws one line; elsewhere, it
 * prints a line every five seconds.
 * @param now - Clock in milliseconds.
 */
export async function createProgress(
  stream: StatusStream,
  now: () => number,
  variables: TerminalVariables,
) {
  const line = await createStatusLine(stream, now, variables);
  let startedAt = now();
  return {
    show: (event: StudyEvent): void => {
      if (event.kind === 'progress') line.show(describeProgress(event, now() - startedAt));
      else notify(describeEvent(event), stream);
      if (event.kind === 'discovered') startedAt = now();
    },
    end: line.clear,
  };
}

function describeEvent(event: Exclude<StudyEvent, { readonly kind: 'progress' }>): string {
  if (event.kind === 'discovered')
    return `discovered ${event.service}: ${counted(event.requests, 'request')}`;
  const { budget, blockSeconds } = event;
  const pace = blockSeconds > 0 ? ` (a block every ${Number(blockSeconds.toPrecision(2))} s)` : '';
  return `budget: at most about ${budget.requests} requests to each service, ${budget.nodeCalls} node calls, ${formatTime(budget.seconds)}${pace}`;
}

function describeProgress(
  { requested, trades, settled, settlements }: Extract<StudyEvent, { readonly kind: 'progress' }>,
  elapsedMs: number,
): string {
  const done = requested + settled;
  const leftMs = done === 0 ? 0 : (elapsedMs / done) * (trades + settlements - done);
  return `requested ${requested} of ${trades} trades, settled ${settled} of ${settlements}, about ${formatTime(Math.ceil(leftMs / 1000))} left`;
}

function formatTime(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
