import { given } from '../../conformance/output/option-values.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import type { Profile, Threshold } from '../model/profile.ts';
import { parseProfile } from './load-profile.ts';

/** Changes to a profile. */
export type ProfileOverrides = Partial<
  Pick<Profile, 'connections' | 'processes' | 'warmUpS' | 'timeoutMs' | 'maxClientLagMs'>
> & {
  /**
   * Requests per second in the highest stage. The other stages are scaled to match. In a breakpoint
   * search, the start rate.
   */
  readonly rate?: number;
  /** Total seconds. The stages are scaled to match. In a breakpoint search, seconds per step. */
  readonly durationS?: number;
  /**
   * Each threshold replaces the profile's threshold on the same metric of the same endpoint, or is
   * added.
   */
  readonly thresholds?: readonly Threshold[];
};

/**
 * Returns the profile with the overrides applied.
 *
 * @throws {UsageError} if an override does not fit the profile
 */
export function overrideProfile(profile: Profile, overrides: ProfileOverrides): Profile {
  const { rate, durationS, thresholds = [] } = overrides;
  const { connections, processes, warmUpS, timeoutMs, maxClientLagMs } = overrides;
  const isOverridden = (each: Threshold): boolean =>
    thresholds.some(
      ({ metric, endpoint = 'all' }) =>
        metric === each.metric && endpoint === (each.endpoint ?? 'all'),
    );
  return parseProfile(
    {
      ...profile,
      ...given({ connections, processes, warmUpS, timeoutMs, maxClientLagMs }),
      workload: withDuration(withRate(profile.workload, rate), durationS),
      thresholds: [...profile.thresholds.filter((each) => !isOverridden(each)), ...thresholds],
    },
    profile.name,
  );
}

type Load = Profile['workload'];

function withRate(workload: Load, rate: number | undefined): Load {
  if (rate === undefined) return workload;
  if (workload.model === 'closed') {
    throw new UsageError('a closed workload has no rate: its connections set the pace');
  }
  if (workload.model === 'breakpoint') return { ...workload, startRate: rate };
  const highest = Math.max(...workload.stages.map((stage) => stage.rate));
  const stages = workload.stages.map((stage) => ({
    ...stage,
    rate: (stage.rate * rate) / highest,
  }));
  return { ...workload, stages };
}

function withDuration(workload: Load, durationS: number | undefined): Load {
  if (durationS === undefined) return workload;
  if (workload.model === 'closed') return { ...workload, durationS };
  if (workload.model === 'breakpoint') return { ...workload, stepS: durationS };
  const total = workload.stages.reduce((sum, stage) => sum + stage.durationS, 0);
  const stages = workload.stages.map((stage) => ({
    ...stage,
    durationS: (stage.durationS * durationS) / total,
  }));
  return { ...workload, stages };
}
