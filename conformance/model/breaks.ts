import type { Exchange, Reply } from '../client/exchange.ts';
import type { Endpoint } from '../contract/paths.ts';

/** A JSON body that a change may alter in any way. */
// biome-ignore lint/suspicious/noExplicitAny: changes break documents in arbitrary ways
export type Loose = any;

/** Sound replies to start changes from; defined in `golden-replies.testing.ts`. */
export type SoundReply =
  | 'swap'
  | 'plainSwap'
  | 'nativeSell'
  | 'nativeBuy'
  | 'tokens'
  | 'chains'
  | 'chainInfo'
  | 'error';

/**
 * A change of a reply: new values by JSON pointer, where `undefined` removes a value; or a
 * function.
 */
export type Change = Readonly<Record<string, unknown>> | ((body: Loose) => unknown);

/** Circumstances of a changed reply that differ from those of the sound one. */
export type Around = {
  /** Default: a reply to the rule's operation, or to `/swap`. */
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
 * Earlier knowledge of the service: `none`; with token prices (`priced`) or without (`unpriced`);
 * the USD token is the native one; the trade returned a plan (`traded`); or all but one lookup.
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
 * A change of a sound reply that breaks a rule, and each finding that it must produce: `at
 * /sell/amount: 5`, or the actual behaviour if the body is not at fault.
 */
export type ReplyBreak =
  | readonly [change: Change, ...finds: string[]]
  | readonly [change: Change, around: Around, ...finds: string[]];
