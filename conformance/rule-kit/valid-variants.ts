import { statusOf } from '../client/exchange.ts';
import type { Query } from '../client/request.ts';
import { BOUND_TRADES, within } from '../generate/budget.ts';
import { type Form, type formsOf, inForm, spreadInForms } from '../generate/forms.ts';
import { setParameter, swapTarget, tradesOf } from '../generate/trades.ts';
import { createRandom } from '../model/random.ts';
import type { Finding } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { ownWords, words } from '../model/statement.ts';
import { withNewAmount } from './one-sided.ts';
import { asserting, type Run } from './probes.ts';
import { findingUnless200 } from './reply-status.ts';

/** A request that is valid, and differs from one answered with 200 by what `what` says. */
export type Variant = { readonly what: string; readonly base: Query; readonly varied: Query };

/** Returns the finding of `acceptsVariants` on a service that rejects a variant, as breaks have it. */
export function rejectedVariant(what: string): string {
  return `expected 200 for ${what}, as for the same request without it, got 400 "NO"`;
}

/** Amounts at which a variant must be refused: quotes fail now and then, and some amounts lie on a bound of the service's own. */
const REFUSALS = 3;

/**
 * Returns a probe that sends each request as it was, then varied, then as it was:
 * where both bases were answered with 200, the varied one is too, at some amount.
 * A market that moved away from the trade in the meantime is thus not held against
 * the value.
 */
export function acceptsVariants(
  variantsOf: (session: Session) => readonly Variant[],
  withoutVariants: string,
): Run {
  return asserting(async (session, { check }) => {
    const variants = variantsOf(session);
    if (variants.length === 0) return { kind: 'not-applicable', why: withoutVariants };
    await Promise.all(
      variants.map(async (variant, index) => {
        const random = createRandom(session.seed + index * 7_919);
        let shown = await tryOnce(session, variant);
        for (let times = 1; shown?.finding !== undefined && times < REFUSALS; times += 1) {
          shown = await tryOnce(session, atNewAmount(variant, random));
        }
        if (shown !== undefined) check(shown.finding);
      }),
    );
    return 'no request was answered with 200 twice';
  });
}

/** Returns what a variant shows, undefined where its base is not answered. */
async function tryOnce(
  { get }: Session,
  { what, base, varied }: Variant,
): Promise<{ readonly finding: Finding | undefined } | undefined> {
  const isAnswered = async () => statusOf(await get(swapTarget(base))) === 200;
  if (!(await isAnswered())) return undefined;
  const exchange = await get(swapTarget(varied));
  if (statusOf(exchange) === undefined) return undefined;
  const expected = words`200 for ${ownWords(what)}, as for the same request without it`;
  const finding = findingUnless200(exchange, expected);
  return finding === undefined || (await isAnswered()) ? { finding } : undefined;
}

/** Returns the same variant of the request for another amount. */
function atNewAmount(variant: Variant, random: () => number): Variant {
  const base = withNewAmount(variant.base, random);
  const amounts = base.filter(([name]) => /^(sell|buy)Amount$/.test(name));
  const varied = amounts.reduce(
    (rest, [name, amount]) => setParameter(rest, name, [amount]),
    variant.varied,
  );
  return { ...variant, base, varied };
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
