import type { Context, Middleware } from 'koa';
import type {
  Chain,
  ChainInfo,
  ErrorBody,
  SwapResponse,
  TokenInfo,
} from '../../../../conformance/contract/resources.ts';

/** The reference with one fault. It tests whether the judge finds the fault. */
export type Mutant = Row & {
  /** A slug that never changes: `token/price-of-a-base-unit`. */
  readonly id: string;
};

export type MutantTable = Readonly<Record<string, Row>>;

type Row = Fault & {
  /** Id of the rule that must catch the mutant. Other rules may catch it too. */
  readonly caughtBy: string;
  /** Describes the fault, as a sentence without a period. */
  readonly title: string;
};

/** A fault and its conditions. All changes apply together. */
export type Fault = Changes & {
  /** Condition for requests that the fault affects. Default: all requests. */
  readonly where?: Condition;
  /** Makes the fault intermittent. Default: permanent. */
  readonly when?: Occasion;
  /** Operation whose requests and texts are changed. Default: `swap`. */
  readonly of?: Operation;
};

/** Kinds of faults, from the request to the reply. */
type Changes = {
  /** Changes the parameters before the service reads them. */
  readonly query?: (query: URLSearchParams) => void;
  readonly reject?: Condition;
  readonly instead?: (ctx: Context) => void;
  readonly plan?: Change<SwapResponse>;
  readonly tokens?: Change<TokenInfo[]>;
  readonly chains?: Change<Chain[]>;
  readonly chainInfo?: Change<ChainInfo>;
  readonly error?: Change<ErrorBody>;
  /** Changes the text of each reply with status 200. A returned value replaces the text. */
  readonly text?: (text: string, ctx: Context) => unknown;
  /** Replaces parts of each reply with status 400. */
  readonly rejection?: Reply;
  /** Returns middleware for one service, for faults that no other kind covers. */
  readonly middleware?: () => Middleware;
};

type Reply = Partial<Pick<Context, 'status' | 'type' | 'body'>>;

export type Operation = 'swap' | 'tokens' | 'chains' | 'chainInfo';

/** Changes a body in place, or returns its replacement. `query` is that of the request. */
export type Change<Body> = (body: Body, query: URLSearchParams) => unknown;

/** Returns whether the fault affects a request. */
export type Condition = (query: URLSearchParams, ctx: Context) => boolean;

/** Returns middleware that is `broken` for some requests only. Each call starts new counters. */
export type Occasion = (broken: Middleware) => Middleware;

/**
 * Returns a function that adds common fields to a table of mutants.
 *
 * @example withCommon({ caughtBy: 'endpoint/json' })({ 'json/empty': { title: 'the body is empty', text: () => '' } })
 */
export function withCommon<Common extends Partial<Row>>(common: Common) {
  return (mutants: Readonly<Record<string, Omit<Row, keyof Common>>>): MutantTable => {
    const rows = Object.entries(mutants).map(([id, row]) => [id, { ...common, ...row }]);
    return Object.fromEntries(rows) as MutantTable;
  };
}
