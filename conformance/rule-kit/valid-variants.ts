import { statusOf } from '../client/exchange.ts';
import type { Query } from '../client/request.ts';
import { BOUND_TRADES, within } from '../generate/budget.ts';
import { type Form, type formsOf, inForm, spreadInForms } from '../generate/forms.ts';
import { setParameter, swapTarget, tradesOf } from '../generate/trades.ts';
import type { Session } from '../model/session.ts';
import { asserting, type Run } from './probes.ts';
import { findingUnless200 } from './reply-status.ts';

/** A request that is valid, and differs from one answered with 200 by what `what` says. */
export type Variant = { readonly what: string; readonly base: Query; readonly varied: Query };

/**
 * Returns a probe that sends each request as it was, then varied, then as it was:
 * where both bases were answered with 200, the varied one is too. A market that
 * moved away from the trade in the meantime is thus not held against the value.
 */
export function acceptsVariants(
  variantsOf: (session: Session) => readonly Variant[],
  withoutVariants: string,
): Run {
  return asserting(async (session, { check }) => {
    const variants = variantsOf(session);
    if (variants.length === 0) return { kind: 'not-applicable', why: withoutVariants };
    const isAnswered = async (query: Query) =>
      statusOf(await session.get(swapTarget(query))) === 200;
    await Promise.all(
      variants.map(async ({ what, base, varied }) => {
        if (!(await isAnswered(base))) return;
        const exchange = await session.get(swapTarget(varied));
        if (statusOf(exchange) === undefined) return;
        const expected = `200 for ${what}, as for the same request without it`;
        const finding = findingUnless200(exchange, expected);
        if (finding === undefined || (await isAnswered(base))) check(finding);
      }),
    );
    return 'no request was answered with 200 twice';
  });
}

/** Returns a probe that holds where each value is accepted in trades of some forms. What a chain's plans need for themselves is left. */
export function acceptsValues(
  formsOfMarket: typeof formsOf,
  valuesOf: (form: Form) => readonly (readonly [name: string, value: string])[],
  withoutTrades: string,
): Run {
  return acceptsVariants(
    (session) =>
      spreadInForms(tradesOf(session.facts), within(BOUND_TRADES, session), formsOfMarket).flatMap(
        ([trade, form]) => {
          const base = inForm(trade, form);
          const { requiredParameters = [] } = trade.market;
          return valuesOf(form)
            .filter(([name]) => requiredParameters.every(([needed]) => needed !== name))
            .map(([name, value]) => ({
              what: `\`${name}=${value}\``,
              base,
              varied: setParameter(base, name, [value]),
            }));
        },
      ),
    withoutTrades,
  );
}
