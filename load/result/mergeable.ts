import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../../conformance/output/usage-error.ts';
import type { LoadResult } from '../model/load-result.ts';

/** A result and the file that it was read from. */
export type ResultFile = { readonly source: string; readonly result: LoadResult };

/**
 * Checks that results can be merged: different runs of one profile at the same
 * time.
 *
 * @throws {UsageError} naming the file and the reason
 */
export function checkMergeable(files: readonly ResultFile[]): void {
  const [first, ...others] = files;
  if (first === undefined || others.length === 0) {
    throw new UsageError(`${files.length} result: expected two or more to merge`);
  }
  for (const file of files) checkWhole(file);
  for (const other of others) checkProfile(first, other);
  checkRuns(files);
  checkTimes(files);
}

/** Returns the ids of the runs in results, including merged ones. */
export function runIdsOf(files: readonly ResultFile[]): readonly string[] {
  return files.flatMap(({ result }) => runsIn(result));
}

function runsIn({ runId = '', parts }: LoadResult): readonly string[] {
  return parts?.map((part) => part.runId) ?? [runId];
}

function checkWhole({ source, result }: ResultFile): void {
  const { breakpoint, profile, sent, runId, series, endpoints } = result;
  if (breakpoint !== undefined || profile.workload.model === 'breakpoint') {
    throw new UsageError(
      `${source} is of a search: its rates are its own, and nothing can be added to them`,
    );
  }
  if (sent === 0) {
    throw new UsageError(`${source} holds no metrics (${result.reason})`);
  }
  const intervals = endpoints.flatMap(({ name, series: own = [] }) => (name === 'all' ? [] : own));
  const lacksHistogram = intervals.some(
    ({ requests, latencyHistogram }) => requests > 0 && latencyHistogram === undefined,
  );
  const lacksSent = series.some((interval) => interval.sent === undefined);
  if (runId === undefined || lacksHistogram || lacksSent) {
    throw new UsageError(
      `${source} was written by an earlier version and cannot be merged (runId and histograms by interval are missing): run the profile again`,
    );
  }
}

function checkProfile(first: ResultFile, other: ResultFile): void {
  const [one, two] = [first.result.profile, other.result.profile];
  const names = Object.keys({ ...one, ...two }) as (keyof typeof one)[];
  const differs = names.find((name) => !isDeepStrictEqual(one[name], two[name]));
  if (differs === undefined) return;
  const [shownOne, shownTwo] = [one[differs], two[differs]].map((value) => JSON.stringify(value));
  throw new UsageError(
    `${other.source} is of another profile than ${first.source}: ${differs} is ${shownTwo}, not ${shownOne}`,
  );
}

function checkRuns(files: readonly ResultFile[]): void {
  const seen = new Map<string, string>();
  for (const { source, result } of files) {
    for (const runId of runsIn(result)) {
      const earlier = seen.get(runId);
      if (earlier !== undefined) {
        throw new UsageError(
          `${source} holds the run ${runId}, which ${earlier} holds too: each counts once`,
        );
      }
      seen.set(runId, source);
    }
  }
}

/** The load of several runs adds up only if they took place at the same time. */
function checkTimes(files: readonly ResultFile[]): void {
  const times = files.map(({ source, result }) => {
    const fromMs = Date.parse(result.startedAt);
    return { source, fromMs, toMs: fromMs + result.durationMs };
  });
  const last = times.reduce((a, b) => (b.fromMs > a.fromMs ? b : a));
  const over = times.find(({ toMs }) => toMs < last.fromMs);
  if (over === undefined) return;
  const seconds = Math.ceil((last.fromMs - over.toMs) / 1000);
  throw new UsageError(
    `${last.source} began ${seconds} s after ${over.source} was over: results can be merged only if the runs overlap in time`,
  );
}
