import { interruptible, TimeSpentError } from '../../conformance/output/interruptible.ts';
import type { LoadResult } from '../model/load-result.ts';
import { prepareLoad } from '../run/prepare-load.ts';
import { runLoad } from '../run/run-load.ts';
import { type LoadDeps, type LoadSettings, type ServiceLoad, say } from '../run/service-load.ts';
import {
  concludeComparison,
  describeUndecided,
  type LoadComparison,
  type RunOfSide,
  saysNothing,
} from './comparison.ts';
import { comparePaired, type Round } from './paired-rounds.ts';
import type { RegressionBound } from './regression-bound.ts';

type Interleave = LoadSettings & {
  readonly rounds: number;
  readonly base: URL;
  readonly head: URL;
  readonly bounds: readonly RegressionBound[];
  /** Time limit of the comparison; unset, the requested rounds run completely, and others are added for a while. */
  readonly maxTimeMs?: number | undefined;
};

/**
 * Runs two services in turns, base first in one round and last in the next, and
 * returns the comparison of the rounds. While a bound lies inside an interval,
 * rounds are added until none does, or the time is spent. An interrupt, or a run
 * that says nothing, ends it early: the comparison is then incomplete.
 */
export async function compareInterleaved(
  interleave: Interleave,
  deps: LoadDeps,
): Promise<LoadComparison> {
  const { maxTimeMs } = interleave;
  const startedAt = performance.now();
  return interruptible(async (signal) => {
    const players: Partial<Record<Side, () => Promise<LoadResult>>> = {};
    for (const side of SIDES) {
      const baseUrl = interleave[side];
      const load: ServiceLoad = { ...interleave, baseUrl, kind: 'other', deps, signal };
      const prepared = await prepareLoad(load);
      // Running only one of them would be useless.
      if (prepared.kind === 'not-run') return conclude(interleave, [], {}, 1, prepared.result);
      players[side] = () => runLoad(load, prepared);
    }
    return playRounds(interleave, players as Players, {
      leftMs: () => (maxTimeMs ?? ADDING_MS) - (performance.now() - startedAt),
      isSpent: () => signal.reason instanceof TimeSpentError,
    });
  }, maxTimeMs);
}

/** Time during which rounds are added to the requested ones, unless --max-time is given. */
const ADDING_MS = 600_000;
/** Growth of the number of rounds: evaluating after each one would cost confidence. */
const GROWTH = 1.5;

/** Time limit of the rounds. */
type RoundTime = {
  readonly leftMs: () => number;
  /** Returns whether it ended a run under way. */
  readonly isSpent: () => boolean;
};

/** Runs rounds until every bound is decided, and returns their comparison. */
export async function playRounds(
  interleave: Pick<Interleave, 'rounds' | 'bounds' | 'maxTimeMs' | Side>,
  players: Players,
  { leftMs, isSpent }: RoundTime,
): Promise<LoadComparison> {
  const { bounds, maxTimeMs } = interleave;
  const played: Round[] = [];
  let wanted = interleave.rounds;
  let longestMs = 0;
  for (let look = 1; ; look++) {
    while (played.length < wanted) {
      say(`Round ${played.length + 1} of ${wanted}`);
      const before = leftMs();
      const { round, broken } = await playRound(players, played.length % 2 === 1);
      longestMs = Math.max(longestMs, before - leftMs());
      if (broken !== undefined && isSpent() && played.length > 1) {
        return conclude(interleave, played, {}, look);
      }
      if (broken !== undefined) return conclude(interleave, played, round, look, broken);
      played.push(round as Round);
      const isJudged = maxTimeMs === undefined && played.length < interleave.rounds;
      if (!isJudged && leftMs() < longestMs) return conclude(interleave, played, {}, look);
    }
    if (describeUndecided({ changes: comparePaired(played, look), bounds }).length === 0) {
      return conclude(interleave, played, {}, look);
    }
    wanted = Math.ceil(played.length * GROWTH);
  }
}

/** Runs one round; `broken` is the run that ended it early. */
async function playRound(
  players: Players,
  headFirst: boolean,
): Promise<{ readonly round: Partial<Round>; readonly broken?: LoadResult }> {
  let round: Partial<Round> = {};
  for (const side of headFirst ? SIDES.toReversed() : SIDES) {
    const result = await players[side]();
    round = { ...round, [side]: result };
    if (saysNothing(result)) return { round, broken: result };
  }
  return { round };
}

/** `broken` is the run that ended it early, `latest` the part of its round. */
function conclude(
  { bounds, ...urls }: Pick<Interleave, 'bounds' | Side>,
  played: readonly Round[],
  latest: Partial<Round>,
  look: number,
  broken?: LoadResult,
): LoadComparison {
  const sideOf = (side: Side): RunOfSide =>
    played[0]?.[side] ?? latest[side] ?? { target: urls[side].href };
  return concludeComparison({
    method: 'paired-rounds',
    base: sideOf('base'),
    head: sideOf('head'),
    changes: comparePaired(played, look),
    bounds,
    ...(broken && {
      flaw: `round ${played.length + 1} of ${broken.target} is ${broken.verdict}: ${broken.reason}`,
    }),
  });
}

type Side = 'base' | 'head';
type Players = Readonly<Record<Side, () => Promise<LoadResult>>>;

const SIDES = ['base', 'head'] as const;
