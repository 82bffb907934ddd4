import { join } from 'node:path';
import { messageOf } from '../../conformance/contract/message-of.ts';
import {
  MAX_LINE_BYTES,
  readChunks,
  readText,
  splitLines,
  UnreadableFileError,
} from '../../conformance/output/read-file.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { createRecorder, type EndedRequest } from '../engine/recorder.ts';
import { openStages, totalDurationS } from '../engine/schedule.ts';
import { createTimeline } from '../engine/timeline.ts';
import { createHistogram, percentileMs } from '../model/histogram.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Profile } from '../model/profile.ts';
import { loadProfile } from '../profiles/load-profile.ts';
import { buildResult } from './build-result.ts';

/**
 * The scripts of an exported folder write to this file: one line per request, one for the start and
 * end of each run, and the sample of replies.
 */
const REQUESTS_FILE = 'requests.ndjson';

type Line = {
  readonly run?: { readonly id: string; readonly startedAt: string; readonly engine: string };
  readonly lost?: number;
  readonly request?: readonly [
    endpoint: string,
    dueMs: number,
    sentMs: number,
    endMs: number,
    error: NonNullable<EndedRequest['error']> | null,
    status: number | null,
    /** Lateness of the request; null if no connection was free. */
    lagMs: number | null,
  ];
};

/**
 * Returns the result of a run by another engine, from the requests that it recorded in an exported
 * folder. The replies are not judged, so thresholds on wrong replies are omitted.
 * @throws {UsageError} for a folder without a run
 */
export async function readExportedRun(folder: string): Promise<LoadResult> {
  const { target, seed, warmUpS }: Exported = JSON.parse(readText(join(folder, 'profile.json')));
  const resolved = loadProfile(join(folder, 'profile.yaml'));
  const thresholds = resolved.thresholds.filter(({ metric }) => metric !== 'wrong');
  const omitted =
    thresholds.length < resolved.thresholds.length ? [`wrong replies: ${JUDGE_HINT}`] : [];
  const profile = { ...resolved, thresholds };
  const { workload } = profile;
  if (workload.model !== 'open')
    throw new UsageError(`${folder} is not an exported folder: its profile has no schedule`);
  const stages = openStages(workload.stages);
  const totalS = totalDurationS(stages);
  const run = await readRequests(join(folder, REQUESTS_FILE), warmUpS, totalS);
  const { recorder, runs, sent, durationMs, lag, lostProcesses } = run;
  const engine = [...new Set(runs.map((run) => run.engine))].join(', ');
  const timeline = createTimeline();
  timeline.add(recorder.takeIntervals(Number.POSITIVE_INFINITY));
  const endpoints = recorder.endpoints();
  return buildResult({
    about: {
      ...{ profile, target, omitted },
      runId: [...new Set(runs.map(({ id }) => id))].sort().join('+'),
      startedAt: runs.map(({ startedAt }) => startedAt).sort()[0] ?? '',
    },
    ...{ seed, names: Object.keys(endpoints) },
    workload: { model: 'open', stages },
    ...{ totalS, warmUpS, engine },
    measurement: {
      ...{ endpoints, sent, durationMs, lostProcesses },
      intervals: timeline.intervals(),
      intervalMs: timeline.intervalMs(),
      sentAgain: 0,
      clientLag: { p99Ms: percentileMs(lag, 99), maxMs: lag.maxValue / 1000 },
      clientCpu: [],
      aborted: false,
    },
    judge: {
      sampleCount: () => ({ judged: 0, wrong: 0 }),
      result: () => ({ judged: 0, wrong: 0, byEndpoint: {}, findings: [] }),
    },
  });
}

const JUDGE_HINT = `judge the sample with swapcheck check ${REQUESTS_FILE}`;

/** Fields of an export's `profile.json` that are not in its `profile.yaml`. */
type Exported = Pick<Profile, 'warmUpS'> & Pick<LoadResult, 'target' | 'seed'>;

async function readRequests(path: string, warmUpS: number, totalS: number) {
  const recorder = createRecorder({ warmUpMs: warmUpS * 1000, scheduleEndMs: totalS * 1000 });
  const lag = createHistogram();
  const runs: NonNullable<Line['run']>[] = [];
  let [sent, durationMs, lostProcesses] = [0, 0, 0];
  let number = 0;
  try {
    for (const line of splitLines(readChunks(path), MAX_LINE_BYTES)) {
      number += 1;
      const { run, lost = 0, request }: Line = JSON.parse(line.toString());
      if (run !== undefined) runs.push(run);
      lostProcesses += lost;
      if (request === undefined) continue;
      const [endpoint, dueMs, sentMs, endMs, error, status, lagMs] = request;
      if (error !== 'unsent') {
        sent += 1;
        recorder.countSent(sentMs);
      }
      recorder.record({
        ...{ endpoint, dueMs, sentMs, endMs },
        ...{ error: error ?? undefined, status: status ?? undefined },
      });
      durationMs = Math.max(durationMs, endMs);
      if (lagMs !== null) lag.recordValue(Math.round(lagMs * 1000));
    }
  } catch (cause) {
    if (cause instanceof UnreadableFileError) throw new UsageError(`${path} ${cause.message}`);
    const why = messageOf(cause);
    throw new UsageError(`${path}${number > 0 ? `:${number}` : ''} cannot be read: ${why}`);
  }
  if (runs.length === 0 || sent === 0) {
    throw new UsageError(`${path} has no run: expected one line per request`);
  }
  return { recorder, runs, sent, durationMs, lag, lostProcesses };
}
