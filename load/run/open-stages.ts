import type { Profile } from '../profiles/profile.ts';
import type { Stage } from './schedule.ts';

type OpenWorkload = Extract<Profile['workload'], { model: 'open' }>;

/** Returns a profile's stages as stretches with a rate at either end; a ramp starts at the rate before. */
export function openStages(stages: OpenWorkload['stages']): Stage[] {
  let rateBefore = 0;
  return stages.map(({ durationS, rate, shape }) => {
    const stage = { durationS, fromRate: shape === 'ramp' ? rateBefore : rate, toRate: rate };
    rateBefore = rate;
    return stage;
  });
}
