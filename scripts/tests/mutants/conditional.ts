import type { MutantTable } from './faults/mutant.ts';
import {
  addTo,
  encoded,
  firstLegFrom,
  overspend,
  putTokenOf,
  scaleSide,
  tokenBetween,
  tokenOf,
  usdValue,
} from './faults/plans.ts';
import { put } from './faults/put.ts';
import {
  all,
  E_ALIAS,
  isExactInput,
  isExactOutput,
  isGiven,
  isNativeBought,
  matches,
} from './faults/requests.ts';

/** Faults under rare conditions. A run that repeats the same requests misses them. */
export const conditionalMutants: MutantTable = {
  'somewhere/second-chain': {
    caughtBy: 'swap/buy-amount-reached',
    title: 'on chain 31338, exact output buys one base unit less',
    where: all(isGiven('chainId', '31338'), isExactOutput),
    plan: ({ buy }) => buy.amount !== '1' && addTo(buy, -1n),
  },
  'somewhere/with-rfq': {
    caughtBy: 'route-token/reference-resolves',
    title: 'with `useRfq=true`, the last route refers to a missing token',
    where: isGiven('useRfq', 'true'),
    plan: put('routes.-1.toTokens.0', { referenceId: 99 }),
  },
  'somewhere/in-capitals': {
    caughtBy: 'swap/sell-token-echoed',
    title:
      'with `sellToken` in upper case, the sell token in the reply lacks the last digit of its address',
    where: matches('sellToken', /^0x[0-9A-F]{40}$/),
    plan: putTokenOf('sell', ({ address }) => ({ address: address.slice(0, -1) })),
  },
  'somewhere/exact-output-of-native': {
    caughtBy: 'plan/conserves-buy',
    title: 'exact output of the native token yields ten more base units than anybody receives',
    where: all(isExactOutput, isNativeBought),
    plan: ({ routes, buy }) => {
      const legs = routes.flatMap(({ toTokens }) => toTokens);
      const leg = legs.find(({ referenceId }) => referenceId === buy.referenceId);
      addTo(leg, 10n);
    },
  },
  'somewhere/e-alias-unflagged': {
    caughtBy: 'trade-token/native-sides-flagged',
    title: 'the native token as 40 times e lacks `wrapFromNative`',
    where: matches('sellToken', E_ALIAS),
    plan: put('sell', { wrapFromNative: undefined }),
  },
  'somewhere/recipient-without-gas-limit': {
    caughtBy: 'swap/calldata-complete',
    title: 'calldata for a recipient lacks `gasLimit`',
    where: (query) => query.has('recipientAddress'),
    plan: (plan) => ({ ...plan, gasLimit: undefined }),
  },
  'somewhere/no-slippage-odd-calldata': {
    caughtBy: 'swap-response/calldata-hex',
    title: 'at a tolerance of 0, calldata has an odd number of digits',
    where: isGiven('slippageTolerance', '0'),
    plan: encoded('calldata', (calldata) => `${calldata}0`),
  },
  'somewhere/percent-encoded': {
    caughtBy: 'swap/router-echoed',
    title: 'a router whose name is percent-encoded is echoed as default-router',
    where: (_, ctx) => /[?&]router=[^&]*%/.test(ctx.req.url ?? ''),
    plan: (plan) => {
      plan.router = plan.router === 'default-router' ? 'universal-router' : 'default-router';
    },
  },
  'somewhere/leak-beyond-ten-thousand-usd': {
    caughtBy: 'plan/conserves-sell',
    title: 'trades of more than 10,000 USD spend one base unit too many',
    plan: (plan) => usdValue(plan, plan.sell) > 10_000 && overspend(plan),
  },
  'somewhere/tenfold-beyond-ten-thousand-usd': {
    caughtBy: 'swap/price-at-size',
    title: 'trades of more than 10,000 USD buy ten times as much',
    plan: (plan) => usdValue(plan, plan.sell) > 10_000 && scaleSide(plan, 'buy', 9_000_000n),
  },
  'somewhere/amount-beyond-64-bits': {
    caughtBy: 'swap/sell-amount-echoed',
    title: 'amounts from 2^64 are cut to 64 bits in `sell`',
    plan: put('sell', ({ amount }) => ({ amount: String(BigInt.asUintN(64, BigInt(amount))) })),
  },
  'somewhere/dust-trades-echo-nothing': {
    caughtBy: 'swap/sell-amount-echoed',
    title: 'amounts below 10,000 base units are echoed as 10,000',
    where: isExactInput,
    plan: put('sell', ({ amount }) => BigInt(amount) < 10_000n && { amount: '10000' }),
  },
  'somewhere/tokens-of-six-decimals': {
    caughtBy: 'plan/conserves-sell',
    title: 'one base unit is lost if the sell token has 6 decimals',
    plan: (plan) => tokenOf(plan, plan.sell)?.decimals === 6 && overspend(plan),
  },
  'somewhere/tokens-without-decimals': {
    caughtBy: 'token/usd-price',
    title: 'tokens without decimals have a price of null',
    plan: put('tokens.*', ({ decimals }) => decimals === 0 && { usdPrice: null }),
  },
  'somewhere/symbol-beyond-ascii': {
    caughtBy: 'token/symbol',
    title: 'symbols beyond ASCII are null',
    plan: put('tokens.*', ({ symbol }) => /[^ -~]/.test(symbol) && { symbol: null }),
  },
  'somewhere/plans-of-four-routes': {
    caughtBy: 'plan/conserves-between',
    title: 'plans with four or more routes leave ten parts per million of an intermediate token',
    plan: (plan) => {
      const token = tokenBetween(plan);
      if (plan.routes.length < 4 || token === undefined) return;
      const leg = firstLegFrom(plan, token);
      if (leg) addTo(leg, -(BigInt(leg.amount) / 100_000n) - 3n);
    },
  },
};
