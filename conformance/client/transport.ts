import type { NoReply } from './exchange.ts';

/** Carries one request to a service and brings back the whole reply: over HTTP, or into a listener in process. */
export interface Transport {
  /** Never rejects: whatever goes wrong is a `NoReply`. */
  readonly send: (request: WireRequest) => Promise<WireReply | NoReply>;
  /** Lets go of every connection. */
  readonly close: () => Promise<void>;
}

/** A request as its bytes; it holds the API key. */
export type WireRequest = {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  readonly signal: AbortSignal;
  /** Sent beside those of any request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** A complete reply, content codings undone. */
export type WireReply = {
  readonly kind: 'wire-reply';
  readonly status: number;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /**
   * Must be called once the body has been judged. Large bodies are read one at a
   * time, so that a service cannot fill the memory with many at once.
   */
  readonly release: () => void;
};
