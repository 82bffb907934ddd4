import type { SwapResponse, Token } from '../../conformance/contract/resources.ts';
import type { Change } from './alter-reply.ts';
import { planMutant } from './body-mutant.ts';
import { absent, asArray, asFraction, asNull, asText, fieldMutants } from './fields.ts';
import type { Mutant } from './mutant.ts';

const shapes = fieldMutants({
  section: '2.3',
  slug: 'token',
  operation: 'swap',
  path: ['tokens', '*'],
  rows: [
    ['referenceId', absent, asText],
    ['address', absent, asNull],
    ['name', absent, asNull],
    ['symbol', absent, asArray],
    ['decimals', absent, asText, asFraction],
    ['usdPrice', absent, asText, asNull],
  ],
});

function eachToken(change: (token: Token) => void): Change<SwapResponse> {
  return ({ tokens }) => {
    for (const token of tokens) change(token);
  };
}

const ids: readonly Mutant[] = [
  planMutant(
    'token/reference-given-twice',
    '2.3 referenceId',
    'token/reference-unique',
    'the last two entries of `tokens` have one `referenceId`, where there are three or more',
    ({ tokens }) => {
      const [last, before] = [tokens.at(-1), tokens.at(-2)];
      if (last && before && tokens.length > 2) last.referenceId = before.referenceId;
    },
  ),
  planMutant(
    'token/listed-twice',
    '2.3 address',
    'token/address-unique',
    'the sell token is listed once more, with an id of its own that the routes refer to',
    (plan) => {
      const sold = plan.tokens.find((token) => token.referenceId === plan.sell.referenceId);
      if (sold === undefined) return;
      const referenceId = 1 + Math.max(...plan.tokens.map((token) => token.referenceId));
      plan.tokens.push({ ...sold, referenceId });
    },
  ),
];

const values: readonly Mutant[] = [
  planMutant(
    'token/address-without-0x',
    '2.3 address',
    'token/address-hex',
    'one address lacks its 0x',
    ({ tokens }) => {
      const [first] = tokens;
      if (first) first.address = first.address.slice(2);
    },
  ),
  planMutant(
    'token/address-with-0X',
    '2.3 address',
    'token/address-hex',
    'addresses begin with 0X',
    eachToken((token) => {
      token.address = `0X${token.address.slice(2)}`;
    }),
  ),
  planMutant(
    'token/price-negative',
    '2.3 usdPrice',
    'token/usd-price-not-negative',
    '`usdPrice` is negative',
    eachToken((token) => {
      token.usdPrice = -Math.abs(token.usdPrice) - 1;
    }),
  ),
  planMutant(
    'token/decimals-disagree',
    '2.3 decimals',
    'token/decimals-as-listed',
    'tokens of 6 decimals have 18 in plans',
    eachToken((token) => {
      if (token.decimals === 6) token.decimals = 18;
    }),
  ),
  planMutant(
    'token/name-disagrees',
    '2.3 name',
    'token/name-as-listed',
    '`name` holds the symbol',
    eachToken((token) => {
      token.name = token.symbol;
    }),
  ),
  planMutant(
    'token/symbol-disagrees',
    '2.3 symbol',
    'token/symbol-as-listed',
    '`symbol` has lost what is not ASCII',
    eachToken((token) => {
      token.symbol = token.symbol.replace(/[^ -~]/gu, '?');
    }),
  ),
  planMutant(
    'token/native-price-stale',
    '2.1 nativeTokenUsdPrice',
    'token/wrapped-native-price',
    '`nativeTokenUsdPrice` is 2 % above what the wrapped token is worth',
    (plan) => {
      plan.nativeTokenUsdPrice *= 1.02;
    },
  ),
  planMutant(
    'token/native-price-of-another-chain',
    '2.1 nativeTokenUsdPrice',
    'swap-response/native-price-steady',
    '`nativeTokenUsdPrice` is a third where the plan does not trade the wrapped token',
    (plan) => {
      if (plan.tokens.every(({ symbol }) => symbol !== 'WETH')) plan.nativeTokenUsdPrice /= 3;
    },
  ),
  planMutant(
    'token/price-by-side',
    '2.3 usdPrice',
    'token/usd-price-steady',
    '`usdPrice` is three times as much where the token is bought',
    ({ tokens, buy }) => {
      const bought = tokens.find((token) => token.referenceId === buy.referenceId);
      if (bought) bought.usdPrice *= 3;
    },
  ),
  planMutant(
    'token/prices-in-cents',
    '2.8 usdTokenAddress',
    'token/usd-token-price',
    'every price is in cents',
    (plan) => {
      plan.nativeTokenUsdPrice *= 100;
      for (const token of plan.tokens) token.usdPrice *= 100;
    },
  ),
  planMutant(
    'token/price-off-by-a-thousand',
    '2.3 usdPrice',
    'swap/usd-values-agree',
    'the price of the buy token is a thousand times too high',
    ({ tokens, buy }) => {
      const bought = tokens.find((token) => token.referenceId === buy.referenceId);
      if (bought) bought.usdPrice *= 1_000;
    },
  ),
  planMutant(
    'token/price-of-a-base-unit',
    '2.3 usdPrice',
    'swap/usd-values-agree',
    '`usdPrice` of the buy token is a thousandth of what it is',
    ({ tokens, buy }) => {
      const bought = tokens.find((token) => token.referenceId === buy.referenceId);
      if (bought) bought.usdPrice /= 1_000;
    },
  ),
];

/** @see Specification 2.3 */
export const tokenMutants: readonly Mutant[] = [...shapes, ...ids, ...values];
