import { counted } from '../contract/counted.ts';
import type { Progress, RunEvent, RunListener } from '../model/events.ts';
import { createStatusLine, type StatusStream } from '../output/status-line.ts';
import type { TerminalVariables } from '../output/terminal.ts';

/**
 * Returns a listener that shows the progress of a run. On a terminal, it redraws one line.
 * Elsewhere, it prints a line for each phase, and every five seconds.
 *
 * @param now - Clock in milliseconds.
 * @param variables - Environment variables that describe the terminal.
 */
export async function createProgress(
  stream: StatusStream,
  now: () => number,
  variables: TerminalVariables,
): Promise<RunListener> {
  const line = await createStatusLine(stream, now, variables);
  return (event) => {
    if (event.type === 'progress') line.show(formatProgress(event.progress), event.progress.phase);
    else if (event.type === 'discovery-finished') line.show(formatExpectedTime(event), event.type);
    else if (event.type === 'rate-limited') line.show(formatWait(event.waitMs), event.type);
    else if (event.type === 'run-finished') line.clear();
  };
}

function formatProgress(progress: Progress): string {
  const { phase, requests, failing, probesDone, probes, elapsedMs, rateLimited = 0 } = progress;
  const rate = elapsedMs > 0 ? Math.round((requests * 1000) / elapsedMs) : 0;
  const done = phase === 'discovery' ? '' : `, ${probesDone} of ${probes} probes`;
  const limited = rateLimited === 0 ? '' : ` (${rateLimited} rate-limited)`;
  const failed = failing === 0 ? '' : `, ${failing} failing`;
  return `${phase}${done}, ${counted(requests, 'request')}${limited}, ${rate}/s${formatTimeLeft(progress)}${failed}`;
}

function formatTimeLeft({ leftMs = 0, elapsedMs }: Progress): string {
  const leftS = Math.ceil(leftMs / 1000);
  if (leftS === 0) return '';
  const percent = Math.floor((100 * elapsedMs) / (elapsedMs + leftMs));
  return `, ${percent}% done, about ${leftS} s left`;
}

function formatExpectedTime({
  expectedMs,
  slowdown,
}: Extract<RunEvent, { type: 'discovery-finished' }>): string {
  const seconds = (ms: number) => `${Math.ceil(ms / 1000)} s`;
  const all = `about ${seconds(expectedMs)} to go`;
  if (slowdown === undefined) return all;
  const { share, why, quickMs } = slowdown;
  const percent = Math.max(1, Math.round(share * 100));
  return `${all}, with ${percent}% of the usual requests to end in time: ${why}. --profile quick takes about ${seconds(quickMs)}.`;
}

function formatWait(waitMs: number): string {
  return `the service limits the rate: waiting ${(waitMs / 1000).toFixed(1)} s`;
}
