import { isHexAddress } from '../../checks/hex.ts';
import type { Query } from '../../client/request.ts';
import { isNative, NATIVE_ALIASES } from '../../contract/names.ts';
import { inLetterCase } from '../../generate/query-formats.ts';
import {
  RECIPIENT_ADDRESS,
  setParameter,
  type Trade,
  USER_ADDRESS,
} from '../../generate/trades.ts';
import type { ServiceChange } from '../../model/breaks.ts';
import type { Rule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { type Statement, words } from '../../model/statement.ts';
import { separatesChains } from '../../rule-kit/distinct-chains.ts';
import { separatesRfq } from '../../rule-kit/distinct-rfq.ts';
import { type Amounts, observesAmounts, relatesAmounts } from '../../rule-kit/related-amounts.ts';
import { type ProbeRuleBody, relationRules } from '../../rule-kit/rules-by-id.ts';
import { type EquivalentRequests, samePlan } from '../../rule-kit/same-plan.ts';
import {
  calldataQueries,
  NO_CALLDATA,
  NO_PLAN,
  plainQueries,
  withoutCalldata,
} from '../../rule-kit/sample-queries.ts';
import {
  all,
  any,
  buyLess,
  cacheWithout,
  changePlan,
  has,
  isEncoded,
  movingMarket,
  on,
  reject,
  scale,
  unchanged,
  unsteady,
  useMakers,
} from '../../rule-kit/service-breaks.ts';

function defaultIs(name: string, value: string): ProbeRuleBody {
  return {
    clause: `4.1 ${name}`,
    must: `treats a missing \`${name}\` as \`${name}=${value}\``,
    check: samePlan(
      `with and without \`${name}=${value}\``,
      (session) =>
        [...plainQueries(session), ...calldataQueries(session).map(withoutCalldata)]
          .filter((query) => query.every(([each]) => each !== name))
          .map((query) => [query, (one) => setParameter(one, name, [value])]),
      `no pair returned a plan without \`${name}\``,
    ),
    breaks: [
      [
        on(has(name, value), buyLess),
        `expected the same plan with and without \`${name}=${value}\`: …, got another plan: …`,
      ],
    ],
  };
}

function leavesPlan(
  name: string,
  difference: string,
  values: readonly string[],
  isWanted?: (trade: Trade) => boolean,
): ProbeRuleBody {
  return {
    clause: `4.1 ${name}`,
    should: `returns the same plan for any \`${name}\``,
    because:
      '"The plan format is independent of any router contract": parameters of calldata change nothing in it.',
    check: samePlan(
      difference,
      (session) =>
        calldataQueries(session, isWanted).flatMap((query) =>
          values.map(
            (value): EquivalentRequests => [query, (one) => setParameter(one, name, [value])],
          ),
        ),
      NO_CALLDATA,
    ),
    breaks: values.map((value) => [
      on(has(name, value), buyLess),
      `expected the same plan ${difference}: …, got another plan: …`,
    ]),
  };
}

const ANOTHER_USER = USER_ADDRESS.replace('01', '77');

const [ZEROS, ALIAS] = NATIVE_ALIASES;
/** The alias with a checksum, as wallets and other services write it. */
const ALIAS_CHECKSUMMED = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

function nativeQueries(session: Session): readonly Query[] {
  const isOfNative = ({ pair }: Trade) => pair.sell.native || pair.buy.native;
  return [plainQueries, calldataQueries].flatMap((queries) => queries(session, isOfNative));
}

function recaseNative(query: Query): Query {
  return query.map(([name, value]) => [name, value === ALIAS ? ALIAS_CHECKSUMMED : value]);
}

function withNative(query: Query, alias: string): Query {
  return query.map(([name, value]) => [name, value === ZEROS ? alias : value]);
}

function recasedQueries(session: Session): readonly EquivalentRequests[] {
  const isHex = (query: Query) =>
    query.every(([name, value]) => !name.endsWith('Token') || isHexAddress(value));
  return plainQueries(session)
    .filter(isHex)
    .map((query, index) => [
      query,
      (one) => inLetterCase(one, index % 2 === 0 ? 'lower' : 'upper'),
    ]);
}

/**
 * Tolerated rounding, in base units. Each pool rounds in its own favor, and a planner may miss an
 * exact output by one base unit per hop.
 */
const MAX_ROUNDING = 16n;

/**
 * Tolerates another 0.1% in addition to rounding, since planners only approximate the best split.
 */
const APPROXIMATION_DIVISOR = 1_000n;

const SHORTFALL_DIVISOR = 100n;

/**
 * Returns what `bought` costs at the price of the first trade. On a moving market, the two trades
 * may buy slightly different amounts.
 */
function costAtPriceOf(bought: bigint, { sold, bought: about }: Amounts): bigint {
  return about === 0n ? sold : (sold * bought) / about;
}

function sinceSold(first: Amounts, second: Amounts): Statement {
  return words`sold for ${second.bought}, since ${first.sold} bought ${first.bought}`;
}

const isOfAlias = any(has('sellToken', ALIAS), has('buyToken', ALIAS));

const oneLegTooSmallForAPrice = changePlan((body) => {
  body.routes[0].toTokens[0].amount = '99999';
});

const echoRequestedAlias: ServiceChange = (reply, { params }) => {
  const alias = params.find(([, value]) => isNative(value))?.[1];
  return changePlan((body) => {
    for (const token of body.tokens) if (token.symbol === 'WRP') token.address = alias;
  })(reply);
};

/** @see Specification 4.1 */
export const rules: readonly Rule[] = relationRules({
  // "Identifier of the blockchain".
  'relation/chains-distinct': {
    clause: '4.1 chainId',
    must: 'returns a plan for the requested chain, right after the same request for another chain',
    check: separatesChains,
    breaks: [
      [
        cacheWithout('chainId', ({ status }) => status === 200),
        { facts: 'twoChains' },
        'expected the plan for the trade on chain 501, got the plan for chain 31337, to the base unit',
      ],
      [
        cacheWithout('chainId', ({ status }) => status === 400),
        { facts: 'twoChains' },
        'expected a plan for chain 31337, right after the same request for chain 501, got 400 "INVALID"',
      ],
    ],
    valid: [
      ['does nothing unusual', unchanged, { facts: 'twoChains' }],
      ['has a moving market', movingMarket, { facts: 'twoChains' }],
      ['is unsteady', unsteady, { facts: 'twoChains' }],
    ],
    couldNotRun: [['returns no plan', reject, { facts: 'twoChains' }]],
  },
  // "Whether to use market-maker RFQ liquidity": each value may have a different plan.
  'relation/rfq-distinct': {
    clause: '4.1 useRfq',
    must: 'returns a plan for the requested `useRfq`, right after the same request with the other value',
    check: separatesRfq,
    breaks: [
      [
        cacheWithout('useRfq', () => true, useMakers),
        'expected a plan for `useRfq=false`, right after the same trade was requested with `useRfq=true`, got the plan for `useRfq=true`, to the base unit; a request for one base unit more gets a plan through other pools',
        'expected a plan for `useRfq=true`, right after the same trade was requested with `useRfq=false`, got the plan for `useRfq=false`, to the base unit; a request for one base unit more gets a plan through other pools',
      ],
      [
        cacheWithout('useRfq', (_, request) => has('useRfq', 'true')(request), useMakers),
        'expected a plan for `useRfq=false`, right after the same trade was requested with `useRfq=true`, got the plan for `useRfq=true`, to the base unit; a request for one base unit more gets a plan through other pools',
      ],
      [
        cacheWithout('useRfq', (_, request) => has('useRfq', 'false')(request), useMakers),
        'expected a plan for `useRfq=true`, right after the same trade was requested with `useRfq=false`, got the plan for `useRfq=false`, to the base unit; a request for one base unit more gets a plan through other pools',
      ],
    ],
    valid: [
      [
        'uses market makers for every second request',
        on(({ count }) => count % 2 === 1, useMakers),
      ],
      ['uses market makers', useMakers],
    ],
  },
  // "For the native token use either [...] or [...]": both aliases mean the same token.
  'relation/native-aliases': {
    clause: '4.1 native token',
    must: 'returns the same plan for both aliases of the native token',
    check: samePlan(
      'for both aliases of the native token',
      (session) => nativeQueries(session).map((query) => [query, (one) => withNative(one, ALIAS)]),
      'no pair with the native token returned a plan',
    ),
    breaks: [
      [
        on(isOfAlias, buyLess),
        'expected the same plan for both aliases of the native token: …, got another plan: …',
      ],
      [
        on(isOfAlias, reject),
        'expected the same plan for both aliases of the native token: …, got 400 "NO"',
      ],
      [
        on(all(isOfAlias, isEncoded), buyLess),
        'expected the same plan for both aliases of the native token: …, got another plan: …',
      ],
    ],
    valid: [['echoes the alias', echoRequestedAlias]],
  },
  // The Default column of the parameter table.
  'relation/default-rfq': defaultIs('useRfq', 'false'),
  'relation/default-router': defaultIs('router', 'default-router'),
  'relation/default-calldata': defaultIs('includeCalldata', 'false'),
  'relation/slippage-leaves-plan': leavesPlan('slippageTolerance', 'at any tolerance', [
    '0.5',
    '0',
    '1',
  ]),
  'relation/recipient-leaves-plan': leavesPlan('recipientAddress', 'for any recipient', [
    RECIPIENT_ADDRESS,
    USER_ADDRESS,
  ]),
  // A service that requires an account with funds may reject every other account.
  'relation/user-leaves-plan': leavesPlan(
    'userAddress',
    'for any user',
    [ANOTHER_USER],
    ({ market }) => market.user === undefined,
  ),
  'relation/letter-case': {
    clause: '4.1 sellToken',
    should: 'ignores the letter case of hex addresses',
    because:
      '"Token address": the letter case of hex is only a checksum, which is not part of the address.',
    check: samePlan(
      'in any letter case',
      (session) => [
        ...recasedQueries(session),
        ...nativeQueries(session).map(
          (query): EquivalentRequests => [withNative(query, ALIAS), recaseNative],
        ),
      ],
      NO_PLAN,
    ),
    breaks: [
      [
        on(has('sellToken', /[A-F]/), buyLess),
        'expected the same plan in any letter case: …, got another plan: …',
      ],
      [
        on(has('sellToken', ALIAS_CHECKSUMMED), reject),
        'expected the same plan in any letter case: …, got 400 "NO"',
      ],
    ],
  },
  // A plan that costs more is not the cheapest, but that is a matter of quality: planners that take
  // gas into account may choose it.
  'relation/exact-output-costs-no-more': {
    clause: '4.1 buyAmount',
    observes:
      'whether an exact output costs more than the exact input that bought it (beyond 0.1% and 16 base units)',
    check: observesAmounts({
      next: 'exact output',
      bound: 'at most',
      amount: 'sold',
      limit: (first, second) => {
        const sold = costAtPriceOf(second.bought, first);
        return sold + sold / APPROXIMATION_DIVISOR + MAX_ROUNDING;
      },
      why: sinceSold,
    }),
    valid: [['doubles the price of exact outputs', on(has('buyAmount'), scale('sell', 2n))]],
  },
  'relation/exact-output-costs-no-less': {
    clause: '4.1 buyAmount',
    should:
      'charges no less for an exact output than for the exact input that bought it (within 1% and 16 base units)',
    because:
      'A client is promised an output that no trade yields, since trading back and forth through pools is never profitable.',
    check: relatesAmounts({
      next: 'exact output',
      skipsRounded: true,
      bound: 'at least',
      amount: 'sold',
      limit: (first, second) => {
        const sold = costAtPriceOf(second.bought, first);
        return sold - sold / SHORTFALL_DIVISOR - MAX_ROUNDING;
      },
      why: sinceSold,
    }),
    breaks: [
      [
        on(has('buyAmount'), scale('sell', 9n, 10n)),
        'expected at least … sold for …, since … bought …, got …',
      ],
    ],
    valid: [['doubles the price of exact outputs', on(has('buyAmount'), scale('sell', 2n))]],
    couldNotRun: [['rounds', oneLegTooSmallForAPrice]],
  },
  'relation/more-in-no-less-out': {
    clause: '4.1 sellAmount',
    should: 'returns no less for a larger sale (within 0.1% and 16 base units)',
    because: 'A client that sells more receives less than for the smaller trade.',
    check: relatesAmounts({
      next: 'larger',
      bound: 'at least',
      amount: 'bought',
      limit: ({ bought }) => bought - bought / APPROXIMATION_DIVISOR - MAX_ROUNDING,
      why: (first, { sold }) => words`for ${sold}, since ${first.sold} bought ${first.bought}`,
    }),
    breaks: [
      [
        on(has('sellAmount', /^[0-9]{23,}$/), scale('buy', 0n)),
        'expected at least … for …, since … bought …, got …',
      ],
    ],
  },
  // Pools pay less for each further unit, but a planner that takes gas into account may use fewer
  // pools for a small trade.
  'relation/price-does-not-improve': {
    clause: '4.1 sellAmount',
    observes: 'whether it gives a better price for a larger sale (beyond 0.1% and 16 base units)',
    check: observesAmounts({
      next: 'larger',
      skipsRounded: true,
      bound: 'at most',
      amount: 'bought',
      limit: (first, { sold }) => {
        const atSamePrice = ((first.bought + MAX_ROUNDING) * sold) / first.sold;
        return atSamePrice + atSamePrice / APPROXIMATION_DIVISOR + MAX_ROUNDING;
      },
      why: (first, { sold }) =>
        words`for ${sold}, at the price of ${first.bought} for ${first.sold}`,
    }),
    valid: [
      [
        'has a better price for large trades',
        on(has('sellAmount', /^[0-9]{23,}$/), scale('buy', 10_000n)),
      ],
    ],
    notApplicable: [['rounds', oneLegTooSmallForAPrice]],
  },
});
