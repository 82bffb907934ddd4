import type { Exchange } from '../client/exchange.ts';
import type { Query } from '../client/request.ts';
import { BOUND_TRADES, within } from '../generate/budget.ts';
import { formsOf, inForm, spreadInForms } from '../generate/forms.ts';
import { changeAmount, setParameter, swapTarget, tradesOf } from '../generate/trades.ts';
import { randomFor } from '../model/random.ts';
import type { Check } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { words } from '../model/statement.ts';
import { hasNewAmounts, judgeSides, type ReplyComparison, withNewAmount } from './one-sided.ts';
import { formOf, planKey } from './plan-key.ts';
import { NO_PLAN } from './sample-queries.ts';

/**
 * Requests each trade, at a new amount, with one value of `useRfq` and immediately afterwards with
 * the other. A cache whose key lacks the parameter returns the first plan twice. A third request,
 * for one base unit more, shows the right plan for the second value.
 */
export const separatesRfq = async (session: Session, t: Check) => {
  const queries = spreadInForms(tradesOf(session.facts), within(BOUND_TRADES, session), formsOf)
    .map(([trade, form]) => inForm(trade, form))
    .filter(hasNewAmounts);
  if (queries.length === 0) return t.skip(NO_PLAN);
  const attempts = queries.flatMap((query, index) =>
    (['true', 'false'] as const).map((first, direction) => {
      const random = randomFor(session.seed, index, direction);
      return () => requestBothValues(session, query, first, random);
    }),
  );
  await judgeSides(session, attempts, t, 1);
  t.stuck('no request returned a plan again');
};

/**
 * Requests one trade with both values of `useRfq`. Side 1: the second reply repeats the plan for
 * the first value. Side -1: it does not. Side 0: both values use the same pools, which proves
 * nothing. Returns undefined if any reply is not a plan.
 */
async function requestBothValues(
  { get }: Session,
  query: Query,
  first: 'true' | 'false',
  random: () => number,
): Promise<ReplyComparison | undefined> {
  const second = first === 'true' ? 'false' : 'true';
  const send = (one: Query, value: string): Promise<Exchange> =>
    get(swapTarget(setParameter(one, 'useRfq', [value])));
  const fresh = withNewAmount(query, random);
  const before = planKey(await send(fresh, first));
  const repeated = await send(fresh, second);
  const witness = planKey(
    await send(
      changeAmount(fresh, (amount) => amount + 1n),
      second,
    ),
  );
  const after = planKey(repeated);
  if (before === undefined || after === undefined || witness === undefined) return undefined;
  const isShown = formOf(witness) !== formOf(before);
  const side = !isShown ? 0 : after === before ? 1 : -1;
  return {
    sides: [side],
    finding: {
      ...{ fault: 'plan-of-other-value', data: { useRfq: second } },
      expected: words`a plan for \`useRfq=${second}\`, right after the same trade was requested with \`useRfq=${first}\``,
      actual: words`the plan for \`useRfq=${first}\`, to the base unit; a request for one base unit more gets a plan through other pools`,
      exchange: repeated,
    },
  };
}
