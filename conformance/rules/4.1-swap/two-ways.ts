import { type Exchange, statusOf } from '../../client/exchange.ts';
import type { Query } from '../../client/request.ts';
import type { RouterName } from '../../contract/resources.ts';
import type { ChainMarket } from '../../discovery/facts.ts';
import { RELATION_TRADES } from '../../generate/budget.ts';
import { takeTurns } from '../../generate/forms.ts';
import {
  exactInput,
  exactOutput,
  setParameter,
  spread,
  swapTarget,
  type Trade,
  tradesOf,
} from '../../generate/trades.ts';
import type { ProbeRule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { quote } from '../../rule-kit/faults.ts';
import { amountsOf } from '../../rule-kit/plan-key.ts';
import { createTally, statusWords, type Tally } from '../../rule-kit/probing.ts';

/*
 * What can be bought by its price can be bought by its amount, and sold again.
 * A pool may be empty on one side, and a router may lack a way for one pair: only
 * where every trade of a kind is refused is the kind.
 */

/** Kinds of trades with fewer that were tried tell nothing. */
const FEWEST_TO_TELL = 3;
/** Amounts that a double, or a machine word, does not hold. */
const LARGE_AMOUNTS = [2n ** 53n, 2n ** 64n];

/** A trade that was made of the reply to another. */
type Tried = { readonly kinds: readonly string[]; readonly exchange: Exchange };

/** Returns a rule that holds where some trade of each kind is answered with a plan. */
function answeredRule(
  identity: Pick<ProbeRule, 'id' | 'clause' | 'level' | 'title'>,
  what: string,
  nextOf: (trade: Trade, bought: bigint) => Query,
): ProbeRule {
  return {
    kind: 'probe',
    ...identity,
    run: async (session) => {
      const trades = takeTurns(spread(tradesOf(session.facts), RELATION_TRADES), routersOf);
      const tried = await Promise.all(
        trades.map(([trade, router]) => tryNext(session, trade, router, nextOf)),
      );
      const tally = createTally();
      judgeKinds(
        tally,
        what,
        tried.filter((each) => each !== undefined),
      );
      return tally.verdict('no pair was answered with a plan');
    },
  };
}

async function tryNext(
  session: Session,
  trade: Trade,
  router: RouterName | undefined,
  nextOf: (trade: Trade, bought: bigint) => Query,
): Promise<Tried | undefined> {
  const through = (query: Query) =>
    swapTarget(router === undefined ? query : setParameter(query, 'router', [router]));
  const bought = amountsOf(await session.get(through(exactInput(trade))))?.bought;
  if (bought === undefined || bought === 0n) return undefined;
  const exchange = await session.get(through(nextOf(trade, bought)));
  if (statusOf(exchange) === undefined) return undefined;
  const { chainId } = trade.market;
  const large = LARGE_AMOUNTS.filter((amount) => bought >= amount);
  const kinds = [
    ...large.map((amount) => `of ${amount} base units and more`),
    `through ${router ?? 'the default router'}`,
    `of ${quote(trade.pair.buy.symbol)}`,
  ];
  return { kinds: kinds.map((kind) => `${kind} on chain ${chainId}`), exchange };
}

function judgeKinds(tally: Tally, what: string, tried: readonly Tried[]): void {
  for (const kind of new Set(tried.flatMap(({ kinds }) => kinds))) {
    const exchanges = tried.flatMap((each) => (each.kinds.includes(kind) ? [each.exchange] : []));
    const [first] = exchanges;
    if (first === undefined || exchanges.length < FEWEST_TO_TELL) continue;
    tally.check(
      exchanges.some((exchange) => statusOf(exchange) === 200)
        ? undefined
        : {
            expected: `a plan for some ${what} ${kind}, as exact input bought before`,
            actual: `${statusWords(first)}, and no plan for any of ${exchanges.length}`,
            exchange: first,
          },
    );
  }
}

/** None by name, then each that plans. */
function routersOf({ routers }: ChainMarket): readonly (RouterName | undefined)[] {
  return [undefined, ...routers.keys()];
}

const exactOutputIsAnswered = answeredRule(
  {
    id: 'swap/exact-output-answered',
    clause: '4.1 buyAmount',
    level: 'should',
    title: 'what exact input buys is to be had by exact output, through every router',
  },
  'purchase',
  exactOutput,
);

const saleIsAnswered = answeredRule(
  {
    id: 'swap/bought-can-be-sold',
    clause: '4.1 sellToken',
    level: 'should',
    title: 'what was bought can be sold for the token that it was bought with',
  },
  'sale',
  ({ market, pair }, bought) =>
    exactInput({ market, pair: { ...pair, sell: pair.buy, buy: pair.sell } }, bought),
);

/** @see Specification 4.1: trades that are answered where others are */
export const twoWayRules: readonly ProbeRule[] = [exactOutputIsAnswered, saleIsAnswered];
