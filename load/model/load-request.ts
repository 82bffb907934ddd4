/** One request of a mix, ready to be sent. */
export type LoadRequest = {
  /** Name of its metrics: `swap`, `swap calldata`, `tokens`. */
  readonly endpoint: string;
  /** Path and query, percent-encoded, the key in it. */
  readonly target: string;
  /** Expected reply: a request that is broken on purpose expects status 400. */
  readonly expect: 'success' | 'refusal';
};

/** Returns request `number` of a run, from 0: the same one in every process, and in every run with the same seed. */
export type RequestSource = (number: number) => LoadRequest;
