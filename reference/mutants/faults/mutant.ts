import type { Context, Middleware } from 'koa';
import type {
  Chain,
  ChainInfo,
  ErrorBody,
  SwapResponse,
  TokenInfo,
} from '../../../conformance/contract/resources.ts';

/** The reference with one fault: what the judge is judged by. */
export type Mutant = Row & {
  /** A slug that is never renumbered: `token/price-of-a-base-unit`. */
  readonly id: string;
};

/** Mutants by their ids. */
export type MutantTable = Readonly<Record<string, Row>>;

type Row = Fault & {
  /** Id of the rule that must catch it, whose clause is broken; other rules may catch it as well. */
  readonly caughtBy: string;
  /** What the service does wrong, as a sentence without a full stop. */
  readonly title: string;
};

/** What goes wrong and when; what is given of it goes wrong together. */
export type Fault = Changes & {
  /** The requests that have the fault; default: all. */
  readonly where?: Condition;
  /** Lets the fault come and go; default: it stays. */
  readonly when?: Occasion;
  /** The operation whose requests and texts are changed; default `swap`. */
  readonly of?: Operation;
};

/** Each kind of fault, from the service's request to its reply. */
type Changes = {
  /** Changes the parameters before the service reads them. */
  readonly query?: (query: URLSearchParams) => void;
  /** Refuses requests that break no rule, with an Error. */
  readonly refuse?: Condition;
  /** Answers in place of the service. */
  readonly instead?: (ctx: Context) => void;
  readonly plan?: Change<SwapResponse>;
  readonly tokens?: Change<TokenInfo[]>;
  readonly chains?: Change<Chain[]>;
  readonly chainInfo?: Change<ChainInfo>;
  readonly error?: Change<ErrorBody>;
  /** Changes the reply to each 200, or returns what stands for its text. */
  readonly text?: (text: string, ctx: Context) => unknown;
  /** Puts other values into the reply to each 400; `false` leaves one as it is. */
  readonly refusal?: Reply | ((ctx: Context) => Reply | false);
  /** Returns what no other kind can say, for one service. */
  readonly middleware?: () => Middleware;
};

type Reply = Partial<Pick<Context, 'status' | 'type' | 'body'>>;

export type Operation = 'swap' | 'tokens' | 'chains' | 'chainInfo';

/** Changes a body in place, or returns what stands for it, or false; `query` is what was asked. */
export type Change<Body> = (body: Body, query: URLSearchParams) => unknown;

/** Returns whether a request is meant. */
export type Condition = (query: URLSearchParams, ctx: Context) => boolean;

/** Returns middleware that is broken at times, its counters at 0. */
export type Occasion = (broken: Middleware) => Middleware;

/**
 * Returns what makes a table of mutants that have some fields in common.
 *
 * @example alike({ caughtBy: 'endpoint/json' })({ 'json/empty': { title: 'the body is empty', text: () => '' } })
 */
export function alike<Common extends Partial<Row>>(common: Common) {
  return (mutants: Readonly<Record<string, Omit<Row, keyof Common>>>): MutantTable => {
    const rows = Object.entries(mutants).map(([id, row]) => [id, { ...common, ...row }]);
    return Object.fromEntries(rows) as MutantTable;
  };
}
