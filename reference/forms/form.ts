import type {
  Chain,
  ChainInfo,
  ErrorBody,
  SwapResponse,
  TokenInfo,
} from '../../conformance/contract/resources.ts';

/** One way in which the replies of conforming services differ; bodies are changed in place. */
export type Form = {
  /** What the replies are like, as a sentence without a full stop. */
  readonly does: string;
  /** The clause that leaves it open, and how. */
  readonly leftOpen: string;
  /** Whether clients have it easier so than with the reference as it is. */
  readonly isEasier?: true;
  readonly plan?: (plan: SwapResponse, query: URLSearchParams) => void;
  readonly tokens?: (tokens: TokenInfo[]) => void;
  readonly chains?: (chains: Chain[]) => void;
  readonly chainInfo?: (info: ChainInfo) => void;
  readonly refusal?: (refusal: RefusalReply) => void;
  /** Returns what stands for any object of a body. */
  readonly object?: (object: JsonObject) => JsonObject;
  /** Returns a body's JSON in other characters. */
  readonly text?: (json: string) => string;
  /** In place of those of the same name, in these letters. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Compresses bodies for clients that accept it. */
  readonly isCompressed?: true;
};

export type JsonObject = Readonly<Record<string, unknown>>;

/** A reply that is not 200. */
type RefusalReply = { status: number; body: ErrorBody };
