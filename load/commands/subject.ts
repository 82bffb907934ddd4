import { notify } from '../../conformance/output/terminal.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { LoadDeps, LoadSettings, ServiceLoad } from '../run/service-load.ts';
import type { LoadTarget } from './profile-flags.ts';

/** A service that was started for a load test. */
export type Subject = {
  readonly url: string;
  readonly apiKey: string;
  readonly close: () => Promise<void>;
};

/** Dependencies of the load commands, given by the program. */
export type LoadCommandDeps = LoadDeps & {
  /** Starts, in a separate process, the service to load-test if no URL is given. */
  readonly startSubject: () => Promise<Subject>;
};

/** Service of a run. `signal` also aborts if a service that was started for the run ends. */
export type LoadedService = Pick<
  ServiceLoad,
  'baseUrl' | 'apiKey' | 'kind' | 'reach' | 'signal' | 'obstacle'
>;

/**
 * Runs the work on the service at the URL, which is started first if the configuration contains a
 * command for that. If it does not start, the work gets the reason. Without a URL, starts a
 * reference service that accepts only its own key.
 */
export async function withService(
  { url, start }: LoadTarget,
  { apiKey, reach = {} }: LoadSettings,
  { startSubject }: LoadCommandDeps,
  signal: AbortSignal,
  work: (service: LoadedService) => Promise<number>,
): Promise<number> {
  if (url !== undefined) {
    const service = { baseUrl: url, apiKey, reach, kind: 'other' } as const;
    if (start === undefined) return work({ ...service, signal });
    const { withOwnService } = await import('../../conformance/service/own-service.ts');
    return withOwnService(
      url,
      { start, reach },
      signal,
      (either) => work({ ...service, signal: either }),
      (obstacle) => work({ ...service, signal, obstacle }),
    );
  }
  notify('No BASE_URL: the built-in reference service');
  const subject = await startSubject();
  try {
    const baseUrl = new URL(subject.url);
    return await work({ baseUrl, apiKey: subject.apiKey, reach: undefined, kind: 'child', signal });
  } finally {
    await subject.close();
  }
}

/** Returns 0 for a passed run, 1 for a crossed threshold, 3 for an invalid or incomplete run. */
export function exitCodeOf({ verdict }: Pick<LoadResult, 'verdict'>): 0 | 1 | 3 {
  return verdict === 'passed' ? 0 : verdict === 'failed' ? 1 : 3;
}
