import { notify } from '../../conformance/output/terminal.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { LoadDeps, LoadSettings, ServiceLoad } from '../run/service-load.ts';
import type { LoadTarget } from './profile-flags.ts';

/** A service that was started to be load-tested. */
export type Subject = {
  readonly url: string;
  readonly apiKey: string;
  readonly close: () => Promise<void>;
};

/** Dependencies of the load commands, given by the program. */
export type LoadCommandDeps = LoadDeps & {
  /** Starts the service that is loaded if no URL is given. It runs in a separate process. */
  readonly startSubject: () => Promise<Subject>;
};

/** Runs the work while the service of the configuration runs, if swapcheck starts it. */
export async function withTarget(
  { url, start }: LoadTarget,
  { reach = {} }: LoadSettings,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  if (url === undefined || start === undefined) return work(signal);
  const { withOwnService } = await import('../../conformance/service/own-service.ts');
  return withOwnService(url, { start, reach }, signal, work);
}

/**
 * Returns the service to load: either the service at the URL, or one that is started here and accepts only its own key.
 */
export async function openSubject(
  { url }: LoadTarget,
  { apiKey, reach }: LoadSettings,
  { startSubject }: LoadCommandDeps,
): Promise<
  Pick<ServiceLoad, 'baseUrl' | 'apiKey' | 'kind' | 'reach'> & {
    readonly close: () => Promise<void>;
  }
> {
  if (url !== undefined) {
    return { baseUrl: url, apiKey, reach, kind: 'other', close: async () => {} };
  }
  notify('No BASE_URL: the built-in reference service');
  const subject = await startSubject();
  return { ...subject, baseUrl: new URL(subject.url), reach: undefined, kind: 'child' };
}

/** Returns 0 for a passed run, 1 for a crossed threshold, 3 for an invalid or incomplete run. */
export function exitCodeOf({ verdict }: Pick<LoadResult, 'verdict'>): 0 | 1 | 3 {
  return verdict === 'passed' ? 0 : verdict === 'failed' ? 1 : 3;
}
