import { isShare } from '../model/metrics.ts';
import { kindName, type Profile } from '../model/profile.ts';

/** Returns a contradiction within a profile in one sentence, or undefined. */
export function findContradiction(profile: Profile): string | undefined {
  for (const check of [workload, clients, mix, thresholds]) {
    const found = check(profile);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** autocannon, which runs closed workloads, takes no shorter one. */
const MIN_CLOSED_TIMEOUT_MS = 1000;

function workload({ workload, timeoutMs }: Profile): string | undefined {
  if (workload.model === 'closed' && timeoutMs < MIN_CLOSED_TIMEOUT_MS) {
    return `/timeoutMs is ${timeoutMs}: expected at least ${MIN_CLOSED_TIMEOUT_MS} in a closed workload`;
  }
  if (workload.model === 'breakpoint' && workload.maxRate < workload.startRate) {
    return `/workload/maxRate is ${workload.maxRate}: expected at least startRate, ${workload.startRate}`;
  }
  if (workload.model !== 'open' || workload.stages.some(({ rate }) => rate > 0)) return undefined;
  return '/workload/stages all have the rate 0: nothing would be sent';
}

function clients({ connections, processes }: Profile): string | undefined {
  if (connections >= processes) return undefined;
  return `/connections is ${connections}: expected at least one for each of the ${processes} processes`;
}

function mix({ mix }: Profile): string | undefined {
  for (const [index, { request, weight: _weight, ...traits }] of mix.entries()) {
    const [trait] = Object.keys(traits);
    if (request !== 'swap' && trait !== undefined) {
      return `/mix/${index} has '${trait}', which belongs to swap and not to ${request}`;
    }
  }
  return undefined;
}

function thresholds({ thresholds, mix, workload }: Profile): string | undefined {
  const names = ['all', ...new Set(mix.map(kindName))];
  for (const { metric, endpoint = 'all', min, max } of thresholds) {
    if (min === undefined && max === undefined) {
      return `the threshold on ${metric} has no bound: expected min or max`;
    }
    if (!names.includes(endpoint)) {
      return `the threshold on ${metric} is of '${endpoint}', which the mix does not ask for: expected one of ${names.join(', ')}`;
    }
    const most = Math.max(min ?? 0, max ?? 0);
    if (isShare(metric) && most > 1) {
      return `the threshold on ${metric} is ${most}: expected a share from 0 to 1`;
    }
    if (metric === 'rate' && workload.model === 'closed') {
      return 'there is a threshold on the rate, and a closed workload has none: its connections set the pace';
    }
  }
  return undefined;
}
