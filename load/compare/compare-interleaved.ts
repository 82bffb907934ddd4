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
  /** Of everything; unset, the rounds asked for are played whole, and others added for a while. */
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
      // There is no use in loading one of them.
      if (prepared.kind === 'not-run') return conclude(interleave, [], {}, 1, prepared.result);
      players[side] = () => runLoad(load, prepared);
    }
    return playRounds(interleave, players as Players, {
      leftMs: () => (maxTimeMs ?? ADDING_MS) - (performance.now() - startedAt),
      isSpent: () => signal.reason instanceof TimeSpentError,
    });
  }, maxTimeMs);
}

/** So long, rounds are added to those that were asked for, unless --max-time says otherwise. */
const ADDING_MS = 600_000;
/** Rounds in all, beside those so far: looking after each one would cost certainty. */
const GROWTH = 1.5;

/** The time that rounds may take. */
type RoundTime = {
  readonly leftMs: () => number;
  /** Whether it ended a run that was under way. */
  readonly isSpent: () => boolean;
};

/** Plays rounds until every bound is decided, and returns their comparison. */
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
      const isAsked = maxTimeMs === undefined && played.length < interleave.rounds;
      if (!isAsked && leftMs() < longestMs) return conclude(interleave, played, {}, look);
    }
    if (describeUndecided({ changes: comparePaired(played, look), bounds }).length === 0) {
      return conclude(interleave, played, {}, look);
    }
    wanted = Math.ceil(played.length * GROWTH);
  }
}

/** Plays one round; `broken` is the run that ended it early. */
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

/** `broken` is the run that ended it early, `latest` what its round had. */
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
