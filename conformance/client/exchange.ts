import { cutText } from '../contract/cut-text.ts';
import type { Endpoint } from '../contract/paths.ts';

/**
 * One request and what came of it. The request does not hold the API key, and
 * the reply only where the service echoed one that may stand there by chance:
 * what is shown of a reply goes through a `Redactor`.
 */
export type Exchange = {
  /** Order of sending, from 1. */
  readonly id: number;
  /** The operation asked for, or undefined for any other path. */
  readonly endpoint: Endpoint | undefined;
  /**
   * `sent`: asked by us. `captured`: read from a file together with its request
   * and status; headers may be missing. `body-only`: a captured body alone; the
   * operation and the status are guessed from its shape, `query` is empty.
   */
  readonly origin: 'sent' | 'captured' | 'body-only';
  readonly method: string;
  /** What stands before the path, of a captured request that tells it. */
  readonly baseUrl?: string;
  /** Path and query as sent, the key replaced by `$SWAPCHECK_API_KEY`; for `body-only`, the file's name. */
  readonly target: string;
  /** Of a captured request that is known to have carried no key of the service, or another. */
  readonly keyless?: true;
  /** Of a captured reply out of which a key was taken that may have stood there by chance: it is not what the service sent. */
  readonly garbled?: true;
  /** Query parameters as decoded from the bytes sent, in order, the key replaced. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly outcome: Reply | LargeReply | NoReply;
};

/** A complete HTTP reply. */
export type Reply = {
  readonly kind: 'reply';
  readonly status: number;
  /** Lower-case names; repeated headers keep every value. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
  readonly document: JsonDocument;
};

/** The body read as JSON (RFC 8259, UTF-8, no byte-order mark). */
export type JsonDocument =
  | { readonly kind: 'json'; readonly value: unknown; readonly duplicateKeys: readonly string[] }
  | { readonly kind: 'not-json'; readonly reason: string };

/** A complete reply that the reply rules have judged, and that is too large to keep for a probe. */
export type LargeReply = {
  readonly kind: 'large-reply';
  readonly status: number;
  readonly headers: Reply['headers'];
  /** The beginning of the body. */
  readonly text: string;
  /** Of the whole body. */
  readonly characters: number;
};

/** Why no complete reply came. */
export type NoReply = {
  readonly kind: 'no-reply';
  /** `too-large`: we read no more of a body, or of headers, than we were told to; "request size limits: not shown", nor those of replies. */
  readonly cause:
    | 'refused'
    | 'timeout'
    | 'reset'
    | 'too-large'
    | 'protocol'
    | 'aborted'
    | 'not-captured'
    | 'network';
  /** One plain sentence. */
  readonly message: string;
};

/** As many characters of a body a report keeps. */
export const EXCERPT_CHARACTERS = 2_000;

/** Returns the beginning of a body, copied: a slice would hold the whole of it in memory. */
export function excerptOf(text: string): string {
  return Buffer.from(cutText(text, EXCERPT_CHARACTERS), 'utf16le').toString('utf16le');
}

/** Returns the status that a request was answered with, whether or not the body was kept; undefined without a reply. */
export function statusOf({ outcome }: Exchange): number | undefined {
  return outcome.kind === 'no-reply' ? undefined : outcome.status;
}

/** What tells of a fault of the server; 502 to 504, which the specification does not name, where a gateway or a full server answers in its place. */
const FAULTS: readonly unknown[] = [500, 502, 503, 504];

/** Returns whether a reply tells of a fault of the server, and so nothing of what was asked. */
export function isFault(exchange: Exchange): boolean {
  return FAULTS.includes(statusOf(exchange));
}
