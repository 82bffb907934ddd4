import { counted } from '../contract/counted.ts';
import type { Progress, RunEvent, RunListener } from '../model/events.ts';
import { createStatusLine, type StatusStream } from '../output/status-line.ts';
import type { TerminalVariables } from '../output/terminal.ts';

/**
 * Returns a listener that shows the progress of a run: one line, redrawn on a terminal; elsewhere a
 * plain line for each phase and every five seconds.
 *
 * @param now - Clock in milliseconds.
 * @param variables - The environment variables, which describe the terminal.
 */
export async function createProgress(
  stream: StatusStream,
  now: () => number,
  variables: TerminalVariables,
): Promise<RunListener> {
  const line = await createStatusLine(stream, now, variables);
  return (event) => {
    if (event.type === 'progress') line.show(progressText(event.progress), event.progress.phase);
    else if (event.type === 'discovery-finished') line.show(expectedText(event), event.type);
    else if (event.type === 'rate-limited') line.show(waitText(event.waitMs), event.type);
    else if (event.type === 'run-finished') line.clear();
  };
}

function progressText(progress: Progress): string {
  const { phase, requests, failing, probesDone, probes, elapsedMs } = progress;
  const rate = elapsedMs > 0 ? Math.round((requests * 1000) / elapsedMs) : 0;
  const done = phase === 'discovery' ? '' : `, ${probesDone} of ${probes} probes`;
  return `${phase}${done}, ${counted(requests, 'request')}, ${rate}/s${leftText(progress)}, ${failing} failing`;
}

/** Extrapolates from the requests so far; the additional time for settlements is unknown. */
function leftText({ requests, expectedRequests, elapsedMs }: Progress): string {
  if (expectedRequests === undefined || requests === 0) return '';
  const share = Math.min(0.99, requests / expectedRequests);
  const leftS = Math.ceil((Math.max(0, expectedRequests - requests) * elapsedMs) / requests / 1000);
  return `, ${Math.floor(share * 100)} % done, about ${leftS} s left`;
}

function expectedText({
  expectedMs,
  breadth,
}: Extract<RunEvent, { type: 'discovery-finished' }>): string {
  const share = breadth < 1 ? `, with ${Math.ceil(breadth * 100)} % of the usual requests` : '';
  return `about ${Math.ceil(expectedMs / 1000)} s to go${share}`;
}

function waitText(waitMs: number): string {
  return `the service limits the rate: waiting ${(waitMs / 1000).toFixed(1)} s`;
}
