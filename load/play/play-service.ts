import type { RouterNames } from '../../conformance/client/router-names.ts';
import type { Facts } from '../../conformance/discovery/facts.ts';
import { type PreparedRun, prepareRun } from '../mix/prepare-run.ts';
import type { LoadProgress } from '../model/figures.ts';
import type { LoadResult } from '../model/load-result.ts';
import type { Profile } from '../model/profile.ts';
import { unplayedResult } from '../result/build-result.ts';
import type { PrepareJudge } from '../result/sample-judge.ts';
import type { StartClients } from '../run/client.ts';
import type { JudgeOrder } from '../run/judge-pool.ts';
import { createLiveView } from '../watch/live-view.ts';
import { playProfile } from './play-profile.ts';

/** What a load run is given by the program it is part of. */
export type LoadDeps = {
  readonly version: string;
  /** The reply rules, with what discovery learned. */
  readonly prepareJudge: PrepareJudge;
  /** Starts what sends the requests. Default: processes of their own. */
  readonly startClients?: StartClients;
};

/** What threads that judge need to know. */
export type KnownToJudge = {
  readonly facts: Facts;
  readonly routerNames: RouterNames | undefined;
  /** Taken out of what is shown. */
  readonly apiKey: string;
};

/** One run against one service. */
export type ServiceLoad = {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly routerNames?: RouterNames | undefined;
  readonly kind: 'other' | 'child';
  readonly profile: Profile;
  readonly seed: number;
  /** Chain ids; empty, all that the service names. */
  readonly chains: readonly number[];
  /** Has every reply judged, in threads; unset, a sample is judged. */
  readonly judgeInThreads?:
    | ((known: KnownToJudge) => Promise<Omit<JudgeOrder, 'threads'>>)
    | undefined;
  readonly deps: LoadDeps;
  readonly signal: AbortSignal;
  /** Told of every second or so. */
  readonly onProgress?: (progress: LoadProgress) => void;
};

/** The result of a run that cannot be played. */
export type Unplayed = { readonly kind: 'unplayed'; readonly result: LoadResult };

/** Discovers a service and builds its mix. */
export async function prepareLoad(load: ServiceLoad): Promise<PreparedRun | Unplayed> {
  const { baseUrl, profile, seed, deps } = load;
  const startedAt = new Date().toISOString();
  say('Discovering what the service offers');
  const prepared = await prepareRun(load);
  if (prepared.kind === 'prepared') return prepared;
  const { reason } = prepared;
  const { version } = deps;
  const about = { reason, target: baseUrl.href, profile, seed, version, startedAt };
  return { kind: 'unplayed', result: unplayedResult(about) };
}

/** Plays and returns one run, shown on standard error as it goes. */
export async function playLoad(load: ServiceLoad, prepared: PreparedRun): Promise<LoadResult> {
  const { baseUrl, profile, apiKey, routerNames, deps, signal, onProgress } = load;
  const { facts, ...rest } = prepared;
  const view = await createLiveView(process.stderr, () => performance.now(), process.env);
  try {
    return await playProfile({
      ...rest,
      origin: baseUrl,
      profile,
      apiKey,
      judge: await deps.prepareJudge(facts, routerNames),
      judging: await load.judgeInThreads?.({ facts, routerNames, apiKey }),
      version: deps.version,
      startClients: deps.startClients,
      onProgress: (progress) => {
        view.show(progress);
        onProgress?.(progress);
      },
      signal,
    });
  } finally {
    view.end();
  }
}

/** Tells the person at the terminal; reports are on standard output. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
