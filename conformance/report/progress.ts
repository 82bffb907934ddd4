import type { Progress, RunEvent, RunListener } from '../model/events.ts';
import { createDrawing, type Drawing, type TerminalVariables } from '../output/terminal.ts';

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;

type Finished = Extract<RunEvent, { type: 'discovery-finished' }>;

/** Where progress is shown: usually standard error. */
export type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/**
 * Returns a listener that shows how far a run is: one line that is drawn over
 * on a terminal; elsewhere a plain line a phase and every five seconds.
 *
 * @param now - Clock in milliseconds.
 * @param variables - What says how able a terminal is: the environment.
 */
export async function createProgress(
  stream: ProgressStream,
  now: () => number,
  variables: TerminalVariables,
): Promise<RunListener> {
  const line = await createDrawing(stream, variables);
  return line ? liveLine(line, now) : plainLines(stream, now);
}

function liveLine(line: Drawing, now: () => number): RunListener {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.type === 'progress' && now() - drawnAt >= REDRAW_MS) {
      drawnAt = now();
      line(progressText(event.progress));
    } else if (event.type === 'discovery-finished') {
      drawnAt = now();
      line(expectedText(event));
    } else if (event.type === 'rate-limited') {
      line(waitText(event.waitMs));
    } else if (event.type === 'run-finished') {
      line.clear();
      line.done();
    }
  };
}

function plainLines(stream: ProgressStream, now: () => number): RunListener {
  let phase: Progress['phase'] | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let waitedAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.type === 'progress') {
      if (event.progress.phase === phase && now() - writtenAt < PLAIN_LINE_MS) return;
      ({ phase } = event.progress);
      writtenAt = now();
      stream.write(`${progressText(event.progress)}\n`);
    } else if (event.type === 'discovery-finished') {
      stream.write(`${expectedText(event)}\n`);
    } else if (event.type === 'rate-limited' && now() - waitedAt >= PLAIN_LINE_MS) {
      waitedAt = now();
      stream.write(`${waitText(event.waitMs)}\n`);
    }
  };
}

function progressText(progress: Progress): string {
  const { phase, requests, failing, probesDone, probes, elapsedMs } = progress;
  const rate = elapsedMs > 0 ? Math.round((requests * 1000) / elapsedMs) : 0;
  const done = phase === 'discovery' ? '' : `, ${probesDone} of ${probes} probes`;
  return `${phase}${done}, ${requests} requests, ${rate}/s${leftText(progress)}, ${failing} failing`;
}

/** By how fast requests went so far; what settling takes on top is not known. */
function leftText({ requests, expectedRequests, elapsedMs }: Progress): string {
  if (expectedRequests === undefined || requests === 0) return '';
  const share = Math.min(0.99, requests / expectedRequests);
  const leftS = Math.ceil((Math.max(0, expectedRequests - requests) * elapsedMs) / requests / 1000);
  return `, ${Math.floor(share * 100)} % done, about ${leftS} s left`;
}

function expectedText({ expectedMs, breadth }: Finished): string {
  const share = breadth < 1 ? `, with ${Math.ceil(breadth * 100)} % of the usual requests` : '';
  return `about ${Math.ceil(expectedMs / 1000)} s to go${share}`;
}

function waitText(waitMs: number): string {
  return `the service limits the rate: waiting ${(waitMs / 1000).toFixed(1)} s`;
}

/** A line about something that goes on, drawn over on a terminal, and written every few seconds elsewhere. */
export type StatusLine = { readonly show: (text: string) => void; readonly end: () => void };

/** Returns a line on `stream`; the clock is in milliseconds. */
export async function createStatusLine(
  stream: ProgressStream,
  now: () => number,
  variables: TerminalVariables,
): Promise<StatusLine> {
  const line = await createDrawing(stream, variables);
  const everyMs = line ? REDRAW_MS : PLAIN_LINE_MS;
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show: (text) => {
      if (now() - shownAt < everyMs) return;
      shownAt = now();
      if (line) line(text);
      else stream.write(`${text}\n`);
    },
    end: () => {
      line?.clear();
      line?.done();
    },
  };
}
