import type { ChainId } from '../../conformance/client/chain-ids.ts';
import type { Access } from '../../conformance/client/client.ts';
import type { Reach } from '../../conformance/client/reach.ts';
import type { DiscoveryOptions } from '../../conformance/discovery/discover.ts';
import type { StartClients } from '../engine/client.ts';
import type { LoadProgress } from '../model/metrics.ts';
import type { Profile } from '../model/profile.ts';
import type { PrepareJudge } from '../result/sample-judge.ts';

/** Dependencies of a load run, given by the program. */
export type LoadDeps = {
  /** Prepares the reply rules with the facts of discovery. */
  readonly prepareJudge: PrepareJudge;
  /** Starts the clients that send the requests. Default: separate processes. */
  readonly startClients?: StartClients;
};

/** Settings of a load run, for any service. */
export type LoadSettings = Pick<Access, 'routerNames'> &
  Pick<DiscoveryOptions, 'user'> & {
    readonly profile: Profile;
    readonly seed: number;
    /** Chain ids. If empty, all chains that the service lists. */
    readonly chains: readonly ChainId[];
    readonly apiKey: string;
    /** Headers and certificates of the requests. */
    readonly reach?: Reach | undefined;
    /**
     * `sample` judges about a hundred replies a second, `all` judges every reply. Default:
     * `sample`.
     */
    readonly judge?: 'sample' | 'all' | undefined;
  };

/** One run against one service. */
export type ServiceLoad = LoadSettings & {
  readonly baseUrl: URL;
  readonly kind: 'other' | 'child';
  readonly deps: LoadDeps;
  readonly signal: AbortSignal;
  /** Reason why the service cannot be load-tested, if there is one. */
  readonly obstacle?: string;
  /** Called about every second. */
  readonly onProgress?: (progress: LoadProgress) => void;
};
