import { readFileSync } from 'node:fs';
import { UsageError } from '../../conformance/commands/usage-error.ts';
import { compareReports, comparisonExitCode } from '../../conformance/report/compare.ts';
import { writeComparison } from '../../conformance/report/compare-text.ts';
import { readReport } from '../../conformance/report/read-report.ts';
import {
  interruptible,
  type LoadCommandDeps,
  type LoadRun,
  loadOnce,
  type OneLoad,
  prepareOnce,
} from '../load-run.ts';
import type { LoadResult } from '../report/load-result.ts';
import { writeChanges } from './changes-text.ts';
import { type Change, compareLoad } from './compare-load.ts';
import { type FailIf, regressions } from './fail-if.ts';
import { comparePaired, type Round } from './paired-rounds.ts';
import { isLoadResult, readLoadResult } from './read-load-result.ts';

/** Compares two files, of load or of conformance by what they hold, and returns the exit code. */
export function compareFiles(
  basePath: string,
  headPath: string,
  bounds: readonly FailIf[],
  colour: boolean,
): number {
  const [base, head] = [read(basePath), read(headPath)];
  const kinds = [isLoadResult(base), isLoadResult(head)];
  if (kinds[0] !== kinds[1]) {
    throw new UsageError(
      `${basePath} and ${headPath} cannot be compared: one is a load result, the other is not`,
    );
  }
  if (kinds[0]) {
    const changes = compareLoad(readLoadResult(base, basePath), readLoadResult(head, headPath));
    return conclude(changes, bounds, colour);
  }
  const comparison = compareReports(readReport(base, basePath), readReport(head, headPath));
  process.stdout.write(writeComparison(comparison, colour));
  return comparisonExitCode(comparison);
}

/** What `--interleave` was asked for. */
export type Interleave = {
  readonly rounds: number;
  readonly base: URL;
  readonly head: URL;
  readonly run: Pick<LoadRun, 'profile' | 'seed' | 'chains'>;
  readonly apiKey: string;
  readonly bounds: readonly FailIf[];
  readonly colour: boolean;
};

/** Runs two services in turns, base first in one round and last in the next, and returns the exit code. */
export async function compareInterleaved(
  { rounds, base, head, run, apiKey, bounds, colour }: Interleave,
  deps: Pick<LoadCommandDeps, 'version' | 'prepareJudge'>,
): Promise<number> {
  const { signal, release } = interruptible();
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const load = (baseUrl: URL): OneLoad => ({
    baseUrl,
    apiKey,
    kind: 'other',
    run: { ...run, metricsPort: undefined },
    deps,
    signal,
    say,
  });
  try {
    const [one, other] = [load(base), load(head)];
    const prepared = { base: await prepareOnce(one), head: await prepareOnce(other) };
    const play = {
      base: () => loadOnce({ ...one, prepared: prepared.base }),
      head: () => loadOnce({ ...other, prepared: prepared.head }),
    };
    const played: Round[] = [];
    for (let round = 0; round < rounds && !signal.aborted; round++) {
      say(`Round ${round + 1} of ${rounds}`);
      const results: { base?: LoadResult; head?: LoadResult } = {};
      for (const side of round % 2 === 0 ? SIDES : [...SIDES].reverse()) {
        results[side] = await play[side]();
      }
      const { base: before, head: after } = results;
      if (before === undefined || after === undefined) break;
      const unusable = [before, after].find(
        ({ verdict }) => verdict === 'incomplete' || verdict === 'invalid',
      );
      if (unusable !== undefined) {
        say(`${unusable.target}: ${unusable.reason}`);
        return 3;
      }
      played.push({ base: before, head: after });
    }
    if (played.length < rounds) return 3;
    return conclude(comparePaired(played), bounds, colour);
  } finally {
    release();
  }
}

const SIDES = ['base', 'head'] as const;

function conclude(changes: readonly Change[], bounds: readonly FailIf[], colour: boolean): number {
  const failing = regressions(changes, bounds);
  process.stdout.write(writeChanges(changes, failing, colour));
  return failing.length > 0 ? 1 : 0;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(
      `${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}
