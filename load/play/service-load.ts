import type { RouterNames } from '../../conformance/client/router-names.ts';
import type { Facts } from '../../conformance/discovery/facts.ts';
import type { LoadProgress } from '../model/figures.ts';
import type { Profile } from '../model/profile.ts';
import type { PrepareJudge } from '../result/sample-judge.ts';
import type { StartClients } from '../run/client.ts';
import type { JudgeOrder } from '../run/judge-pool.ts';

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

/** What is played, whichever service it is. */
export type LoadSettings = {
  readonly profile: Profile;
  readonly seed: number;
  /** Chain ids; empty, all that the service names. */
  readonly chains: readonly number[];
  readonly apiKey: string;
  readonly routerNames?: RouterNames | undefined;
};

/** One run against one service. */
export type ServiceLoad = LoadSettings & {
  readonly baseUrl: URL;
  readonly kind: 'other' | 'child';
  /** Has every reply judged, in threads; unset, a sample is judged. */
  readonly judgeInThreads?:
    | ((known: KnownToJudge) => Promise<Omit<JudgeOrder, 'threads'>>)
    | undefined;
  readonly deps: LoadDeps;
  readonly signal: AbortSignal;
  /** Told of every second or so. */
  readonly onProgress?: (progress: LoadProgress) => void;
};

/** Tells the person at the terminal; reports are on standard output. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
