import { interruptible, TimeSpentError } from '../../conformance/output/interruptible.ts';
import { notify } from '../../conformance/output/terminal.ts';
import type { LoadResult } from '../model/load-result.ts';
import { prepareLoad } from '../run/prepare-load.ts';
import { runLoad } from '../run/run-load.ts';
import type { LoadDeps, LoadSettings, ServiceLoad } from '../run/service-load.ts';
import type { RegressionBound } from './change.ts';
import {
  concludeComparison,
  describeUndecided,
  isUnusable,
  type LoadComparison,
  type RunOfSide,
} from './comparison.ts';
import { comparePaired, type Round } from './paired-rounds.ts';

type Interleave = LoadSettings & {
  readonly rounds: number;
  readonly base: URL;
  readonly head: URL;
  readonly bounds: readonly RegressionBound[];
  /**
   * Time limit of the comparison. If unset, all requested rounds run, and further rounds are added
   * until ten minutes have passed.
   */
  readonly maxTimeMs?: number | undefined;
};

/**
 * Runs the profile against two services in turns, and compares the rounds. The base is first in one
 * round and second in the next. Adds rounds until no bound lies inside an interval, or the time is
 * up. An interrupt, or a run without usable metrics, ends the comparison early and makes it
 * incomplete.
 */
export async function compareInterleaved(
  interleave: Interleave,
  deps: LoadDeps,
): Promise<LoadComparison> {
  const { maxTimeMs } = interleave;
  const startedAt = performance.now();
  return interruptible(async (signal) => {
    const runners: Partial<Record<Side, () => Promise<LoadResult>>> = {};
    for (const side of SIDES) {
      const baseUrl = interleave[side];
      const load: ServiceLoad = { ...interleave, baseUrl, kind: 'other', deps, signal };
      const prepared = await prepareLoad(load);
      // A comparison needs both services.
      if (prepared.kind === 'not-run') return conclude(interleave, [], {}, 1, prepared.result);
      runners[side] = () => runLoad(load, prepared);
    }
    return runRounds(interleave, runners as Runners, {
      leftMs: () => (maxTimeMs ?? MAX_ADDED_ROUNDS_MS) - (performance.now() - startedAt),
      isSpent: () => signal.reason instanceof TimeSpentError,
    });
  }, maxTimeMs);
}

/** Time after which no rounds are added, unless --max-time is given. */
const MAX_ADDED_ROUNDS_MS = 600_000;
/**
 * Each evaluation uses up some of the error probability, so rounds are added in growing batches.
 */
const ROUND_GROWTH = 1.5;

type RoundTime = {
  readonly leftMs: () => number;
  readonly isSpent: () => boolean;
};

/** Runs rounds until every bound is decided, and returns their comparison. */
export async function runRounds(
  interleave: Pick<Interleave, 'rounds' | 'bounds' | 'maxTimeMs' | Side>,
  runners: Runners,
  { leftMs, isSpent }: RoundTime,
): Promise<LoadComparison> {
  const { bounds, maxTimeMs } = interleave;
  const rounds: Round[] = [];
  let wanted = interleave.rounds;
  let longestMs = 0;
  for (let evaluation = 1; ; evaluation++) {
    while (rounds.length < wanted) {
      notify(`Round ${rounds.length + 1} of ${wanted}`);
      const before = leftMs();
      const { round, broken } = await runRound(runners, rounds.length % 2 === 1);
      longestMs = Math.max(longestMs, before - leftMs());
      if (broken !== undefined && isSpent() && rounds.length > 1) {
        return conclude(interleave, rounds, {}, evaluation);
      }
      if (broken !== undefined) return conclude(interleave, rounds, round, evaluation, broken);
      rounds.push(round as Round);
      const isJudged = maxTimeMs === undefined && rounds.length < interleave.rounds;
      if (!isJudged && leftMs() < longestMs) return conclude(interleave, rounds, {}, evaluation);
    }
    if (describeUndecided({ changes: comparePaired(rounds, evaluation), bounds }).length === 0) {
      return conclude(interleave, rounds, {}, evaluation);
    }
    wanted = Math.ceil(rounds.length * ROUND_GROWTH);
  }
}

async function runRound(
  runners: Runners,
  headFirst: boolean,
): Promise<{ readonly round: Partial<Round>; readonly broken?: LoadResult }> {
  let round: Partial<Round> = {};
  for (const side of headFirst ? SIDES.toReversed() : SIDES) {
    const result = await runners[side]();
    round = { ...round, [side]: result };
    if (isUnusable(result)) return { round, broken: result };
  }
  return { round };
}

/**
 * After an early end, `broken` is the run that ended the comparison, and `latest` contains the
 * results of the unfinished round.
 */
function conclude(
  { bounds, ...urls }: Pick<Interleave, 'bounds' | Side>,
  rounds: readonly Round[],
  latest: Partial<Round>,
  evaluation: number,
  broken?: LoadResult,
): LoadComparison {
  const sideOf = (side: Side): RunOfSide =>
    rounds[0]?.[side] ?? latest[side] ?? { target: urls[side].href };
  return concludeComparison({
    method: 'paired-rounds',
    base: sideOf('base'),
    head: sideOf('head'),
    changes: comparePaired(rounds, evaluation),
    bounds,
    ...(broken && {
      flaw: `round ${rounds.length + 1} of ${broken.target} is ${broken.verdict}: ${broken.reason}`,
    }),
  });
}

type Side = 'base' | 'head';
type Runners = Readonly<Record<Side, () => Promise<LoadResult>>>;

const SIDES = ['base', 'head'] as const;
