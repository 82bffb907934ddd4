import type { NoReply } from './exchange.ts';

/** Sends requests and returns complete replies, over HTTP or from a listener in this process. */
export interface Transport {
  /** Never rejects: every error is a `NoReply`. */
  readonly send: (request: WireRequest) => Promise<WireReply | NoReply>;
  /** Closes every connection. */
  readonly close: () => Promise<void>;
}

/** A request as sent; it contains the API key. */
export type WireRequest = {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  readonly signal: AbortSignal;
  /** Headers to send in addition to those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** A complete reply with its content decoded. */
export type WireReply = {
  readonly kind: 'wire-reply';
  readonly status: number;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
};
