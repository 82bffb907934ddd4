import type { Exchange, Reply } from '../client/exchange.ts';
import type { Endpoint } from '../contract/paths.ts';

/** A JSON body that a change may alter in every way. */
// biome-ignore lint/suspicious/noExplicitAny: changes break documents in every way
export type Loose = any;

/** Sound replies that changes start from: `golden-replies.testing.ts` has them. */
export type SoundReply =
  | 'swap'
  | 'plainSwap'
  | 'nativeSell'
  | 'nativeBuy'
  | 'tokens'
  | 'chains'
  | 'chainInfo'
  | 'error';

/** A change of a reply: new values by JSON pointer, where `undefined` removes one; or a function. */
export type Change = Readonly<Record<string, unknown>> | ((body: Loose) => unknown);

/** Circumstances of a changed reply, as far as they differ from those of the sound one. */
export type Around = {
  /** Default: a reply of the rule's operation, or of `/swap`. */
  readonly of?: SoundReply;
  /** Changes of the query; `undefined` removes a parameter. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly endpoint?: Endpoint | undefined;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly origin?: Exchange['origin'];
  readonly document?: Reply['document'];
  readonly exchange?: Partial<Exchange>;
  readonly facts?: KnownFacts;
  readonly tolerancePpm?: number;
};

/**
 * What was learned of the service before: `none`; prices of tokens (`priced`), or
 * none (`unpriced`); that the USD token is the native one; that the trade was
 * answered (`traded`); or all but one lookup.
 */
export type KnownFacts =
  | 'none'
  | 'priced'
  | 'unpriced'
  | 'usdIsNative'
  | 'traded'
  | 'withoutChains'
  | 'withoutTokens'
  | 'withoutChainInfo';

/**
 * A change of a sound reply that breaks a rule, and each finding that it must
 * produce: `at /sell/amount: 5`, or what came instead where the body is not at fault.
 */
export type ReplyBreak =
  | readonly [change: Change, ...finds: string[]]
  | readonly [change: Change, around: Around, ...finds: string[]];
