import type {
  Chain,
  ChainInfo,
  ErrorBody,
  SwapResponse,
  TokenInfo,
} from '../../conformance/contract/resources.ts';

/**
 * A permitted difference between the replies of conforming services. Bodies are changed in place.
 */
export type Form = {
  /** Description of the replies: a sentence without a period. */
  readonly does: string;
  /** The clause that permits the form, and the reason. */
  readonly leftOpen: string;
  /** True if the form is easier for clients than the reference's replies. */
  readonly isEasier?: true;
  /** True if the specification does not allow the form. */
  readonly isOutside?: true;
  /** Changes a request before the service reads it. */
  readonly request?: (query: URLSearchParams) => void;
  readonly plan?: (plan: SwapResponse, query: URLSearchParams) => void;
  readonly tokens?: (tokens: TokenInfo[], query: URLSearchParams) => void;
  readonly chains?: (chains: Chain[]) => void;
  readonly chainInfo?: (info: ChainInfo) => void;
  readonly error?: (reply: ErrorReply) => void;
  /** Returns the replacement of an object in a body. */
  readonly object?: (object: JsonObject) => JsonObject;
  /** Returns equivalent JSON text. */
  readonly text?: (json: string) => string;
  /** Headers that replace any headers of the same name, with exactly this letter case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True to compress bodies for clients that accept compression. */
  readonly isCompressed?: true;
};

export type JsonObject = Readonly<Record<string, unknown>>;

/** A reply with a status other than 200. */
export type ErrorReply = { status: number; body: ErrorBody };
