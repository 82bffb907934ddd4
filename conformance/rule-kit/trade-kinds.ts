import { type Exchange, statusOf } from '../client/exchange.ts';
import type { Query } from '../client/request.ts';
import type { RouterName } from '../contract/resources.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { KIND_TRADES, within } from '../generate/budget.ts';
import { takeTurns } from '../generate/forms.ts';
import {
  exactInput,
  setParameter,
  spread,
  swapTarget,
  type Trade,
  tradesOf,
} from '../generate/trades.ts';
import type { FaultData } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { ownWords, quote, type Statement, words } from '../model/statement.ts';
import { amountsOf } from './plan-key.ts';
import { checkSome, type Run } from './probes.ts';
import { NO_PLAN } from './sample-queries.ts';

/*
 * A pool may be empty on one side, and a router may have no route for a pair, so a kind of trade
 * counts as rejected only if the service rejects every trade of that kind.
 */

const MIN_TRADES_PER_KIND = 3;
/** Maximum number of chains to judge separately. With more, each has too few trades. */
const MAX_CHAINS_JUDGED_SEPARATELY = 2;
/** Amounts beyond the exact integers of a double, and beyond a 64-bit word. */
const LARGE_AMOUNTS = [2n ** 53n, 2n ** 64n];

type DerivedTrade = { readonly kinds: readonly TradeKind[]; readonly exchange: Exchange };

type TradeKind = { readonly data: FaultData; readonly words: Statement };

/**
 * Returns a probe that holds if at least one trade of each kind returns a plan. Each trade is
 * derived from the amount that an earlier trade bought.
 */
export function plansEachKind(what: string, nextOf: (trade: Trade, bought: bigint) => Query): Run {
  return async (session, t) => {
    const trades = tradesToTry(session);
    const tried = await Promise.all(
      trades.map(([trade, router]) => tryDerivedTrade(session, trade, router, nextOf)),
    );
    const byKind = new Map<string, { kind: TradeKind; exchanges: Exchange[] }>();
    for (const { kinds, exchange } of tried.flatMap((each) => each ?? [])) {
      for (const kind of kinds) {
        const key = JSON.stringify(kind.data);
        const known = byKind.get(key);
        if (known === undefined) byKind.set(key, { kind, exchanges: [exchange] });
        else known.exchanges.push(exchange);
      }
    }
    for (const { kind, exchanges } of byKind.values()) {
      if (exchanges.length < MIN_TRADES_PER_KIND) continue;
      const expected = words`a plan for at least one ${ownWords(what)} ${kind.words}, for an amount that an exact-input trade returned`;
      checkSome(t, { data: kind.data, expected }, exchanges);
    }
    t.stuck(trades.length === 0 ? NO_PLAN : 'too few trades of each kind returned a plan');
  };
}

function tradesToTry(session: Session): readonly (readonly [Trade, RouterName | undefined])[] {
  const trades = tradesOf(session.facts);
  const [first] = trades;
  if (session.breadth === 0) {
    return trades
      .filter(({ market }) => market === first?.market)
      .slice(0, MIN_TRADES_PER_KIND)
      .map((trade) => [trade, undefined]);
  }
  const count = Math.max(MIN_TRADES_PER_KIND, within(KIND_TRADES, session));
  return takeTurns(spread(trades, count), routerChoices);
}

async function tryDerivedTrade(
  { get, facts }: Session,
  trade: Trade,
  router: RouterName | undefined,
  nextOf: (trade: Trade, bought: bigint) => Query,
): Promise<DerivedTrade | undefined> {
  const through = (query: Query) =>
    swapTarget(router === undefined ? query : setParameter(query, 'router', [router]));
  const first = through(exactInput(trade));
  const bought = amountsOf(await get(first))?.bought;
  if (bought === undefined || bought === 0n) return undefined;
  const exchange = await get(through(nextOf(trade, bought)));
  if (statusOf(exchange) === undefined) return undefined;
  // If the first trade no longer returns a plan either, the market counts as closed.
  const isClosed = statusOf(exchange) !== 200 && statusOf(await get(first)) !== 200;
  if (isClosed) return undefined;
  const { chainId } = trade.market;
  const chains = facts.markets.size;
  const large = LARGE_AMOUNTS.filter((amount) => bought >= amount);
  const { symbol } = trade.pair.buy;
  const kinds: readonly TradeKind[] = [
    ...large.map((amount) => ({
      data: { atLeast: String(amount) },
      words: words`of ${amount} or more`,
    })),
    {
      data: { router: router ?? 'default' },
      words: words`through ${router ?? 'the default router'}`,
    },
    { data: { token: symbol }, words: words`of ${quote(symbol)}` },
  ];
  // With many chains, each has too few trades, so the probe judges them all together.
  const places: readonly TradeKind[] = [
    { data: { chain: chainId }, words: words`on chain ${chainId}` },
    ...(chains > MAX_CHAINS_JUDGED_SEPARATELY
      ? [{ data: { chain: 'any' }, words: words`on any chain` }]
      : []),
  ];
  return {
    kinds: kinds.flatMap((kind) =>
      places.map((place) => ({
        data: { ...kind.data, ...place.data },
        words: words`${kind.words} ${place.words}`,
      })),
    ),
    exchange,
  };
}

/** `undefined` requests the default router. */
function routerChoices({ routers }: ChainMarket): readonly (RouterName | undefined)[] {
  return [undefined, ...routers.keys()];
}
