import { type Exchange, statusOf } from '../client/exchange.ts';
import { parameterOf, type Query } from '../client/request.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { within } from '../generate/budget.ts';
import { formsOf, inForm, spreadInForms } from '../generate/forms.ts';
import { exactInput, setParameter, swapTarget, tradesOf } from '../generate/trades.ts';
import { randomFor } from '../model/random.ts';
import type { Check, Finding } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { count, words } from '../model/statement.ts';
import { hasNewAmounts, withNewAmount } from './one-sided.ts';
import { formOf, planKey } from './plan-key.ts';
import { statusWords } from './reply-status.ts';

/** Wrong replies in a row that count as a fault, since a plan may be missing temporarily. */
const MIN_CONFUSIONS_IN_A_ROW = 3;
const CHAIN_TRADES = 16;

/**
 * Requests each trade on one chain and immediately afterwards on another, always with new amounts.
 * A service that ignores the chain, for example in the key of its cache, returns a plan for the
 * wrong chain.
 */
export const separatesChains = async (session: Session, t: Check) => {
  const markets = [...session.facts.markets.values()];
  // The same request fits two chains only if they have the same kind of addresses.
  const othersOf = ({ chainId, addresses }: ChainMarket) =>
    markets.filter((other) => other.chainId !== chainId && other.addresses === addresses);
  const trades = tradesOf(session.facts).filter(
    (trade) => othersOf(trade.market).length > 0 && hasNewAmounts(exactInput(trade)),
  );
  // A service may cache each form of a request separately.
  const requested = spreadInForms(trades, within(CHAIN_TRADES, session), formsOf);
  if (trades.length === 0) {
    return t.skip('no trade on one chain could be requested on another');
  }
  await Promise.all(
    requested.map(async ([trade, form], index) => {
      const query = inForm(trade, form);
      if (!hasNewAmounts(query)) return;
      const random = randomFor(session.seed, index);
      const others = othersOf(trade.market);
      const other = String(others[index % others.length]?.chainId);
      for (let times = 1; ; times += 1) {
        const shown = await requestFromBoth(session, query, other, random);
        if (shown === undefined) return;
        if (shown === 'distinct') return t.check();
        if (times === MIN_CONFUSIONS_IN_A_ROW) return t.check(shown, shown.exchange);
      }
    }),
  );
  t.stuck('no request returned a plan again');
};

/**
 * Requests one amount on this chain and then on the other, and a second amount in the opposite
 * order. Returns undefined if the replies prove nothing.
 */
async function requestFromBoth(
  { get }: Session,
  query: Query,
  otherChain: string,
  random: () => number,
): Promise<Finding | 'distinct' | undefined> {
  const ofOther = (one: Query) => setParameter(one, 'chainId', [otherChain]);
  const send = (one: Query) => get(swapTarget(one));
  const [early, late] = [withNewAmount(query, random), withNewAmount(query, random)];
  const first = await send(early);
  const repeated = await send(ofOther(early));
  const fresh = await send(ofOther(late));
  const last = await send(late);
  const hasReplies = [repeated, fresh, last].every((each) => statusOf(each) !== undefined);
  const form = planForm(first);
  // Chains with the same state, such as a fork and its original, have the same plans.
  if (!hasReplies || form === undefined || planForm(fresh) === form) return undefined;
  const [chain = 0, other = 0] = [parameterOf(query, 'chainId') ?? '', otherChain].map((id) =>
    count(BigInt(id)),
  );
  if (planKey(repeated) === planKey(first)) {
    const actual = words`the plan for chain ${chain}, to the base unit`;
    return {
      fault: 'plan-of-earlier-chain',
      ...{ expected: words`the plan for the trade on chain ${other}`, actual, exchange: repeated },
    };
  }
  if (planKey(last) !== planKey(fresh)) return 'distinct';
  const expected = words`a plan for chain ${chain}, right after the same request for chain ${other}`;
  const actual =
    planKey(last) === undefined
      ? statusWords(last)
      : words`the plan for chain ${other}, to the base unit`;
  const fault = planKey(last) === undefined ? 'no-plan' : 'plan-of-earlier-chain';
  return { fault, expected, actual, exchange: last };
}

function planForm(exchange: Exchange): string | undefined {
  const key = planKey(exchange);
  return key === undefined ? undefined : formOf(key);
}
