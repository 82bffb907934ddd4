import { copyStart } from '../contract/cut-text.ts';
import type { Endpoint } from '../contract/paths.ts';

/**
 * One request and its outcome. The request does not contain the API key. The reply may contain the
 * key if the key could appear there by chance. A `Redactor` removes the key from all output.
 */
export type Exchange = {
  /** Sequence number, from 1. */
  readonly id: number;
  /** The requested operation; undefined for any other path. */
  readonly endpoint: Endpoint | undefined;
  /**
   * `sent`: our own request. `captured`: read from a file that contains the request and the status;
   * headers may be missing. `body-only`: only the body was captured; its shape determines the
   * operation and the status, and `query` is empty.
   */
  readonly origin: 'sent' | 'captured' | 'body-only';
  readonly method: string;
  /** The part of the URL before the path, if a captured request contains it. */
  readonly baseUrl?: string;
  /**
   * Path and query as they were sent, with `$SWAPCHECK_API_KEY` as the key; for `body-only`, the
   * file's name.
   */
  readonly target: string;
  /** Set if a captured request was certainly sent without a key or with a wrong key. */
  readonly keyless?: true;
  /**
   * Set if a captured reply may differ from what the service sent: the removed key may have
   * appeared there by chance.
   */
  readonly garbled?: true;
  /**
   * Query parameters in order, decoded from the bytes that were sent, with a placeholder for the
   * key.
   */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly outcome: Reply | LargeReply | NoReply;
};

/** A complete HTTP reply. */
export type Reply = {
  readonly kind: 'reply';
  readonly status: number;
  /** Header names are lower-case; repeated headers have several values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
  readonly document: JsonDocument;
};

/** The body parsed as JSON (RFC 8259, UTF-8, no byte-order mark). */
export type JsonDocument =
  | { readonly kind: 'json'; readonly value: unknown; readonly duplicateKeys: readonly string[] }
  | { readonly kind: 'not-json'; readonly reason: string };

/**
 * A complete reply that is too large to be stored. The reply rules have judged it, but probes
 * cannot read it.
 */
export type LargeReply = {
  readonly kind: 'large-reply';
  readonly status: number;
  readonly headers: Reply['headers'];
  /** The beginning of the body. */
  readonly text: string;
  /** Length of the whole body, in characters. */
  readonly characters: number;
};

/** The reason why there is no complete reply. */
export type NoReply = {
  readonly kind: 'no-reply';
  /**
   * `too-large`: the body or the headers exceed our limit. The specification has no limit ("request
   * size limits: not shown").
   */
  readonly cause:
    | 'refused'
    | 'timeout'
    | 'reset'
    | 'too-large'
    | 'protocol'
    | 'cut'
    | 'encoding'
    | 'aborted'
    | 'not-captured'
    | 'network';
  /** One plain sentence that states the cause. */
  readonly message: string;
  /** Status of a reply from the service whose body a capture lacks. */
  readonly status?: number;
};

/** Maximum number of characters of a body in a report. */
export const EXCERPT_CHARACTERS = 2_000;
/** Maximum number of characters of a request's path and query in a report. */
export const MAX_TARGET_CHARACTERS = 8_000;

/** Returns the beginning of a body. */
export function excerptOf(text: string): string {
  return copyStart(text, EXCERPT_CHARACTERS);
}

/**
 * Returns the status of the reply, even if its body was not stored; undefined if there was no
 * reply.
 */
export function statusOf({ outcome }: Exchange): number | undefined {
  return outcome.kind === 'no-reply' ? undefined : outcome.status;
}

/** Gateways and overloaded servers return 502 to 504, which the specification does not mention. */
const SERVER_ERRORS: readonly unknown[] = [500, 502, 503, 504];

/** Returns whether a reply is a server error, which reveals nothing about the request. */
export function isFault(exchange: Exchange): boolean {
  return SERVER_ERRORS.includes(statusOf(exchange));
}
