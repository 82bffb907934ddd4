import type { Query, RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import type { RouterName } from '../contract/resources.ts';
import type { Asset, Standing } from '../discovery/facts.ts';
import type { PriceMove } from './execution.ts';

/** A trade that a service is asked to plan, so that it can be made. */
export type Ask = {
  readonly chainId: number;
  readonly router: RouterName;
  readonly sell: Asset;
  readonly buy: Asset;
  readonly trade: 'exact-input' | 'exact-output';
  /** Base units of the sell token for exact input, of the buy token for exact output. */
  readonly amount: bigint;
  /** Slippage tolerance in steps of 0.0001: 0 to 10000; undefined asks for no calldata. */
  readonly slippageBps: number | undefined;
  /** Who sends the transaction. */
  readonly user: `0x${string}`;
  /** Who the service is told trades, where that is not who sends. */
  readonly wallet?: `0x${string}`;
  /** Unset, the sender receives. */
  readonly recipient: `0x${string}` | undefined;
  /** What the chain's plans need beside all that. */
  readonly standing?: Standing | undefined;
};

/** Returns the request for a plan. */
export function requestOf(ask: Ask): RequestTarget {
  const query: Query = [
    ['chainId', String(ask.chainId)],
    ['sellToken', ask.sell.address],
    ['buyToken', ask.buy.address],
    [ask.trade === 'exact-input' ? 'sellAmount' : 'buyAmount', String(ask.amount)],
    ...(ask.standing ?? []).filter(([name]) => name !== 'router'),
    ['router', ask.router],
  ];
  return { path: PATHS.swap, query: [...query, ...settlementOf(ask)] };
}

function settlementOf({ slippageBps, user, wallet = user, recipient }: Ask): Query {
  if (slippageBps === undefined) return [];
  return [
    ['includeCalldata', 'true'],
    ['userAddress', wallet],
    ...(recipient === undefined ? [] : [['recipientAddress', recipient] as const]),
    ['slippageTolerance', String(slippageBps / 10_000)],
  ];
}

/** Returns a trade in words, for those who read a verdict. */
export function describeAsk({ router, sell, buy, trade, slippageBps }: Ask): string {
  const tolerance = slippageBps === undefined ? '' : `, tolerance ${slippageBps / 10_000}`;
  const pair = `${JSON.stringify(sell.symbol)} to ${JSON.stringify(buy.symbol)}`;
  return `${trade} ${pair} on ${router}${tolerance}`;
}

/** Returns a trade whose price was moved, in words. */
export function describeMove({ ask, movedBps, toleranceBps }: PriceMove): string {
  const trade = describeAsk({ ...ask, slippageBps: undefined });
  return `${trade}, price moved by ${movedBps / 10_000}, tolerance ${toleranceBps / 10_000}`;
}
