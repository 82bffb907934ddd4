import { isDecimal, parseAmount } from '../../checks/amounts.ts';
import { sameAddress } from '../../checks/hex.ts';
import type { Plan } from '../../checks/plan.ts';
import { isObject } from '../../checks/reply-body.ts';
import { parameterOf } from '../../client/request.ts';
import { isNative, ROUTER_NAMES } from '../../contract/names.ts';
import { SwapResponseSchema } from '../../contract/resources.ts';
import type { Asset } from '../../discovery/facts.ts';
import { tradedPairKey } from '../../discovery/known-chain.ts';
import {
  BOUGHT,
  inCapitals,
  NATIVE,
  OTHER_NATIVE_ALIAS,
  ROUTER,
  SOLD,
  USD,
  WRAPPED,
} from '../../model/golden-addresses.ts';
import { type JudgedReply, tokenAt } from '../../model/judged-reply.ts';
import type { Rule } from '../../model/rule.ts';
import { amountIn, quote, words } from '../../model/statement.ts';
import { CALLDATA_FIELDS, hasCalldataFields } from '../../rule-kit/calldata-fields.ts';
import { observesExtraFields } from '../../rule-kit/extra-fields.ts';
import { chainInfoFor } from '../../rule-kit/known-chains.ts';
import { comparedWith, each, type Judge, none, when } from '../../rule-kit/reply-judges.ts';
import {
  anyBody,
  body,
  type Fields,
  type Found,
  SIDES,
  sides,
  strings,
} from '../../rule-kit/reply-values.ts';
import { isGiven, requestedToken, requestIsKnown } from '../../rule-kit/request-parameters.ts';
import { type ReplyRuleBody, replyRules } from '../../rule-kit/rules-by-id.ts';

/** Compares amounts as numbers, since `007` means 7. */
function amountAsRequested(
  side: 'sell' | 'buy',
  holds: (amount: bigint, requested: bigint) => boolean,
): Judge {
  const [name, other] = side === 'sell' ? ['sellAmount', 'buyAmount'] : ['buyAmount', 'sellAmount'];
  return each(
    ({ exchange, plan: view }) => {
      const text = parameterOf(exchange.query, name) ?? '';
      const requested =
        !isGiven(exchange, other) && isDecimal(text) ? parseAmount(text) : undefined;
      const leg = view?.plan[side];
      if (requested === undefined || leg === undefined) return [];
      const { amount: value, referenceId } = leg;
      return [{ pointer: `/${side}/amount`, value, requested, referenceId }];
    },
    (amount, { requested }) => holds(amount, requested),
    ({ value, requested }) => ({ fault: value < requested ? 'less' : 'more' }),
    ({ requested, referenceId }) => words`${amountIn(requested, { referenceId })}, as requested`,
    ({ value, referenceId }) => [amountIn(value, { referenceId })],
  );
}

/** A plan may represent the native token by either alias, or by the wrapped token. */
function tokenAsRequested(
  side: 'sell' | 'buy',
  parameter: 'sellToken' | 'buyToken',
): ReplyRuleBody {
  return {
    clause: `4.1 ${parameter}`,
    must: `${side}s the requested \`${parameter}\`, or the wrapped token if the native token is requested`,
    check: each(
      (input) => {
        const requested = requestedToken(input.exchange, parameter);
        const plan = input.plan?.plan;
        const value = plan && tokenAt(plan, plan[side].referenceId)?.address;
        const wrapped = chainInfoFor(input)?.wrappedNativeTokenAddress;
        if (requested === undefined || value === undefined) return [];
        if (isNative(requested) && wrapped === undefined) return [];
        return [{ pointer: `/${side}/referenceId`, value, requested, wrapped: wrapped ?? '' }];
      },
      (address, { requested, wrapped }) =>
        sameAddress(address, requested) ||
        (isNative(requested) && (isNative(address) || sameAddress(address, wrapped))),
      'other-token',
      ({ requested, wrapped }) =>
        isNative(requested)
          ? words`the native token or ${quote(wrapped)}, its wrapped token`
          : words`${quote(requested)}, as requested`,
    ),
  };
}

/**
 * Maximum factor by which the larger of two trades may have the better price. Pools pay less for
 * each further unit, but a planner that counts gas may use a worse pool for a small trade.
 */
const MAX_FACTOR = 2n;

/**
 * Minimum value of the smaller trade. Below it, a worse price may cost less than the gas of a
 * better pool.
 */
const MIN_USD = 50;

/** Minimum amount of a leg, which rounding then changes by at most 0.1%. */
const MIN_LEG = 1_000n;

