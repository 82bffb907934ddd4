import {
  type Given,
  type Loose,
  NATIVE,
  USD,
  WRAPPED,
} from '../../model/golden-replies.testing.ts';
import { pricesTold } from '../../model/model-market.testing.ts';
import { fields, on, type Row, testReplies, wrong } from '../../rule-kit/replies.testing.ts';
import { rules } from './replies.ts';

const withoutCalldata = [
  'swap-response/router-address-hex n/a',
  'swap-response/calldata-hex n/a',
  'swap-response/gas-limit-positive n/a',
];

/** The native token was told at 4,000 USD before. */
const before: Given = {
  facts: pricesTold(4_000, { address: WRAPPED, usdPrice: 4_000 }, { address: USD, usdPrice: 1 }),
};
const prices = (native: unknown, wrapped: unknown) => (b: Loose) => {
  b.nativeTokenUsdPrice = native;
  b.tokens[2].usdPrice = wrapped;
};

testReplies(
  rules,
  on('swap', [
    [{}, 'swap-response/native-price-steady n/a'],
    [{ endpoint: 'tokens' }, 'nothing applies'],
    ...fields('swap-response', '', {
      aggregator: 5,
      router: null,
      sell: [],
      buy: 'x',
      nativeTokenUsdPrice: '4622',
      tokens: {},
      routes: null,
      'routerAddress?': 5,
      'calldata?': null,
      'gasLimit?': 350_000,
    }),
    wrong('/nativeTokenUsdPrice', Number.POSITIVE_INFINITY, 'swap-response/native-token-usd-price'),
    [(b) => (b.tokens[0] = 7), 'swap-response/tokens at /tokens'],
    [(b) => (b.routes[1] = []), 'swap-response/routes at /routes'],
    wrong('/router', 'Default-Router', 'swap-response/router-name'),
    [(b) => (b.routerAddress += '0'), 'swap-response/router-address-hex at /routerAddress'],
    wrong('/calldata', '0x', 'swap-response/calldata-hex'),
    wrong('/calldata', '0xabc', 'swap-response/calldata-hex'),
    ...['0', '0x0', '0x', '0x5573g', '350000 gas', '1'.repeat(21)].map((gasLimit) =>
      wrong('/gasLimit', gasLimit, 'swap-response/gas-limit-positive'),
    ),
    wrong(
      '/nativeTokenUsdPrice',
      -1,
      'swap-response/native-price-not-negative',
      'token/wrapped-native-price',
    ),
    [(b) => (b.nativeTokenUsdPrice *= 1.02), 'token/wrapped-native-price at /nativeTokenUsdPrice'],
    [(b) => (b.tokens[2].usdPrice *= 2), 'token/wrapped-native-price at /nativeTokenUsdPrice'],
    [(b) => (b.nativeTokenUsdPrice *= 1.005)],
    [prices(101, 100)],
    [prices(0, 0)],
    [
      prices('1', 1),
      'swap-response/native-token-usd-price at /nativeTokenUsdPrice',
      'token/wrapped-native-price n/a',
    ],
    [prices(1, null), 'token/wrapped-native-price n/a'],
    [{ facts: undefined }, 'token/wrapped-native-price n/a'],
    [{ query: { chainId: undefined } }, 'token/wrapped-native-price n/a'],
    [(b) => b.tokens.splice(2, 1), 'token/wrapped-native-price n/a'],
    ...[2_000, 4_000, 8_000].map((price): Row => [prices(price, price), before]),
    ...[0, 1_999, 8_001].map(
      (price): Row => [
        prices(price, price),
        before,
        `swap-response/native-price-steady at /nativeTokenUsdPrice: ${price}`,
      ],
    ),
    [
      prices('1', 1),
      before,
      'swap-response/native-token-usd-price at /nativeTokenUsdPrice',
      'swap-response/native-price-steady n/a',
    ],
    [{ ...before, query: { chainId: '501' } }, 'swap-response/native-price-steady n/a'],
    [{ facts: undefined }, 'swap-response/native-price-steady n/a'],
    [
      (b) => b.tokens.push({ ...b.tokens[0], referenceId: 99, address: NATIVE }),
      'swap-response/tokens-used at /tokens/4',
    ],
    [
      (b) => {
        b.routes[2].fromTokens[0].referenceId = 55;
        b.routes[1].toTokens[0].referenceId = 56;
      },
      'swap-response/tokens-used at /tokens/1',
    ],
  ]),
  on('plainSwap', [[{}, ...withoutCalldata]]),
);
