import { sameAddress } from '../../checks/hex.ts';
import { NATIVE_ALIASES } from '../../contract/resources.ts';
import type { Facts } from '../../discovery/facts.ts';
import { RELATION_TRADES } from '../../generate/budget.ts';
import {
  calldataFormsOf,
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
  tradesOf,
  USER_ADDRESS,
} from '../../generate/trades.ts';
import type { Rule } from '../../model/rule.ts';
import { answersKinds } from '../../rule-kit/answered-kinds.ts';
import { keyIsRequired } from '../../rule-kit/api-keys.ts';
import { brokenParameterRules } from '../../rule-kit/broken-parameters.ts';
import { observeEach } from '../../rule-kit/probes.ts';
import { probeRules } from '../../rule-kit/rules-by-id.ts';
import { NO_CALLDATA, NO_PLAN, saleOf } from '../../rule-kit/sample-queries.ts';
import { acceptsValues, acceptsVariants, type Variant } from '../../rule-kit/valid-variants.ts';

/** With its checksum, as wallets write it. */
const USER_CHECKSUMMED = '0x00000000000000000000000000000000C0FFEE01';

/** Returns trades of the wrapped native token, and the same of native. */
function nativeVariants(facts: Facts, side: 'sell' | 'buy'): readonly Variant[] {
  const wrapped = tradesOf(facts).filter(({ market, pair }) => {
    const info = facts.chainInfo.get(market.chainId);
    return (
      !(pair.sell.native || pair.buy.native) &&
      info !== undefined &&
      sameAddress(pair[side].address, info.wrappedNativeTokenAddress)
    );
  });
  return spreadInForms(wrapped, RELATION_TRADES, formsOf).map(([trade, form], index) => {
    const base = inForm(trade, form);
    const native = NATIVE_ALIASES[index % 2] ?? '';
    const varied = setParameter(base, `${side}Token`, [native]);
    return { what: `\`${side}Token=${native}\``, base, varied };
  });
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
      level: 'must',
      title: 'accepts `useRfq` as true and as false',
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
      level: 'should',
      title: 'accepts `recipientAddress` with calldata',
      run: acceptsValues(
        calldataFormsOf,
        () => [
          ['recipientAddress', RECIPIENT_ADDRESS],
          ['recipientAddress', USER_ADDRESS],
        ],
        NO_CALLDATA,
      ),
    },
    'swap/user-accepted': {
      clause: '4.1 userAddress',
      level: 'should',
      title: 'accepts `userAddress` with its checksum',
      run: acceptsValues(calldataFormsOf, () => [['userAddress', USER_CHECKSUMMED]], NO_CALLDATA),
    },
    // Required only with calldata, and forbidden never.
    'swap/unused-accepted': {
      clause: '4.1 rule 6',
      level: 'should',
      title: 'accepts the parameters of calldata without `includeCalldata`',
      run: acceptsValues(
        () => PLAIN_FORMS,
        () => [
          ['userAddress', USER_ADDRESS],
          ['recipientAddress', RECIPIENT_ADDRESS],
          ['slippageTolerance', '0.01'],
        ],
        NO_PLAN,
      ),
    },
    // "For the native token use either [...] or [...]": it is a token, and trades as its wrapped token does.
    'swap/native-accepted': {
      clause: '4.1 native token',
      level: 'should',
      title: 'trades the native token where it trades its wrapped token',
      run: acceptsVariants(
        ({ facts }) => [...nativeVariants(facts, 'sell'), ...nativeVariants(facts, 'buy')],
        'no pair with the wrapped native token was answered with a plan',
      ),
    },
    // Native and its wrapped token are one asset: whether they trade for each other is left open.
    'swap/wrapping-observed': {
      clause: '4.1 native token',
      level: 'observe',
      title: 'how it answers a trade of the native token for its wrapped token',
      run: observeEach(
        ({ facts }) =>
          [...facts.chainInfo].map(([chainId, { wrappedNativeTokenAddress }]) => [
            '/swap',
            saleOf(chainId, NATIVE_ALIASES[0], wrappedNativeTokenAddress, 10n ** 15n),
          ]),
        'no chain named its wrapped native token',
      ),
    },
    // What can be bought by its price can be bought by its amount, and sold again.
    'swap/exact-output-answered': {
      clause: '4.1 buyAmount',
      level: 'should',
      title: 'plans by exact output what exact input bought, through every router',
      run: answersKinds('purchase', exactOutput),
    },
    'swap/bought-can-be-sold': {
      clause: '4.1 sellToken',
      level: 'should',
      title: 'plans the sale of what was bought, back into the token that bought it',
      run: answersKinds('sale', ({ market, pair }, bought) =>
        exactInput({ market, pair: { ...pair, sell: pair.buy, buy: pair.sell } }, bought),
      ),
    },
  }),
];
