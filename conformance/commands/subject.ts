import type { ForkSource } from '../execution/fork.ts';

/** A service that is started to be judged. */
export type Subject = {
  readonly url: string;
  readonly apiKey: string;
  /** Nodes of the chains it serves. */
  readonly forks: readonly ForkSource[];
  readonly close: () => Promise<void>;
};

/** Starts a service to judge where no BASE_URL is given. */
export type StartSubject = () => Promise<Subject>;
