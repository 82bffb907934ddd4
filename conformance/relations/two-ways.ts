import type { RouterName } from '../contract/resources.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { RELATION_TRADES } from '../generate/budget.ts';
import { takeTurns } from '../generate/forms.ts';
import {
  exactInput,
  exactOutput,
  type Query,
  setParameter,
  spread,
  type Trade,
  tradesOf,
} from '../generate/trades.ts';
import { createTally, replyOf, statusWords } from '../rules/probing.ts';
import type { Finding, ProbeRule } from '../rules/rule.ts';
import type { Session } from '../runner/session.ts';
import { bracket, confirmFault } from './bracket.ts';
import { amountsOf } from './plan-key.ts';

/*
 * What can be bought by its price can be bought by its amount, and sold again:
 * pools work both ways.
 */

/** Returns a rule that holds where a trade is answered with a plan whenever another was, made from its reply. */
function answeredRule(
  identity: Pick<ProbeRule, 'id' | 'clause' | 'level' | 'title'>,
  next: { readonly what: string; readonly of: (trade: Trade, bought: bigint) => Query },
): ProbeRule {
  return {
    kind: 'probe',
    ...identity,
    run: async (session) => {
      const trades = takeTurns(spread(tradesOf(session.facts), RELATION_TRADES), routersOf);
      const tally = createTally();
      const judged = await Promise.all(
        trades.map(([trade, router]) =>
          confirmFault(() =>
            attempt(session, through(router, exactInput(trade)), next.what, (bought) =>
              through(router, next.of(trade, bought)),
            ),
          ),
        ),
      );
      for (const each of judged) if (each !== undefined) tally.check(each.finding);
      return tally.verdict('the market moved between every two replies, or gave no plan');
    },
  };
}

async function attempt(
  session: Session,
  first: Query,
  what: string,
  secondOf: (bought: bigint) => Query,
): Promise<{ readonly finding: Finding | undefined } | undefined> {
  const pair = await bracket(session, first, (exchange) => {
    const amounts = amountsOf(exchange);
    return amounts === undefined || amounts.bought === 0n ? undefined : secondOf(amounts.bought);
  });
  const status = pair === undefined ? undefined : replyOf(pair.second)?.status;
  if (pair === undefined || status === undefined) return undefined;
  if (status === 200) return { finding: undefined };
  return {
    finding: {
      expected: `200 for ${what}, as exact input bought before`,
      actual: statusWords(pair.second),
      exchange: pair.second,
    },
  };
}

/** None by name, then each that plans. */
function routersOf({ routers }: ChainMarket): readonly (RouterName | undefined)[] {
  return [undefined, ...routers.keys()];
}

function through(router: RouterName | undefined, query: Query): Query {
  return router === undefined ? query : setParameter(query, 'router', [router]);
}

const exactOutputIsAnswered = answeredRule(
  {
    id: 'relation/exact-output-answered',
    clause: '4.1 buyAmount',
    level: 'should',
    title: 'exact output of what exact input returned is answered with a plan',
  },
  { what: 'as much bought', of: exactOutput },
);

const saleIsAnswered = answeredRule(
  {
    id: 'relation/bought-can-be-sold',
    clause: '4.1 sellToken',
    level: 'should',
    title: 'what was bought can be sold for the token that it was bought with',
  },
  {
    what: 'as much sold again',
    of: ({ market, pair }, bought) =>
      exactInput({ market, pair: { ...pair, sell: pair.buy, buy: pair.sell } }, bought),
  },
);

/** @see Specification 4.1: trades that are answered where others are */
export const twoWayRules: readonly ProbeRule[] = [exactOutputIsAnswered, saleIsAnswered];
