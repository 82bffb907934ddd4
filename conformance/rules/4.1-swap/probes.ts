import { isHexAddress, sameAddress } from '../../checks/hex.ts';
import { swapBodyIn } from '../../checks/plan.ts';
import { type Exchange, statusOf } from '../../client/exchange.ts';
import type { Query } from '../../client/request.ts';
import { NATIVE_ALIASES } from '../../contract/names.ts';
import type { Facts } from '../../discovery/facts.ts';
import { BOUND_TRADES, RELATION_TRADES, within } from '../../generate/budget.ts';
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
import type { Finding, Rule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { words } from '../../model/statement.ts';
import { answersKinds } from '../../rule-kit/answered-kinds.ts';
import { keyIsRequired } from '../../rule-kit/api-keys.ts';
import { brokenParameterRules } from '../../rule-kit/broken-parameters.ts';
import { asserting, observeEach, type Question } from '../../rule-kit/probes.ts';
import { findingUnless200, replyOf } from '../../rule-kit/reply-status.ts';
import { probeRules } from '../../rule-kit/rules-by-id.ts';
import { NO_CALLDATA, NO_PLAN, saleOf } from '../../rule-kit/sample-queries.ts';
import { acceptsValues, acceptsVariants, type Variant } from '../../rule-kit/valid-variants.ts';

/** With its checksum, as wallets write it. */
const USER_CHECKSUMMED = '0x00000000000000000000000000000000C0FFEE01';

/** Returns trades of the wrapped native token. */
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

/** Returns trades of the wrapped native token, and the same of native. */
function nativeVariants(session: Session, side: 'sell' | 'buy'): readonly Variant[] {
  const trades = spreadInForms(
    wrappedTrades(session.facts, side),
    within(RELATION_TRADES, session),
    formsOf,
  );
  return trades.map(([trade, form], index) => {
    const base = inForm(trade, form);
    const native = NATIVE_ALIASES[index % 2] ?? '';
    const varied = setParameter(base, `${side}Token`, [native]);
    return { what: `\`${side}Token=${native}\``, base, varied };
  });
}

const UNUSED: Query = [
  ['userAddress', USER_ADDRESS],
  ['recipientAddress', RECIPIENT_ADDRESS],
  ['slippageTolerance', '0.01'],
];

/** Returns plain requests, and the same with the parameters of calldata: one, or all that calldata needs and more. */
function unusedVariants(session: Session): readonly Variant[] {
  const added: readonly Query[] = [
    ...UNUSED.map((one) => [one]),
    UNUSED,
    [['includeCalldata', 'false'], ...UNUSED],
  ];
  return spreadInForms(tradesOf(session.facts), within(BOUND_TRADES, session), ({ addresses }) =>
    addresses === 'evm' ? PLAIN_FORMS : [],
  ).flatMap(([trade, form]) => {
    const base = inForm(trade, form);
    return added.map((parameters) => ({
      what: parameters.map(([name, value]) => `\`${name}=${value}\``).join(', '),
      base,
      varied: parameters.reduce((rest, [name, value]) => setParameter(rest, name, [value]), base),
    }));
  });
}

/** Times that one spelling alone must be refused: a market may lose its plan for a moment. */
const REFUSALS = 4;

const tryBothAliases = asserting(async (session, { check, verdict }) => {
  const sides = (['sell', 'buy'] as const).flatMap((side) =>
    wrappedTrades(session.facts, side)
      .slice(0, within(BOUND_TRADES, session))
      .map((trade) => ({ side, query: exactInput(trade) })),
  );
  let isTold = sides.length === 0;
  await Promise.all(
    sides.map(async ({ side, query }) => {
      let finding: Finding | undefined;
      for (let times = 0; times < REFUSALS; times += 1) {
        const [zeros, es] = await Promise.all(
          NATIVE_ALIASES.map((alias) =>
            session.get(swapTarget(setParameter(query, `${side}Token`, [alias]))),
          ),
        );
        if (zeros === undefined || es === undefined) return;
        isTold ||= [zeros, es].some((each) => statusOf(each) === 400);
        finding = refusedAlone(zeros, es) ?? refusedAlone(es, zeros);
        if (statusOf(zeros) !== 200 && statusOf(es) !== 200) return;
        if (finding === undefined) break;
      }
      check(finding);
    }),
  );
  const judged = verdict('no reply showed whether native is bought or sold');
  if (judged.kind === 'judged' || !isTold) return judged;
  return { kind: 'not-applicable', why: 'native is bought and sold by neither of its spellings' };
});

function refusedAlone(exchange: Exchange, other: Exchange): Finding | undefined {
  if (statusOf(other) !== 200 || statusOf(exchange) === undefined) return undefined;
  return findingUnless200(exchange, words`200, as for the other spelling of the native token`);
}

/** Returns a trade through each router, paid to the contracts that it goes through. */
async function lostRecipients({ facts, get }: Session): Promise<readonly Question[]> {
  const questions: Question[] = [];
  const trade = tradesOf(facts).find(({ market }) => calldataRoutersOf(market).length > 0);
  if (trade === undefined) return questions;
  const info = facts.chainInfo.get(trade.market.chainId);
  for (const name of calldataRoutersOf(trade.market)) {
    const query = withCalldata(exactInput(trade), name);
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

/** @see Specification 4.1 */
export const rules: readonly Rule[] = [
  keyIsRequired('swap', '4.1 apiKey'),
  // Rule 6, "Invalid parameters give 400 with an Error body": one rule a parameter.
  ...brokenParameterRules('4.1'),
  ...probeRules({
    // Valid ones do not, where the same trade is answered without them.
    'swap/flags-accepted': {
      clause: '4.1 useRfq',
      must: 'accepts `useRfq` as true and as false',
      run: acceptsValues(
        formsOf,
        ({ calldataOf }) => [
          ['useRfq', 'true'],
          ['useRfq', 'false'],
          ...(calldataOf === undefined ? [['includeCalldata', 'false'] as const] : []),
        ],
        NO_PLAN,
      ),
    },
    'swap/recipient-accepted': {
      clause: '4.1 recipientAddress',
      should: 'accepts `recipientAddress` with calldata',
      because: '"Address that receives the buy token": the user and others alike.',
      run: acceptsValues(
        calldataFormsOf,
        () => [
          ['recipientAddress', RECIPIENT_ADDRESS],
          ['recipientAddress', USER_ADDRESS],
        ],
        NO_CALLDATA,
      ),
    },
    // Whoever is to receive is named by the client: it may be an address from which nothing comes back.
    'swap/lost-recipients-observed': {
      clause: '4.1 recipientAddress',
      observes: 'how it answers a recipient that would lose what it is paid',
      run: observeEach(lostRecipients, NO_CALLDATA),
    },
    'swap/user-accepted': {
      clause: '4.1 userAddress',
      should: 'accepts `userAddress` with its checksum',
      because: `"User's wallet address": wallets write it with its checksum.`,
      run: acceptsValues(calldataFormsOf, () => [['userAddress', USER_CHECKSUMMED]], NO_CALLDATA),
    },
    'swap/unused-accepted': {
      clause: '4.1 rule 6',
      should: 'accepts the parameters of calldata without `includeCalldata`',
      because: '"yes if `includeCalldata=true`": required then, and forbidden never.',
      run: acceptsVariants(unusedVariants, NO_PLAN),
    },
    'swap/native-accepted': {
      clause: '4.1 native token',
      should: 'trades the native token where it trades its wrapped token',
      because:
        '"For the native token use either": it is a token, and trades as its wrapped token does.',
      run: acceptsVariants(
        (session) => [...nativeVariants(session, 'sell'), ...nativeVariants(session, 'buy')],
        'no pair with the wrapped native token was answered with a plan',
      ),
    },
    // "For the native token use either [...] or [...]": who may use either is refused neither.
    'swap/native-aliases-accepted': {
      clause: '4.1 native token',
      must: 'accepts both aliases of the native token if it accepts one',
      run: tryBothAliases,
    },
    // Native and its wrapped token are one asset: whether they trade for each other is left open.
    'swap/wrapping-observed': {
      clause: '4.1 native token',
      observes: 'how it answers a trade of the native token for its wrapped token',
      run: observeEach(
        ({ facts }) =>
          [...facts.chainInfo].flatMap(([chainId, { wrappedNativeTokenAddress: wrapped }]) =>
            isHexAddress(wrapped)
              ? [['/swap', saleOf(chainId, NATIVE_ALIASES[0], wrapped, 10n ** 15n)]]
              : [],
          ),
        'no chain named its wrapped native token',
      ),
    },
    'swap/exact-output-answered': {
      clause: '4.1 buyAmount',
      should: 'plans by exact output an amount that exact input bought, through every router',
      because:
        '"exactly one amount (sell side or buy side)": what can be had by the one can be had by the other.',
      run: answersKinds('purchase', exactOutput),
    },
    'swap/bought-can-be-sold': {
      clause: '4.1 sellToken',
      should: 'plans the sale of what was bought, back into the token that bought it',
      because: 'A client that bought a token cannot get back what it paid.',
      run: answersKinds('sale', ({ market, pair }, bought) =>
        exactInput({ market, pair: { ...pair, sell: pair.buy, buy: pair.sell } }, bought),
      ),
    },
  }),
];
