import { type Exchange, statusOf } from '../client/exchange.ts';
import type { Query } from '../client/request.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { BOUND_TRADES, firstIfQuick, within } from '../generate/budget.ts';
import { type Form, type formsOf, inForm, spreadInForms } from '../generate/forms.ts';
import { setParameter, swapTarget, tradesOf } from '../generate/trades.ts';
import { randomFor } from '../model/random.ts';
import type { Fault } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { ownWords, words } from '../model/statement.ts';
import { withNewAmount } from './one-sided.ts';
import type { Run } from './probes.ts';
import { faultUnless200 } from './reply-status.ts';

/** A valid request that differs in some parameters from a request that returned 200. */
export type Variant = {
  /** Parameters that were added or replaced. */
  readonly added: Query;
  readonly base: Query;
  readonly varied: Query;
};

/** Returns a variant of a request with other values of some parameters. */
export function variantOf(base: Query, ...added: Query): Variant {
  const varied = added.reduce((rest, [name, value]) => setParameter(rest, name, [value]), base);
  return { added, base, varied };
}

/** @example formatParameters([['useRfq', 'true']]) // '`useRfq=true`' */
function formatParameters(added: Query): string {
  return added.map(([name, value]) => `\`${name}=${value}\``).join(', ');
}

/** Returns the line that a break must produce if `acceptsVariants` finds a rejected variant. */
export function rejectedVariant(...added: Query): string {
  return `expected 200 for ${formatParameters(added)}, as for the same request without it, got 400 "NO"`;
}

/**
 * Minimum number of rejections that count as a fault, because quotes fail now and then and services
 * limit amounts.
 */
const MIN_REJECTIONS = 3;

/**
 * Returns a probe that sends each request, its variant, and the request again. If the request
 * returns 200 both times, its variant must return 200 as well, for at least one amount. The probe
 * therefore does not blame the variant if the market has moved.
 */
export function acceptsVariants(
  variantsOf: (session: Session) => readonly Variant[],
  withoutVariants: string,
): Run {
  return async (session, t) => {
    const variants = firstIfQuick(variantsOf(session), session);
    if (variants.length === 0) return t.skip(withoutVariants);
    const planned = new Map<Query, Promise<boolean>>();
    await Promise.all(
      variants.map(async (variant, index) => {
        const random = randomFor(session.seed, index);
        // Variants of one request share its first reply.
        const isBasePlanned = planned.get(variant.base) ?? returnsPlan(session, variant.base);
        planned.set(variant.base, isBasePlanned);
        let shown = (await isBasePlanned) ? await tryOnce(session, variant) : undefined;
        for (let times = 1; shown?.fault !== undefined && times < MIN_REJECTIONS; times += 1) {
          const another = atNewAmount(variant, random);
          shown = (await returnsPlan(session, another.base))
            ? await tryOnce(session, another)
            : undefined;
        }
        if (shown !== undefined) t.check(shown.fault, shown.exchange);
      }),
    );
    t.stuck('no request returned 200 twice');
  };
}

async function returnsPlan({ get }: Session, query: Query): Promise<boolean> {
  return statusOf(await get(swapTarget(query))) === 200;
}

async function tryOnce(
  session: Session,
  { added, base, varied }: Variant,
): Promise<{ readonly fault: Fault | undefined; readonly exchange: Exchange } | undefined> {
  const exchange = await session.get(swapTarget(varied));
  if (statusOf(exchange) === undefined) return undefined;
  const expected = words`200 for ${ownWords(formatParameters(added))}, as for the same request without it`;
  const data = Object.fromEntries(added);
  const fault = faultUnless200(exchange, { fault: 'rejected', data, expected });
  return fault === undefined || (await returnsPlan(session, base))
    ? { fault, exchange }
    : undefined;
}

function atNewAmount(variant: Variant, random: () => number): Variant {
  const base = withNewAmount(variant.base, random);
  const amounts = base.filter(([name]) => /^(sell|buy)Amount$/.test(name));
  const varied = amounts.reduce(
    (rest, [name, amount]) => setParameter(rest, name, [amount]),
    variant.varied,
  );
  return { ...variant, base, varied };
}

/**
 * Returns a probe that holds if the service accepts each value in trades of the given forms. The
 * probe does not vary parameters that the chain's plans require.
 */
export function acceptsValues(
  formsOfMarket: typeof formsOf,
  valuesOf: (
    form: Form,
    market: ChainMarket,
  ) => readonly (readonly [name: string, value: string])[],
  withoutTrades: string,
): Run {
  return acceptsVariants(
    (session) =>
      spreadInForms(tradesOf(session.facts), within(BOUND_TRADES, session), formsOfMarket).flatMap(
        ([trade, form]) => {
          const base = inForm(trade, form);
          const { requiredParameters = [] } = trade.market;
          return valuesOf(form, trade.market)
            .filter(([name]) => requiredParameters.every(([needed]) => needed !== name))
            .map((parameter) => variantOf(base, parameter));
        },
      ),
    withoutTrades,
  );
}