/** Amount that a plan buys, and the maximum that the price of a smaller trade implies. */
type BoughtAtSize = Found<bigint> & {
  readonly max: bigint;
  /** The smaller trade, in base units. */
  readonly sold: bigint;
  readonly bought: bigint;
  readonly plan: Plan;
};

/**
 * Returns the bought amount of a plan and its maximum. Returns none if discovery did not trade a
 * smaller amount of the same pair, or if either trade is too small to show a price.
 */
function boughtAtSize({ plan: view, chain }: JudgedReply): readonly BoughtAtSize[] {
  const plan = view?.plan;
  if (plan === undefined || chain === undefined) return [];
  const [sell, buy] = [plan.sell, plan.buy].map((side) => tokenAt(plan, side.referenceId)?.address);
  if (sell === undefined || buy === undefined) return [];
  const pair = chain.tradedPairs.get(tradedPairKey(sell, buy));
  if (pair === undefined || plan.sell.amount <= pair.sellAmount) return [];
  const { sellAmount: sold, buyAmount: bought } = pair;
  const legs = [plan.sell, plan.buy, ...plan.routes.flatMap(({ from, to }) => [...from, ...to])];
  const showsPrice = legs.every(({ amount }) => amount * sold >= MIN_LEG * plan.sell.amount);
  if (!showsPrice || usdWorth(pair.sell, sold) < MIN_USD) return [];
  const max = (MAX_FACTOR * bought * plan.sell.amount) / sold;
  return [{ pointer: '/buy/amount', value: plan.buy.amount, max, sold, bought, plan }];
}

function usdWorth({ usdPrice = 0, decimals }: Asset, amount: bigint): number {
  return (Number(amount) / 10 ** decimals) * usdPrice;
}

function strayFlags(input: JudgedReply) {
  const found = sides(input);
  if (found.length === 0) return undefined;
  const isFlagged = ({ value }: Found<Fields>) => SIDES.some(({ flag }) => value[flag] === true);
  if (!found.some(isFlagged)) return [];
  return SIDES.flatMap(({ side, parameter, flag, otherFlag, find }) => {
    const { [flag]: own, [otherFlag]: other } = find(input)[0]?.value ?? {};
    if (own !== true && other !== true) return [];
    const requested = requestedToken(input.exchange, parameter);
    const isStray = own === true && requested !== undefined && !isNative(requested);
    return [
      ...(isStray ? [{ pointer: `/${side}/${flag}`, side, flag, requested }] : []),
      ...(other === true
        ? [{ pointer: `/${side}/${otherFlag}`, side, flag: otherFlag, requested: undefined }]
        : []),
    ];
  });
}

