import { misreads } from './faults/misreads.ts';
import { alike, type MutantTable } from './faults/mutant.ts';
import {
  all,
  drop,
  fill,
  GIVEN,
  isCalldata,
  isExactInput,
  isExactOutput,
  isGiven,
  matches,
  not,
  read,
  SOME,
} from './faults/requests.ts';

const NUMBER = /^[1-9][0-9]*$/;

/** Careless readings of one of the two amounts. */
const amountMutantsOf = (name: string, caughtBy: string): MutantTable =>
  misreads(
    { caughtBy, name },
    {
      'of-zero': [`\`${name}=0\` is answered with a plan of some amount`, /^0$/, SOME],
      negative: [`the sign of a negative \`${name}\` is dropped`, /^-([1-9][0-9]+)$/, '$1'],
      'cut-at-the-point': [`a fraction in \`${name}\` is cut off`, /^([1-9][0-9]*)\.[1-9]+$/, '$1'],
      'in-hex': [`\`${name}\` may be in hex`, /^0x[0-9a-f]+$/, (text) => String(BigInt(text))],
      'with-an-exponent': [`\`${name}\` may have an exponent`, /^([0-9]+)e0$/, '$1'],
    },
  );

/** @see Specification 4.1 sellAmount, buyAmount and rule 1 */
export const amountMutants: MutantTable = {
  ...amountMutantsOf('sellAmount', 'swap/sell-amount'),
  ...amountMutantsOf('buyAmount', 'swap/buy-amount'),
  'swap/sell-amount-unchecked-with-calldata': {
    caughtBy: 'swap/sell-amount',
    title: 'with calldata a `sellAmount` that is no amount means some amount',
    where: isCalldata,
    query: read('sellAmount', /^(?![1-9][0-9]*$).*$/s, SOME),
  },
  'swap/two-faults-as-none': {
    caughtBy: 'swap/invalid-parameters',
    title: 'where chain and amount are both invalid, a plan of the first chain comes',
    where: all(isExactInput, not(matches('chainId', NUMBER)), not(matches('sellAmount', NUMBER))),
    query: (query) => {
      query.set('chainId', '31337');
      query.set('sellAmount', SOME);
    },
  },
  ...alike({ caughtBy: 'swap/exactly-one-amount' })({
    'swap/both-amounts': {
      title: 'given both amounts, the service reads `sellAmount` alone',
      where: matches('sellAmount', GIVEN),
      query: drop('buyAmount', GIVEN),
    },
    'swap/both-amounts-with-calldata': {
      title: 'given both amounts and calldata asked for, the service reads `sellAmount` alone',
      where: all(isCalldata, matches('sellAmount', GIVEN)),
      query: drop('buyAmount'),
    },
    'swap/both-amounts-with-rfq': {
      title: 'given both amounts and `useRfq=true`, the service reads `sellAmount` alone',
      where: all(isGiven('useRfq', 'true'), matches('sellAmount', GIVEN)),
      query: drop('buyAmount', GIVEN),
    },
    'swap/undefined-beside-an-amount': {
      title: 'a `sellAmount` of undefined is ignored beside `buyAmount`',
      where: matches('buyAmount', GIVEN),
      query: drop('sellAmount', /^undefined$/),
    },
    'swap/zero-beside-an-amount': {
      title: 'a `buyAmount` of 0 is ignored beside `sellAmount`',
      where: matches('sellAmount', GIVEN),
      query: drop('buyAmount', /^0$/),
    },
    'swap/negative-beside-an-amount': {
      title: 'a negative `sellAmount` is ignored beside `buyAmount`',
      where: matches('buyAmount', GIVEN),
      query: drop('sellAmount', /^-/),
    },
    'swap/null-beside-an-amount': {
      title: 'a `buyAmount` of null is ignored beside `sellAmount`',
      where: matches('sellAmount', GIVEN),
      query: drop('buyAmount', /^null$/),
    },
    'swap/both-amounts-for-a-recipient': {
      title: 'given both amounts and a recipient, the service reads `sellAmount` alone',
      where: all((query) => query.has('recipientAddress'), matches('sellAmount', GIVEN)),
      query: drop('buyAmount'),
    },
    'swap/neither-amount': {
      title: 'without an amount some amount is planned',
      where: not(isExactOutput),
      query: fill('sellAmount', SOME),
    },
  }),
};
