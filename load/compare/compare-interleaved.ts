import { interruptible } from '../../conformance/output/interruptible.ts';
import type { LoadResult } from '../model/load-result.ts';
import {
  type LoadDeps,
  playLoad,
  prepareLoad,
  type ServiceLoad,
  say,
} from '../play/play-service.ts';
import {
  concludeComparison,
  type LoadComparison,
  type RunOfSide,
  saysNothing,
} from './comparison.ts';
import { comparePaired, type Round } from './paired-rounds.ts';
import type { RegressionBound } from './regression-bound.ts';

export type Interleave = Pick<ServiceLoad, 'profile' | 'seed' | 'chains' | 'apiKey' | 'routerNames'> & {
  readonly rounds: number;
  readonly base: URL;
  readonly head: URL;
  readonly bounds: readonly RegressionBound[];
};

/**
 * Runs two services in turns, base first in one round and last in the next, and
 * returns the comparison of the rounds. An interrupt, or a run that says
 * nothing, ends it early: the comparison is then incomplete.
 */
export async function compareInterleaved(
  interleave: Interleave,
  deps: LoadDeps,
): Promise<LoadComparison> {
  return interruptible(async (signal) => {
    const players: Partial<Record<Side, () => Promise<LoadResult>>> = {};
    for (const side of SIDES) {
      const load: ServiceLoad = {
        ...interleave,
        baseUrl: interleave[side],
        kind: 'other',
        deps,
        signal,
      };
      const prepared = await prepareLoad(load);
      // There is no use in loading one of them.
      if (prepared.kind === 'unplayed') return conclude(interleave, [], {}, prepared.result);
      players[side] = () => playLoad(load, prepared);
    }
    return playRounds(interleave, players as Players);
  });
}

async function playRounds(interleave: Interleave, players: Players): Promise<LoadComparison> {
  const { rounds } = interleave;
  const played: Round[] = [];
  let broken: LoadResult | undefined;
  let latest: Partial<Round> = {};
  while (played.length < rounds && broken === undefined) {
    say(`Round ${played.length + 1} of ${rounds}`);
    latest = {};
    for (const side of played.length % 2 === 0 ? SIDES : [...SIDES].reverse()) {
      const result = await players[side]();
      latest = { ...latest, [side]: result };
      if (saysNothing(result)) {
        broken = result;
        break;
      }
    }
    if (broken === undefined) played.push(latest as Round);
  }
  return conclude(interleave, played, latest, broken);
}

/** `broken` is the run that ended it early, `latest` what its round had. */
function conclude(
  { bounds, ...urls }: Interleave,
  played: readonly Round[],
  latest: Partial<Round>,
  broken?: LoadResult,
): LoadComparison {
  const sideOf = (side: Side): RunOfSide =>
    played[0]?.[side] ?? latest[side] ?? { target: urls[side].href };
  return concludeComparison({
    method: 'paired-rounds',
    base: sideOf('base'),
    head: sideOf('head'),
    changes: comparePaired(played),
    bounds,
    ...(broken === undefined
      ? {}
      : {
          flaw: `round ${played.length + 1} of ${broken.target} is ${broken.verdict}: ${broken.reason}`,
        }),
  });
}

type Side = 'base' | 'head';
type Players = Readonly<Record<Side, () => Promise<LoadResult>>>;

const SIDES = ['base', 'head'] as const;