/** @see Specification 4.1 */
export const rules: readonly Rule[] = replyRules('swap', {
  'swap/response': {
    clause: '4.1 response',
    must: 'returns an object from /swap',
    check: each(anyBody, isObject, 'no-object', words`an object`),
    breaks: [
      [{ '': [] }, 'at the top level: []'],
      [{ '': 'plan' }, 'at the top level: "plan"'],
    ],
  },
  'swap/extra-fields-observed': {
    clause: '4.1 response',
    observes: 'which fields beyond the specification it sends in /swap',
    check: observesExtraFields(SwapResponseSchema),
    breaks: [
      [{}, '"blockNumber"'],
      [{ '/tokens/0/logo': 'x', '/routes/0/details/x': 1 }, '"blockNumber", "tokens.*.logo"'],
    ],
  },
  // "exact-input swap": the plan sells the requested amount, to the base unit.
  'swap/sell-amount-echoed': {
    clause: '4.1 sellAmount',
    must: 'sells the requested `sellAmount`',
    check: amountAsRequested('sell', (sold, requested) => sold === requested),
    breaks: [
      [
        {},
        { query: { sellAmount: '10000000000000000000001' } },
        'at /sell/amount: 10000000000000000000000 base units of token 7',
      ],
    ],
    valid: [[{}, { query: { sellAmount: '010000000000000000000000' } }]],
    notApplicable: [
      [{ '/sell': undefined }],
      [{}, { query: { sellAmount: 'ten' } }],
      [{}, { query: { buyAmount: '1' } }],
      [{}, { query: { sellAmount: undefined, buyAmount: '1034955025987043448356' } }],
    ],
  },
  // "exact-output swap": a plan that buys less is none.
  'swap/buy-amount-reached': {
    clause: '4.1 buyAmount',
    must: 'buys at least the requested `buyAmount`',
    check: amountAsRequested('buy', (bought, requested) => bought >= requested),
    breaks: [
      [
        {},
        { query: { sellAmount: undefined, buyAmount: '1034955025987043448357' } },
        'at /buy/amount: 1034955025987043448356 base units of token 600',
      ],
    ],
    valid: [[{}, { query: { sellAmount: undefined, buyAmount: '1034955025987043448356' } }]],
    notApplicable: [[{}], [{}, { query: { buyAmount: '1' } }]],
  },
  // The user pays for any excess.
  'swap/buy-amount-echoed': {
    clause: '4.1 buyAmount',
    must: 'buys no more than the requested `buyAmount`',
    check: amountAsRequested('buy', (bought, requested) => bought <= requested),
    breaks: [
      [
        {},
        { query: { sellAmount: undefined, buyAmount: '1034955025987043448355' } },
        'at /buy/amount: 1034955025987043448356 base units of token 600',
      ],
    ],
    valid: [[{}, { query: { sellAmount: undefined, buyAmount: '1034955025987043448356' } }]],
    notApplicable: [[{}]],
  },
  // Pools pay less for each further unit.
  'swap/price-at-size': {
    clause: '4.1 sellAmount',
    should: 'buys at most twice as much per sold unit as a smaller trade of the same pair',
    because: 'A client is promised an output that no trade yields.',
    needs: 'a plan worth 50 USD or more, for a pair that discovery also traded in a smaller amount',
    check: each(
      boughtAtSize,
      (bought, { max }) => bought <= max,
      'too-much',
      ({ max, sold, bought, plan: { sell, buy } }) =>
        words`at most ${amountIn(max, buy)}, twice the price at which ${amountIn(sold, sell)} bought ${amountIn(bought, buy)}`,
      ({ value, plan: { buy } }) => [amountIn(value, buy)],
    ),
    breaks: [
      [
        { '/buy/amount': '20000000000000000000001' },
        { facts: 'traded' },
        'at /buy/amount: 20000000000000000000001 base units of token 600',
      ],
    ],
  },
  'swap/sell-token-echoed': {
    ...tokenAsRequested('sell', 'sellToken'),
    breaks: [
      [{}, { query: { sellToken: USD } }, `at /sell/referenceId: "${SOLD}"`],
      [{ '/tokens/0/address': USD }, { of: 'nativeSell' }, `at /sell/referenceId: "${USD}"`],
    ],
    valid: [
      [{}, { query: { sellToken: inCapitals(SOLD) } }],
      [{}, { of: 'nativeSell' }],
      [{ '/tokens/0/address': inCapitals(OTHER_NATIVE_ALIAS) }, { of: 'nativeSell' }],
    ],
    notApplicable: [[{ '/sell': undefined }], [{ '/tokens': [] }, { of: 'nativeSell' }]],
  },
  'swap/buy-token-echoed': {
    ...tokenAsRequested('buy', 'buyToken'),
    breaks: [[{}, { query: { buyToken: NATIVE } }, `at /buy/referenceId: "${BOUGHT}"`]],
    valid: [[{}, { of: 'nativeBuy', query: { buyToken: inCapitals(OTHER_NATIVE_ALIAS) } }]],
    notApplicable: [
      [{ '/sell': undefined }],
      [{}, { query: { buyToken: NATIVE }, facts: 'none' }],
      [{ '/tokens': [] }, { of: 'nativeSell' }],
    ],
  },
  'swap/router-echoed': {
    clause: '4.1 router',
    must: 'uses the requested router',
    needs: 'a plan with a requested router',
    check: each(
      comparedWith(strings(body, 'router'), ({ exchange }) =>
        ROUTER_NAMES.find((name) => name === parameterOf(exchange.query, 'router')),
      ),
      (router, { known }) => router === known,
      'other-router',
      ({ known }) => words`${known}, as requested`,
    ),
    breaks: [[{}, { query: { router: 'service-router' } }, 'at /router: "default-router"']],
    valid: [[{}, { query: { router: 'default-router' } }]],
    notApplicable: [[{}], [{}, { query: { router: 'none' } }]],
  },
  // The Default column of the parameter table.
  'swap/router-default': {
    clause: '4.1 router',
    must: 'uses default-router if no router is requested',
    needs: 'a plan without a requested router',
    check: when(
      ({ exchange }) => requestIsKnown(exchange) && !isGiven(exchange, 'router'),
      each(
        strings(body, 'router'),
        (router) => router === 'default-router',
        'other-router',
        words`default-router, the default`,
      ),
    ),
    breaks: [[{ '/router': 'service-router' }, 'at /router']],
    notApplicable: [
      [{ '/router': undefined }],
      [{}, { query: { router: 'default-router' } }],
      [{}, { query: { router: 'none' } }],
    ],
  },
  'swap/calldata-only-if-requested': {
    clause: '4.1 rule 3',
    must: 'returns no `routerAddress`, `calldata` or `gasLimit` without `includeCalldata`',
    needs: 'a plan requested without calldata',
    check: when(
      ({ exchange }) =>
        requestIsKnown(exchange) &&
        (!isGiven(exchange, 'includeCalldata') ||
          parameterOf(exchange.query, 'includeCalldata') === 'false'),
      none(
        (input) => {
          const [plan] = body(input);
          const fields = plan && CALLDATA_FIELDS.filter((field) => field in plan.value);
          return fields?.map((field) => ({ pointer: `/${field}`, field }));
        },
        'present',
        ({ field }) => words`no \`${field}\`: calldata was not requested`,
        ({ field }, input) => [quote(body(input)[0]?.value[field])],
      ),
    ),
    breaks: [
      [
        {},
        { query: { includeCalldata: undefined } },
        `at /routerAddress: "${inCapitals(ROUTER)}"`,
        'at /calldata: "0x3593564cABCD"',
        'at /gasLimit: "350000"',
      ],
      [
        {},
        { query: { includeCalldata: 'false' } },
        `at /routerAddress: "${inCapitals(ROUTER)}"`,
        'at /calldata: "0x3593564cABCD"',
        'at /gasLimit: "350000"',
      ],
    ],
    notApplicable: [[{}], [{}, { query: { includeCalldata: 'yes' } }]],
  },
  'swap/calldata-as-requested': {
    clause: '4.1 rule 4',
    must: 'returns `routerAddress`, `calldata` and `gasLimit` with `includeCalldata=true`',
    needs: 'a plan requested with calldata',
    check: when(
      ({ exchange }) => parameterOf(exchange.query, 'includeCalldata') === 'true',
      hasCalldataFields,
    ),
    breaks: [
      [
        { '': {} },
        'at the top level: `routerAddress` is missing',
        'at the top level: `calldata` is missing',
        'at the top level: `gasLimit` is missing',
      ],
      [{ '/routerAddress': undefined }, 'at the top level: `routerAddress` is missing'],
      [{ '/gasLimit': undefined }, 'at the top level: `gasLimit` is missing'],
      [{ '/calldata': undefined }, 'at the top level: `calldata` is missing'],
    ],
    notApplicable: [
      [{}, { of: 'plainSwap' }],
      [{}, { query: { includeCalldata: 'yes' } }],
    ],
  },
  // "Present when the sell token is the native token and needs wrapping (on `sell`)".
  'trade-token/flags-on-native-sides': {
    clause: '4.1 rule 5',
    must: 'sets `wrapFromNative` and `unwrapToNative` only if the client requested the native token',
    check: none(
      strayFlags,
      ({ requested }) => ({ fault: requested === undefined ? 'wrong-side' : 'not-native' }),
      ({ side, flag, requested }) =>
        requested === undefined
          ? words`\`${flag}\` is set only on \`${side === 'sell' ? 'buy' : 'sell'}\``
          : words`no \`${flag}\`, since the native token was not requested: ${quote(requested)}`,
      ({ side, flag }) => words`\`${side}.${flag}\` is true`,
    ),
    breaks: [
      [{ '/sell/wrapFromNative': true }, 'at /sell/wrapFromNative: `sell.wrapFromNative` is true'],
      [{ '/sell/unwrapToNative': true }, 'at /sell/unwrapToNative: `sell.unwrapToNative` is true'],
      [{ '/buy/unwrapToNative': true }, 'at /buy/unwrapToNative: `buy.unwrapToNative` is true'],
      [{ '/buy/wrapFromNative': true }, 'at /buy/wrapFromNative: `buy.wrapFromNative` is true'],
      [
        { '/sell/wrapFromNative': true, '/sell/unwrapToNative': true },
        'at /sell/wrapFromNative: `sell.wrapFromNative` is true',
        'at /sell/unwrapToNative: `sell.unwrapToNative` is true',
      ],
      [
        {},
        { of: 'nativeSell', query: { sellToken: WRAPPED } },
        'at /sell/wrapFromNative: `sell.wrapFromNative` is true',
      ],
    ],
    valid: [
      [{ '/sell/wrapFromNative': false }],
      [{ '/sell/wrapFromNative': true }, { query: { sellToken: undefined } }],
    ],
  },
});
