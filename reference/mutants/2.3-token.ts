import { fieldMutants } from './faults/fields.ts';
import type { MutantTable } from './faults/mutant.ts';
import { putTokenOf, tokenOf } from './faults/plans.ts';
import { put } from './faults/put.ts';

/** @see Specification 2.3 */
export const tokenMutants: MutantTable = {
  ...fieldMutants({
    rules: 'token/',
    reply: 'plan',
    path: 'tokens.*',
    fields: {
      referenceId: ['absent', 'as-text'],
      address: ['absent', 'null'],
      name: ['absent', 'null'],
      symbol: ['absent', 'as-array'],
      decimals: ['absent', 'as-text', 'as-fraction'],
      usdPrice: ['absent', 'as-text', 'null'],
    },
  }),
  'token/reference-given-twice': {
    caughtBy: 'token/reference-unique',
    title: 'the last two entries of `tokens` have one `referenceId`, where there are three or more',
    plan: ({ tokens }) => {
      const [last, before] = [tokens.at(-1), tokens.at(-2)];
      if (last && before && tokens.length > 2) last.referenceId = before.referenceId;
    },
  },
  'token/listed-twice': {
    caughtBy: 'token/address-unique',
    title: 'the sell token is listed once more, with an id that nothing refers to',
    plan: (plan) => {
      const referenceId = 1 + Math.max(...plan.tokens.map((token) => token.referenceId));
      return { ...plan, tokens: [...plan.tokens, { ...tokenOf(plan, plan.sell), referenceId }] };
    },
  },
  'token/address-without-0x': {
    caughtBy: 'token/address-hex',
    title: 'one address lacks its 0x',
    plan: put('tokens.0', ({ address }) => ({ address: address.slice(2) })),
  },
  'token/address-with-0X': {
    caughtBy: 'token/address-hex',
    title: 'addresses begin with 0X',
    plan: put('tokens.*', ({ address }) => ({ address: `0X${address.slice(2)}` })),
  },
  'token/price-negative': {
    caughtBy: 'token/usd-price-not-negative',
    title: '`usdPrice` is negative',
    plan: put('tokens.*', ({ usdPrice }) => ({ usdPrice: -Math.abs(usdPrice) - 1 })),
  },
  'token/decimals-disagree': {
    caughtBy: 'token/decimals-as-listed',
    title: 'tokens of 6 decimals have 18 in plans',
    plan: put('tokens.*', ({ decimals }) => decimals === 6 && { decimals: 18 }),
  },
  'token/name-disagrees': {
    caughtBy: 'token/name-as-listed',
    title: '`name` holds the symbol',
    plan: put('tokens.*', ({ symbol }) => ({ name: symbol })),
  },
  'token/symbol-disagrees': {
    caughtBy: 'token/symbol-as-listed',
    title: '`symbol` has lost what is not ASCII',
    plan: put('tokens.*', ({ symbol }) => ({ symbol: symbol.replace(/[^ -~]/gu, '?') })),
  },
  'token/native-price-stale': {
    caughtBy: 'token/wrapped-native-price',
    title: '`nativeTokenUsdPrice` is 2 % above what the wrapped token is worth',
    plan: (plan) => ({ ...plan, nativeTokenUsdPrice: plan.nativeTokenUsdPrice * 1.02 }),
  },
  'token/native-price-of-another-chain': {
    caughtBy: 'swap-response/native-price-steady',
    title: '`nativeTokenUsdPrice` is a third where the plan does not trade the wrapped token',
    plan: (plan) => {
      if (plan.tokens.every(({ symbol }) => symbol !== 'WETH')) plan.nativeTokenUsdPrice /= 3;
    },
  },
  'token/price-by-side': {
    caughtBy: 'token/usd-price-steady',
    title: '`usdPrice` is three times as much where the token is bought',
    plan: putTokenOf('buy', ({ usdPrice }) => ({ usdPrice: usdPrice * 3 })),
  },
  'token/prices-in-cents': {
    caughtBy: 'token/usd-token-price',
    title: 'every price is in cents',
    plan: (plan) => {
      plan.nativeTokenUsdPrice *= 100;
      for (const token of plan.tokens) token.usdPrice *= 100;
    },
  },
  'token/price-off-by-a-thousand': {
    caughtBy: 'swap/usd-values-agree',
    title: 'the price of the buy token is a thousand times too high',
    plan: putTokenOf('buy', ({ usdPrice }) => ({ usdPrice: usdPrice * 1_000 })),
  },
  'token/price-of-a-base-unit': {
    caughtBy: 'swap/usd-values-agree',
    title: '`usdPrice` of the buy token is a thousandth of what it is',
    plan: putTokenOf('buy', ({ usdPrice }) => ({ usdPrice: usdPrice / 1_000 })),
  },
};
