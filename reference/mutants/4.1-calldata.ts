import { misreads } from './faults/misreads.ts';
import { alike, type MutantTable } from './faults/mutant.ts';
import {
  ACCOUNT,
  ANY,
  all,
  fill,
  isCalldata,
  isExactOutput,
  isGiven,
  not,
  read,
} from './faults/requests.ts';

/** @see Specification 4.1 rules 2, 3 and 4, and slippageTolerance */
export const calldataMutants: MutantTable = {
  ...alike({ caughtBy: 'swap/calldata-needs' })({
    'swap/user-optional': {
      title: 'without `userAddress` calldata is made for some account',
      where: isCalldata,
      query: fill('userAddress', ACCOUNT),
    },
    'swap/slippage-optional': {
      title: 'without `slippageTolerance` calldata allows 0.5 %',
      where: isCalldata,
      query: (query) => {
        if (!query.get('slippageTolerance')) query.set('slippageTolerance', '0.005');
      },
    },
    'swap/recipient-as-user': {
      title: 'without `userAddress` calldata is made for the recipient',
      where: isCalldata,
      query: (query) => {
        const recipient = query.get('recipientAddress');
        if (recipient && !query.has('userAddress')) query.set('userAddress', recipient);
      },
    },
    'swap/user-optional-with-rfq': {
      title: 'with `useRfq=true` calldata is made for some account where no user is given',
      where: all(isCalldata, isGiven('useRfq', 'true')),
      query: fill('userAddress', ACCOUNT),
    },
    'swap/user-optional-at-no-tolerance': {
      title: 'at a tolerance of 0 calldata is made for some account where no user is given',
      where: all(isCalldata, isGiven('slippageTolerance', '0')),
      query: fill('userAddress', ACCOUNT),
    },
    'swap/needs-unchecked-by-universal-router': {
      title: 'universal-router makes calldata for some account where no user is given',
      where: all(isCalldata, isGiven('router', 'universal-router')),
      query: fill('userAddress', ACCOUNT),
    },
  }),
  ...misreads(
    { caughtBy: 'swap/slippage-tolerance', name: 'slippageTolerance', ids: 'swap/slippage-' },
    {
      'above-one': ['`slippageTolerance` may be more than 1', /^(1\.0001|1\.5|2)$/, '1'],
      'below-zero': ['`slippageTolerance` may be less than 0', /^-0\.0001$/, '0'],
      'off-its-step': ['`slippageTolerance` may be half a step', /^0\.00005$/, '0.0001'],
      'below-one': ['`slippageTolerance` may be half a step below 1', /^0\.99995$/, '1'],
      rounded: ['`slippageTolerance` is rounded to its step', /^0\.01000001$/, '0.01'],
      'in-percent': ['`slippageTolerance` may have a percent sign', /^1%$/, '0.01'],
      'with-a-comma': ['`slippageTolerance` may have a comma for the point', /^0,01$/, '0.01'],
    },
  ),
  ...alike({ caughtBy: 'swap/slippage-tolerance' })({
    'swap/slippage-unchecked-for-buy-amount': {
      title: 'with `buyAmount` any `slippageTolerance` will do',
      where: isExactOutput,
      query: read('slippageTolerance', ANY, '0.01'),
    },
    'swap/slippage-unchecked-with-rfq': {
      title: 'with `useRfq=true` any `slippageTolerance` will do',
      where: isGiven('useRfq', 'true'),
      query: read('slippageTolerance', ANY, '0.01'),
    },
    'swap/slippage-unchecked-for-a-recipient': {
      title: 'where a recipient is named, any `slippageTolerance` will do',
      where: (query) => query.has('recipientAddress'),
      query: read('slippageTolerance', ANY, '0.01'),
    },
    'swap/slippage-unchecked-by-service-router': {
      title: 'through service-router any `slippageTolerance` will do',
      where: isGiven('router', 'service-router'),
      query: read('slippageTolerance', ANY, '0.01'),
    },
  }),
  'swap/slippage-unread-without-calldata': {
    caughtBy: 'swap/slippage-tolerance-unused-strict',
    title: 'without calldata any `slippageTolerance` will do',
    where: not(isCalldata),
    query: read('slippageTolerance', ANY, '0.01'),
  },
  'swap/calldata-unasked': {
    caughtBy: 'swap/no-calldata-unasked',
    title: 'every plan has `routerAddress`, `calldata` and `gasLimit`',
    where: not(isCalldata),
    plan: (plan) => ({
      ...plan,
      routerAddress: plan.routes[0]?.address,
      calldata: '0x00',
      gasLimit: '21000',
    }),
  },
  'swap/calldata-as-soon-as-it-can-be': {
    caughtBy: 'swap/no-calldata-unasked',
    title: 'calldata comes wherever all that it needs is given',
    where: (query) => query.has('userAddress') && query.has('slippageTolerance'),
    query: (query) => query.set('includeCalldata', 'true'),
  },
  'swap/calldata-null-unasked': {
    caughtBy: 'swap/no-calldata-unasked',
    title: 'fields that were not asked for are there as null',
    where: not(isCalldata),
    plan: (plan) => ({ ...plan, routerAddress: null, calldata: null, gasLimit: null }),
  },
  'swap/gas-limit-withheld': {
    caughtBy: 'swap/calldata-complete',
    title: 'calldata comes without `gasLimit`',
    plan: (plan) => ({ ...plan, gasLimit: undefined }),
  },
  'swap/router-address-withheld': {
    caughtBy: 'swap/calldata-as-asked',
    title: 'calldata comes without `routerAddress`',
    plan: (plan) => ({ ...plan, routerAddress: undefined }),
  },
};
