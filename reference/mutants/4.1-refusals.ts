import { alike, type Condition, type MutantTable } from './faults/mutant.ts';
import {
  all,
  isCalldata,
  isExactOutput,
  isGiven,
  isNativeSold,
  matches,
  not,
} from './faults/requests.ts';

const isRecipient: Condition = (query) => query.has('recipientAddress');
const isPaidToUser: Condition = (query) =>
  query.get('recipientAddress') === query.get('userAddress');

/** Valid requests that are refused. @see Specification 4.1 and 8 */
export const refusalMutants: MutantTable = {
  ...alike({ caughtBy: 'swap/slippage-bounds' })({
    'swap/slippage-of-zero-refused': {
      title: 'a tolerance of 0 is taken for none',
      refuse: isGiven('slippageTolerance', '0'),
    },
    'swap/slippage-of-zero-refused-for-buy-amount': {
      title: 'with `buyAmount` a tolerance of 0 is taken for none',
      refuse: all(isExactOutput, isGiven('slippageTolerance', '0')),
    },
    'swap/slippage-of-one-refused': {
      title: 'a tolerance of 1 is refused',
      refuse: isGiven('slippageTolerance', '1'),
    },
    'swap/slippage-of-a-twentieth-percent-refused': {
      title: 'a tolerance of 0.0005 is refused',
      refuse: isGiven('slippageTolerance', '0.0005'),
    },
    'swap/slippage-steps-by-float': {
      title: 'steps are judged by float: 0.0003 / 0.0001 is no integer',
      refuse: (query) => !Number.isInteger(Number(query.get('slippageTolerance')) / 0.0001),
    },
  }),
  'swap/one-base-unit-fails': {
    caughtBy: 'swap/smallest-amounts',
    title: 'an amount of 1 gives 500',
    refuse: (query) => query.get('sellAmount') === '1' || query.get('buyAmount') === '1',
    status: 500,
  },
  'swap/large-sales-refused': {
    caughtBy: 'swap/bought-can-be-sold',
    title: 'amounts beyond 2^53 can be bought, and not sold',
    refuse: (query) => Number(query.get('sellAmount')) > Number.MAX_SAFE_INTEGER,
  },
  'swap/rfq-refused': {
    caughtBy: 'swap/flags-accepted',
    title: '`useRfq=true` is refused',
    refuse: isGiven('useRfq', 'true'),
  },
  'swap/rfq-refused-with-calldata': {
    caughtBy: 'swap/flags-accepted',
    title: '`useRfq=true` is refused beside calldata',
    refuse: all(isGiven('useRfq', 'true'), isCalldata),
  },
  'swap/calldata-false-refused': {
    caughtBy: 'swap/flags-accepted',
    title: '`includeCalldata=false` is refused',
    refuse: isGiven('includeCalldata', 'false'),
  },
  'swap/recipient-refused': {
    caughtBy: 'swap/recipient-accepted',
    title: '`recipientAddress` is refused where it is not the user',
    refuse: all(isRecipient, not(isPaidToUser)),
  },
  'swap/recipient-refused-where-it-is-the-user': {
    caughtBy: 'swap/recipient-accepted',
    title: '`recipientAddress` is refused where it is the user',
    refuse: all(isRecipient, isPaidToUser),
  },
  'swap/recipient-refused-without-calldata': {
    caughtBy: 'swap/unused-accepted',
    title: '`recipientAddress` is refused without calldata',
    refuse: all(isRecipient, not(isCalldata)),
  },
  'swap/unused-refused-together': {
    caughtBy: 'swap/unused-accepted',
    title: 'user and tolerance are refused together without calldata',
    refuse: all(
      not(isCalldata),
      (query) => query.has('userAddress') && query.has('slippageTolerance'),
    ),
  },
  'swap/user-refused-with-its-checksum': {
    caughtBy: 'swap/user-accepted',
    title: '`userAddress` is refused unless it is in lower case',
    refuse: matches('userAddress', /[A-F]/),
  },
  'swap/native-refused': {
    caughtBy: 'swap/native-accepted',
    title: 'the native token is not sold, though its wrapped token is',
    refuse: isNativeSold,
  },
  'swap/buy-amount-refused': {
    caughtBy: 'plan/returned-for-buy-amount',
    title: 'no trade is planned by the amount bought',
    refuse: isExactOutput,
  },
  'swap/buy-amount-refused-with-calldata': {
    caughtBy: 'swap/every-plan-encoded',
    title: 'plans by the amount bought are not encoded',
    refuse: all(isExactOutput, isCalldata),
  },
  'swap/calldata-refused-by-no-name': {
    caughtBy: 'swap/every-plan-encoded',
    title: 'calldata is refused unless `router` is given',
    refuse: all(isCalldata, (query) => !query.has('router')),
  },
  'swap/router-never-plans': {
    caughtBy: 'swap/routers-plan',
    title: 'service-router is listed and never plans',
    refuse: isGiven('router', 'service-router'),
  },
  'swap/encoder-never-encodes': {
    caughtBy: 'swap/encoders-encode',
    title: 'service-router is listed with an encoder and refuses calldata',
    refuse: all(isGiven('router', 'service-router'), isCalldata),
  },
  'swap/universal-without-buy-amount': {
    caughtBy: 'swap/exact-output-answered',
    title: 'universal-router plans by the amount sold alone',
    refuse: all(isGiven('router', 'universal-router'), isExactOutput),
  },
};
