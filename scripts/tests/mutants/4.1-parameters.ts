import { type MutantTable, withCommon } from './faults/mutant.ts';
import {
  ACCOUNT,
  ANY,
  all,
  drop,
  fill,
  GIVEN,
  isCalldata,
  isExactOutput,
  isGiven,
  matches,
  misread,
  SMALL_AMOUNT,
} from './faults/requests.ts';

/** Faults in the validation of parameters that affect only some requests. */
export const parameterMutants: MutantTable = {
  'swap/chain-id-unchecked-for-buy-amount': {
    caughtBy: 'swap/chain-id',
    title: 'with `buyAmount`, a `chainId` that is not a number is treated as the first chain',
    where: isExactOutput,
    query: misread('chainId', /^(?![0-9]+$).*$/s, '31337'),
  },
  'swap/use-rfq-unchecked-with-calldata': {
    caughtBy: 'swap/use-rfq',
    title: 'with calldata, `useRfq` is not read',
    where: isCalldata,
    query: misread('useRfq', ANY, 'false'),
  },
  'swap/router-unchecked-with-calldata': {
    caughtBy: 'swap/router',
    title: 'with calldata, an unknown `router` is treated as the default router',
    where: isCalldata,
    query: misread('router', /^.*(?<!-router)$/s, 'default-router'),
  },
  'swap/sell-amount-unchecked-with-calldata': {
    caughtBy: 'swap/sell-amount',
    title: 'with calldata, an invalid `sellAmount` is replaced by a fixed amount',
    where: isCalldata,
    query: misread('sellAmount', /^(?![1-9][0-9]*$).*$/s, SMALL_AMOUNT),
  },
  ...withCommon({ caughtBy: 'swap/exactly-one-amount' })({
    'swap/both-amounts-with-calldata': {
      title: 'with both amounts and calldata, only `sellAmount` is read',
      where: all(isCalldata, matches('sellAmount', GIVEN)),
      query: drop('buyAmount'),
    },
    'swap/both-amounts-with-rfq': {
      title: 'with both amounts and `useRfq=true`, only `sellAmount` is read',
      where: all(isGiven('useRfq', 'true'), matches('sellAmount', GIVEN)),
      query: drop('buyAmount', GIVEN),
    },
    'swap/both-amounts-for-a-recipient': {
      title: 'with both amounts and a recipient, only `sellAmount` is read',
      where: all((query) => query.has('recipientAddress'), matches('sellAmount', GIVEN)),
      query: drop('buyAmount'),
    },
  }),
  ...withCommon({ caughtBy: 'swap/calldata-needs', query: fill('userAddress', ACCOUNT) })({
    'swap/user-optional-with-rfq': {
      title: 'with `useRfq=true` and no user, calldata is made for a fixed account',
      where: all(isCalldata, isGiven('useRfq', 'true')),
    },
    'swap/user-optional-at-no-tolerance': {
      title: 'at a tolerance of 0 and with no user, calldata is made for a fixed account',
      where: all(isCalldata, isGiven('slippageTolerance', '0')),
    },
    'swap/needs-unchecked-by-universal-router': {
      title: 'with no user, universal-router makes calldata for a fixed account',
      where: all(isCalldata, isGiven('router', 'universal-router')),
    },
  }),
  ...withCommon({
    caughtBy: 'swap/slippage-tolerance',
    query: misread('slippageTolerance', ANY, '0.01'),
  })({
    'swap/slippage-unchecked-for-buy-amount': {
      title: 'with `buyAmount`, any `slippageTolerance` is accepted',
      where: isExactOutput,
    },
    'swap/slippage-unchecked-with-rfq': {
      title: 'with `useRfq=true`, any `slippageTolerance` is accepted',
      where: isGiven('useRfq', 'true'),
    },
    'swap/slippage-unchecked-for-a-recipient': {
      title: 'with a recipient, any `slippageTolerance` is accepted',
      where: (query) => query.has('recipientAddress'),
    },
    'swap/slippage-unchecked-by-service-router': {
      title: 'through service-router, any `slippageTolerance` is accepted',
      where: isGiven('router', 'service-router'),
    },
  }),
  'swap/slippage-of-zero-refused-for-buy-amount': {
    caughtBy: 'swap/slippage-bounds',
    title: 'with `buyAmount`, a tolerance of 0 is treated as missing',
    reject: all(isExactOutput, isGiven('slippageTolerance', '0')),
  },
  'swap/large-sales-refused': {
    caughtBy: 'swap/bought-can-be-sold',
    title: 'amounts above 2^53 can be bought but not sold',
    reject: (query) => Number(query.get('sellAmount')) > Number.MAX_SAFE_INTEGER,
  },
};
