/** One request of a mix, ready to be sent. */
export type LoadRequest = {
  /** The figures are kept by this name: `swap`, `swap calldata`, `tokens`. */
  readonly endpoint: string;
  /** Path and query, percent-encoded, the key in it. */
  readonly target: string;
  /** What the service is to answer: a request that is broken on purpose expects 400. */
  readonly expect: 'success' | 'refusal';
};

/** Returns request `number` of a run, from 0: the same one whatever process sends it, and in every run with the same seed. */
export type RequestSource = (number: number) => LoadRequest;
