import { sameAddress } from '../../checks/hex.ts';
import { statusOf } from '../../client/exchange.ts';
import type { Query } from '../../client/request.ts';
import { NATIVE_ALIASES } from '../../contract/resources.ts';
import { BOUND_TRADES, RELATION_TRADES } from '../../generate/budget.ts';
import {
  calldataFormsOf,
  type Form,
  formsOf,
  inForm,
  PLAIN_FORMS,
  spreadInForms,
} from '../../generate/forms.ts';
import { TOLERANCES } from '../../generate/parameters.ts';
import {
  RECIPIENT_ADDRESS,
  setParameter,
  swapTarget,
  tradesOf,
  USER_ADDRESS,
} from '../../generate/trades.ts';
import type { ProbeRule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { createTally, statusWords } from '../../rule-kit/probing.ts';

/*
 * "Invalid parameters give 400": valid ones do not, where the same trade is
 * answered without them. Every form of a trade takes its turn.
 */

/** A request that differs from one answered with 200 by what is valid alone. */
type Variant = { readonly what: string; readonly whole: Query; readonly varied: Query };

type Identity = Pick<ProbeRule, 'id' | 'clause' | 'level' | 'title'>;

/**
 * Returns a rule that sends each request whole, then varied, then whole again:
 * where both wholes were answered with 200, the varied one is too. A market that
 * moved away from the trade in the meantime is thus not held against the value.
 */
function acceptedRule(
  identity: Identity,
  variantsOf: (session: Session) => readonly Variant[],
  whyNot: string,
): ProbeRule {
  return {
    kind: 'probe',
    ...identity,
    run: async (session) => {
      const variants = variantsOf(session);
      if (variants.length === 0) return { kind: 'not-applicable', why: whyNot };
      const tally = createTally();
      const ask = (query: Query) => session.get(swapTarget(query));
      await Promise.all(
        variants.map(async ({ what, whole, varied }) => {
          const before = await ask(whole);
          if (statusOf(before) !== 200) return;
          const exchange = await ask(varied);
          if (statusOf(exchange) === undefined) return;
          if (statusOf(exchange) === 200) return tally.check(undefined);
          const after = await ask(whole);
          if (statusOf(after) !== 200) return;
          tally.check({
            expected: `200 for ${what}, as for the same request without it`,
            actual: statusWords(exchange),
            exchange,
          });
        }),
      );
      return tally.verdict('no request was answered with 200 twice');
    },
  };
}

/** A parameter and a value that keeps its rule. */
type Given = readonly [name: string, value: string];

/** Sets each of some values in trades of some forms; what a chain's plans need for themselves is left. */
function withValues(
  { facts }: Session,
  formsOfMarket: typeof formsOf,
  valuesOf: (form: Form) => readonly Given[],
): readonly Variant[] {
  return spreadInForms(tradesOf(facts), BOUND_TRADES, formsOfMarket).flatMap(([trade, form]) => {
    const whole = inForm(trade, form);
    const { standing = [] } = trade.market;
    return valuesOf(form)
      .filter(([name]) => standing.every(([needed]) => needed !== name))
      .map(([name, value]) => ({
        what: `\`${name}=${value}\``,
        whole,
        varied: setParameter(whole, name, [value]),
      }));
  });
}

const noPlan = 'no pair was answered with a plan';
const noCalldata = 'no router of this service gives calldata';

/** "0 to 1 inclusive, in steps of 0.0001": 0.0003 is a multiple, whatever the float says. */
const tolerancesAreAccepted = acceptedRule(
  {
    id: 'swap/slippage-bounds',
    clause: '8 slippageTolerance',
    level: 'must',
    title: '`slippageTolerance` of 0, 1 and any step between is accepted',
  },
  (session) =>
    withValues(session, calldataFormsOf, () =>
      TOLERANCES.map((value) => ['slippageTolerance', value]),
    ),
  noCalldata,
);

const flagsAreAccepted = acceptedRule(
  {
    id: 'swap/flags-accepted',
    clause: '4.1 useRfq',
    level: 'must',
    title: '`useRfq` of true and false is accepted',
  },
  (session) =>
    withValues(session, formsOf, ({ calldataOf }) => [
      ['useRfq', 'true'],
      ['useRfq', 'false'],
      ...(calldataOf === undefined ? [['includeCalldata', 'false'] as const] : []),
    ]),
  noPlan,
);

const recipientIsAccepted = acceptedRule(
  {
    id: 'swap/recipient-accepted',
    clause: '4.1 recipientAddress',
    level: 'should',
    title: '`recipientAddress` is accepted beside calldata',
  },
  (session) =>
    withValues(session, calldataFormsOf, () => [
      ['recipientAddress', RECIPIENT_ADDRESS],
      ['recipientAddress', USER_ADDRESS],
    ]),
  noCalldata,
);

/** With its checksum, as wallets write it. */
const USER_CHECKSUMMED = '0x00000000000000000000000000000000C0FFEE01';

const userIsAccepted = acceptedRule(
  {
    id: 'swap/user-accepted',
    clause: '4.1 userAddress',
    level: 'should',
    title: '`userAddress` is accepted with its checksum',
  },
  (session) => withValues(session, calldataFormsOf, () => [['userAddress', USER_CHECKSUMMED]]),
  noCalldata,
);

/** Required only with calldata, and forbidden never. */
const unusedAreAccepted = acceptedRule(
  {
    id: 'swap/unused-accepted',
    clause: '4.1 rule 6',
    level: 'should',
    title: 'what calldata needs is accepted without it',
  },
  (session) =>
    withValues(
      session,
      () => PLAIN_FORMS,
      () => [
        ['userAddress', USER_ADDRESS],
        ['recipientAddress', RECIPIENT_ADDRESS],
        ['slippageTolerance', '0.01'],
      ],
    ),
  noPlan,
);

/** "Whether an encoder for calldata generation is available": then any plan of that router can be encoded. */
const everyPlanIsEncoded = acceptedRule(
  {
    id: 'swap/every-plan-encoded',
    clause: '1.3 calldata',
    level: 'should',
    title: 'a router that gives calldata gives it for each of its plans',
  },
  ({ facts }) =>
    spreadInForms(tradesOf(facts), RELATION_TRADES, calldataFormsOf).map(
      ([trade, form]): Variant => {
        const asked = inForm(trade, form);
        // The default router is not asked for by name.
        const varied =
          form.calldataOf === 'default-router' ? setParameter(asked, 'router', []) : asked;
        const whole = ['includeCalldata', 'userAddress', 'slippageTolerance'].reduce(
          (query, name) => setParameter(query, name, []),
          varied,
        );
        return { what: '`includeCalldata=true`', whole, varied };
      },
    ),
  noCalldata,
);

/** "For the native token use either [...] or [...]": it is a token, and trades as its wrapped token does. */
const nativeIsAccepted = acceptedRule(
  {
    id: 'swap/native-accepted',
    clause: '4.1 native token',
    level: 'should',
    title: 'the native token is bought and sold where its wrapped token is',
  },
  ({ facts }) =>
    (['sell', 'buy'] as const).flatMap((side) => {
      const wrapped = tradesOf(facts).filter(({ market, pair }) => {
        const info = facts.chainInfo.get(market.chainId);
        return (
          !(pair.sell.native || pair.buy.native) &&
          info !== undefined &&
          sameAddress(pair[side].address, info.wrappedNativeTokenAddress)
        );
      });
      return spreadInForms(wrapped, RELATION_TRADES, formsOf).map(
        ([trade, form], index): Variant => {
          const whole = inForm(trade, form);
          const native = NATIVE_ALIASES[index % 2] ?? '';
          const varied = setParameter(whole, `${side}Token`, [native]);
          return { what: `\`${side}Token=${native}\``, whole, varied };
        },
      );
    }),
  'no pair with the wrapped native token was answered with a plan',
);

/** @see Specification 4.1 rule 6 and 8: what is valid is not refused */
export const acceptedRules: readonly ProbeRule[] = [
  tolerancesAreAccepted,
  flagsAreAccepted,
  recipientIsAccepted,
  userIsAccepted,
  unusedAreAccepted,
  everyPlanIsEncoded,
  nativeIsAccepted,
];
