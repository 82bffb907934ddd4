import { isHexAddress, sameAddress } from '../../checks/hex.ts';
import { swapBodyIn } from '../../checks/plan.ts';
import { type Exchange, statusOf } from '../../client/exchange.ts';
import type { Query } from '../../client/request.ts';
import { NATIVE_ALIASES } from '../../contract/names.ts';
import type { Facts } from '../../discovery/facts.ts';
import { BOUND_TRADES, KIND_TRADES, within } from '../../generate/budget.ts';
import {
  calldataFormsOf,
  calldataRoutersOf,
  formsOf,
  inForm,
  PLAIN_FORMS,
  spreadInForms,
} from '../../generate/forms.ts';
import {
  exactInput,
  exactOutput,
  RECIPIENT_ADDRESS,
  setParameter,
  swapTarget,
  type Trade,
  tradesOf,
  USER_ADDRESS,
  withCalldata,
} from '../../generate/trades.ts';
import type { ServiceBreak } from '../../model/breaks.ts';
import { NATIVE, OTHER_NATIVE_ALIAS } from '../../model/golden-addresses.ts';
import type { Check, Finding, Rule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { words } from '../../model/statement.ts';
import { keyIsRequired } from '../../rule-kit/api-keys.ts';
import { brokenParameterRules } from '../../rule-kit/broken-parameters.ts';
import { type ObservedRequest, observeEach } from '../../rule-kit/probes.ts';
import { faultUnless200, replyOf } from '../../rule-kit/reply-status.ts';
import { probeRules } from '../../rule-kit/rules-by-id.ts';
import { NO_CALLDATA, NO_PLAN, saleOf } from '../../rule-kit/sample-queries.ts';
import {
  all,
  any,
  has,
  isEncoded,
  isEveryFifth,
  isRepeated,
  not,
  on,
  reject,
  respond,
} from '../../rule-kit/service-breaks.ts';
import { plansEachKind } from '../../rule-kit/trade-kinds.ts';
import {
  acceptsValues,
  acceptsVariants,
  rejectedVariant,
  type Variant,
  variantOf,
} from '../../rule-kit/valid-variants.ts';

/** The user address with a checksum, as wallets write it. */
const USER_CHECKSUMMED = '0x00000000000000000000000000000000C0FFEE01';

function wrappedTrades(facts: Facts, side: 'sell' | 'buy'): readonly Trade[] {
  return tradesOf(facts).filter(({ market, pair }) => {
    const info = facts.chainInfo.get(market.chainId);
    return (
      !(pair.sell.native || pair.buy.native) &&
      market.addresses === 'evm' &&
      info !== undefined &&
      sameAddress(pair[side].address, info.wrappedNativeTokenAddress)
    );
  });
}

function nativeVariants(session: Session, side: 'sell' | 'buy'): readonly Variant[] {
  const trades = spreadInForms(
    wrappedTrades(session.facts, side),
    within(KIND_TRADES, session),
    formsOf,
  );
  return trades.map(([trade, form], index) => {
    const base = inForm(trade, form);
    const native = NATIVE_ALIASES[index % 2] ?? '';
    return variantOf(base, [`${side}Token`, native]);
  });
}

const UNUSED: Query = [
  ['userAddress', USER_ADDRESS],
  ['recipientAddress', RECIPIENT_ADDRESS],
  ['slippageTolerance', '0.01'],
];

const UNUSED_TOGETHER: readonly Query[] = [UNUSED, [['includeCalldata', 'false'], ...UNUSED]];

function withUnusedParameters(session: Session): readonly Variant[] {
  const added: readonly Query[] = [...UNUSED.map((one) => [one]), ...UNUSED_TOGETHER];
  return spreadInForms(tradesOf(session.facts), within(BOUND_TRADES, session), ({ addresses }) =>
    addresses === 'evm' ? PLAIN_FORMS : [],
  ).flatMap(([trade, form]) => {
    const base = inForm(trade, form);
    return added.map((parameters) => variantOf(base, ...parameters));
  });
}

/** Minimum number of rejections that count as a fault, since a plan may be missing temporarily. */
const MIN_REJECTIONS_OF_ONE_ALIAS = 4;

const tryBothAliases = async (session: Session, t: Check) => {
  const sides = (['sell', 'buy'] as const).flatMap((side) =>
    wrappedTrades(session.facts, side)
      .slice(0, within(BOUND_TRADES, session))
      .map((trade) => ({ side, query: exactInput(trade) })),
  );
  let isConclusive = sides.length === 0;
  await Promise.all(
    sides.map(async ({ side, query }) => {
      let finding: Finding | undefined;
      for (let times = 0; times < MIN_REJECTIONS_OF_ONE_ALIAS; times += 1) {
        const [zeros, es] = await Promise.all(
          NATIVE_ALIASES.map((alias) =>
            session.get(swapTarget(setParameter(query, `${side}Token`, [alias]))),
          ),
        );
        if (zeros === undefined || es === undefined) return;
        isConclusive ||= [zeros, es].some((each) => statusOf(each) === 400);
        finding = findingIfOnlyOneRejected(zeros, es) ?? findingIfOnlyOneRejected(es, zeros);
        if (statusOf(zeros) !== 200 && statusOf(es) !== 200) return;
        if (finding === undefined) break;
      }
      t.check(finding, finding?.exchange);
    }),
  );
  if (!isConclusive) return t.stuck('no reply showed whether the native token is traded');
  return t.skip('the native token is traded under neither alias');
};

function findingIfOnlyOneRejected(exchange: Exchange, other: Exchange): Finding | undefined {
  if (statusOf(other) !== 200 || statusOf(exchange) === undefined) return undefined;
  const fault = faultUnless200(exchange, {
    fault: 'rejected',
    expected: words`200, as for the other alias of the native token`,
  });
  return fault && { ...fault, exchange };
}

async function contractsAsRecipients({ facts, get }: Session): Promise<readonly ObservedRequest[]> {
  const questions: ObservedRequest[] = [];
  const trade = tradesOf(facts).find(({ market }) => calldataRoutersOf(market).length > 0);
  if (trade === undefined) return questions;
  const info = facts.chainInfo.get(trade.market.chainId);
  for (const name of calldataRoutersOf(trade.market)) {
    const query = withCalldata(exactInput(trade), name, trade.market);
    const reply = replyOf(await get(swapTarget(query)));
    const router = info?.routers.find((each) => each.name === name);
    const recipients = {
      itself: router?.deployedAddress,
      'its token proxy': router?.tokenProxyAddress,
      'wrapped native': info?.wrappedNativeTokenAddress,
      'the USD token': info?.usdTokenAddress,
      'a pool of the plan': reply && swapBodyIn(reply)?.routes?.[0]?.fields.address,
    };
    for (const [who, address] of Object.entries(recipients)) {
      if (typeof address !== 'string') continue;
      const paid = setParameter(query, 'recipientAddress', [address]);
      questions.push([`${name} paying ${who}`, swapTarget(paid)]);
    }
  }
  return questions;
}

const NATIVE_TOKEN = new RegExp(`^(${NATIVE_ALIASES.join('|')})$`);

/** @see Specification 4.1 */
export const rules: readonly Rule[] = [
  keyIsRequired('swap', '4.1 apiKey'),
  // Rule 6, "Invalid parameters give 400 with an Error body": one rule per parameter.
  ...brokenParameterRules('4.1'),
  ...probeRules({
    // A service must accept a valid parameter if the same trade has a plan without that parameter.
    'swap/flags-accepted': {
      clause: '4.1 useRfq',
      must: 'accepts `useRfq` as true and as false',
      check: acceptsValues(
        formsOf,
        ({ calldataOf }) => [
          ['useRfq', 'true'],
          ['useRfq', 'false'],
          ...(calldataOf === undefined ? [['includeCalldata', 'false'] as const] : []),
        ],
        NO_PLAN,
      ),
      breaks: [
        [on(has('useRfq', 'true'), reject), rejectedVariant(['useRfq', 'true'])],
        [on(all(has('useRfq', 'true'), isEncoded), reject), rejectedVariant(['useRfq', 'true'])],
        [on(has('useRfq', 'false'), reject), rejectedVariant(['useRfq', 'false'])],
        [
          on(has('includeCalldata', 'false'), respond(500)),
          'expected 200 for `includeCalldata=false`, as for the same request without it, got 500 "NO"',
        ],
      ],
      valid: [
        ['rejects a value now and then', on(all(isEveryFifth, has('useRfq', 'true')), reject)],
        ['rejects some amounts', on(all(has('useRfq', 'true'), has('sellAmount', /0$/)), reject)],
      ],
      couldNotRun: [
        [
          'rejects every second request',
          on(any(has('useRfq'), has('includeCalldata'), isRepeated), reject),
        ],
      ],
    },
    'swap/recipient-accepted': {
      clause: '4.1 recipientAddress',
      should: 'accepts `recipientAddress` with calldata',
      because: '"Address that receives the buy token": this may be the user or somebody else.',
      check: acceptsValues(
        calldataFormsOf,
        () => [
          ['recipientAddress', RECIPIENT_ADDRESS],
          ['recipientAddress', USER_ADDRESS],
        ],
        NO_CALLDATA,
      ),
      breaks: [
        [
          on(has('recipientAddress'), reject),
          rejectedVariant(['recipientAddress', '0x00000000000000000000000000000000c0ffee02']),
          rejectedVariant(['recipientAddress', '0x00000000000000000000000000000000c0ffee01']),
        ],
        [
          on(has('recipientAddress', USER_ADDRESS), reject),
          rejectedVariant(['recipientAddress', '0x00000000000000000000000000000000c0ffee01']),
        ],
      ],
    },
    // A client may choose any recipient, even an address whose funds nobody can recover.
    'swap/lost-recipients-observed': {
      clause: '4.1 recipientAddress',
      observes: 'how it responds to a recipient that would lose the payment',
      check: observeEach(contractsAsRecipients, NO_CALLDATA),
    },
    'swap/user-accepted': {
      clause: '4.1 userAddress',
      should: 'accepts `userAddress` with its checksum',
      because: `"User's wallet address": wallets write it with a checksum.`,
      check: acceptsValues(
        calldataFormsOf,
        (_, { user }) => (user === undefined ? [['userAddress', USER_CHECKSUMMED]] : []),
        NO_CALLDATA,
      ),
      breaks: [
        [
          on(has('userAddress', USER_CHECKSUMMED), reject),
          rejectedVariant(['userAddress', '0x00000000000000000000000000000000C0FFEE01']),
        ],
      ],
    },
    'swap/unused-accepted': {
      clause: '4.1 rule 6',
      should: 'accepts the parameters of calldata without `includeCalldata`',
      because: '"yes if `includeCalldata=true`": required in that case, but never forbidden.',
      check: acceptsVariants(withUnusedParameters, NO_PLAN),
      breaks: [
        ...UNUSED.map(
          (one): ServiceBreak => [
            on(all(has(one[0]), not(isEncoded)), reject),
            rejectedVariant(one),
            ...UNUSED_TOGETHER.map((added) => rejectedVariant(...added)),
          ],
        ),
        [
          on(all(has('userAddress'), has('slippageTolerance'), not(isEncoded)), reject),
          ...UNUSED_TOGETHER.map((added) => rejectedVariant(...added)),
        ],
      ],
    },
    'swap/native-accepted': {
      clause: '4.1 native token',
      should: 'trades the native token if it trades its wrapped token',
      because:
        '"For the native token use either": it is a token, and can be traded like its wrapped token.',
      check: acceptsVariants(
        (session) => [...nativeVariants(session, 'sell'), ...nativeVariants(session, 'buy')],
        'no pair with the wrapped native token returned a plan',
      ),
      breaks: [
        [
          on(has('sellToken', NATIVE_TOKEN), reject),
          rejectedVariant(['sellToken', NATIVE]),
          rejectedVariant(['sellToken', OTHER_NATIVE_ALIAS]),
        ],
        [
          on(all(has('buyToken', NATIVE_TOKEN), isEncoded), reject),
          rejectedVariant(['buyToken', NATIVE]),
        ],
      ],
    },
    // "For the native token use either [...] or [...]".
    'swap/native-aliases-accepted': {
      clause: '4.1 native token',
      must: 'accepts both aliases of the native token if it accepts one',
      check: tryBothAliases,
      breaks: [
        [
          on(has('sellToken', NATIVE_ALIASES[0]), reject),
          'expected 200, as for the other alias of the native token, got 400 "NO"',
        ],
        [
          on(has('buyToken', NATIVE_ALIASES[1]), reject),
          'expected 200, as for the other alias of the native token, got 400 "NO"',
        ],
      ],
      valid: [
        [
          'rejects one alias once',
          on(all(has('sellToken', NATIVE_ALIASES[1]), not(isRepeated)), reject),
        ],
      ],
      notApplicable: [
        [
          'has no native token',
          on(any(has('sellToken', NATIVE_TOKEN), has('buyToken', NATIVE_TOKEN)), reject),
        ],
      ],
    },
    // The specification leaves open trades between the native token and its wrapped token.
    'swap/wrapping-observed': {
      clause: '4.1 native token',
      observes: 'how it responds to trades between the native token and its wrapped token',
      check: observeEach(
        ({ facts }) =>
          [...facts.chainInfo].flatMap(([chainId, { wrappedNativeTokenAddress: wrapped }]) =>
            isHexAddress(wrapped)
              ? [['/swap', saleOf(chainId, NATIVE_ALIASES[0], wrapped, 10n ** 15n)]]
              : [],
          ),
        'no wrapped native token is known from /chainInfo',
      ),
    },
    'swap/exact-output-planned': {
      clause: '4.1 buyAmount',
      should:
        'returns an exact-output plan, on every router, for an amount that exact input bought',
      because:
        '"exactly one amount (sell side or buy side)": an amount that exact input bought can also be requested as exact output.',
      check: plansEachKind('purchase', exactOutput),
      breaks: [
        [
          on(has('buyAmount'), reject),
          'expected a plan for at least one purchase …, for an amount that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
        ],
        [
          on(all(has('buyAmount'), has('router', 'service-router')), reject),
          'expected a plan for at least one purchase through service-router on chain 31337, for an amount that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
        ],
        [
          on(has('buyAmount', /^[0-9]{20,}$/), reject),
          'expected a plan for at least one purchase of … or more on chain 31337, for an amount that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
          'expected a plan for at least one purchase of "SLD" on chain 31337, for an amount that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
          'expected a plan for at least one purchase of "BGT" on chain 31337, for an amount that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
        ],
      ],
    },
    'swap/bought-can-be-sold': {
      clause: '4.1 sellToken',
      should: 'returns a plan that sells a bought amount back',
      because: 'A client that bought a token cannot sell it again.',
      check: plansEachKind('sale', ({ market, pair }, bought) =>
        exactInput({ market, pair: { ...pair, sell: pair.buy, buy: pair.sell } }, bought),
      ),
      breaks: [
        [
          on(has('sellToken', /^0xd/), reject),
          'expected a plan for at least one sale of "BGT" on chain 31337, for an amount that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
        ],
        [
          on(has('sellAmount', /^[0-9]{20,}$/), reject),
          'expected a plan for at least one sale of … or more on chain 31337, for an amount that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
          'expected a plan for at least one sale of "SLD" on chain 31337, for an amount that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
          'expected a plan for at least one sale through service-router on chain 31337, for an amount that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
          'expected a plan for at least one sale of "BGT" on chain 31337, for an amount that an exact-input trade returned, got 400 "NO", and no plan for any of … requests',
        ],
      ],
      couldNotRun: [['stops planning during the run', on(({ count }) => count > 20, reject)]],
    },
  }),
];
