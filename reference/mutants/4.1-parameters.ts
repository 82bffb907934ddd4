import { alike, type MutantTable } from './faults/mutant.ts';
import { ACCOUNT, ANY, fill, isCalldata, isExactOutput, NATIVE, read } from './faults/requests.ts';

/*
 * Rules of parameters that are not enforced. Each mutant reads one violation as
 * some careless parser would, and answers as if nothing were wrong; some do so
 * in one form of a request alone.
 */

/** Careless readings of one of the two tokens. */
const tokenMutantsOf = (name: string, rule: string): MutantTable => ({
  [`${rule}-optional`]: {
    caughtBy: rule,
    title: `a missing \`${name}\` means the native token`,
    query: fill(name, NATIVE),
  },
  [`${rule}-cut`]: {
    caughtBy: rule,
    title: `digits of \`${name}\` beyond 40 are cut off`,
    query: read(name, /^(0x[0-9a-f]{40})[0-9a-f]+$/i, '$1'),
  },
  [`${rule}-any-word`]: {
    caughtBy: rule,
    title: `a \`${name}\` that is no address means the native token`,
    query: read(name, /^[a-z]+$/, NATIVE),
  },
  [`${rule}-by-symbol`]: {
    caughtBy: rule,
    title: `\`${name}\` may be the symbol of the native token`,
    query: read(name, /^ETH$/, NATIVE),
  },
  [`${rule}-padded`]: {
    caughtBy: rule,
    title: `\`${name}\` may be padded to 32 bytes`,
    query: read(name, /^0x0{24}([0-9a-f]{40})$/i, '0x$1'),
  },
});

/** Careless readings of a boolean. */
const flagMutantsOf = (name: string, rule: string): MutantTable => ({
  [`${rule}-any-word`]: {
    caughtBy: rule,
    title: `\`${name}=maybe\` means false`,
    query: read(name, /^maybe$/, 'false'),
  },
  [`${rule}-any-number`]: {
    caughtBy: rule,
    title: `\`${name}=2\` means true`,
    query: read(name, /^[2-9]$/, 'true'),
  },
});

/** @see Specification 4.1 rule 6: "Invalid parameters give 400 with an Error body." */
export const parameterMutants: MutantTable = {
  ...alike({ caughtBy: 'swap/chain-id' })({
    'swap/chain-id-optional': {
      title: 'a missing `chainId` means the first chain',
      query: fill('chainId', '31337'),
    },
    'swap/chain-id-cut-by-parse-int': {
      title: '`chainId` is read up to its first letter',
      query: read('chainId', /^([0-9]+)[a-z]+$/, '$1'),
    },
    'swap/chain-id-of-a-word': {
      title: 'a `chainId` that is no number means the first chain',
      query: read('chainId', /^[A-Za-z]+$/, '31337'),
    },
    'swap/chain-id-rounded': {
      title: 'a fraction in `chainId` is cut off',
      query: read('chainId', /^([0-9]+)\.[1-9]+$/, '$1'),
    },
    'swap/chain-id-unchecked-for-buy-amount': {
      title: 'with `buyAmount` a `chainId` that is no number means the first chain',
      where: isExactOutput,
      query: read('chainId', /^(?![0-9]+$).*$/s, '31337'),
    },
  }),
  'swap/unknown-chain-as-the-first': {
    caughtBy: 'swap/chain-id',
    title: 'an unknown chain means the first chain',
    query: read('chainId', /^987654321987$/, '31337'),
  },
  ...tokenMutantsOf('sellToken', 'swap/sell-token'),
  ...tokenMutantsOf('buyToken', 'swap/buy-token'),
  ...flagMutantsOf('useRfq', 'swap/use-rfq'),
  ...flagMutantsOf('includeCalldata', 'swap/include-calldata'),
  'swap/use-rfq-unchecked-with-calldata': {
    caughtBy: 'swap/use-rfq',
    title: 'with calldata `useRfq` is not read',
    where: isCalldata,
    query: read('useRfq', ANY, 'false'),
  },
  ...alike({ caughtBy: 'swap/router' })({
    'swap/router-undefined': {
      title: '`router=undefined` means the default',
      query: read('router', /^undefined$/, 'default-router'),
    },
    'swap/router-unknown': {
      title: 'an unknown `router` means the default',
      query: read('router', /^no-such.*$/s, 'default-router'),
    },
    'swap/router-by-prefix': {
      title: '`router=default` is completed',
      query: read('router', /^default$/, 'default-router'),
    },
    'swap/router-unchecked-with-calldata': {
      title: 'with calldata an unknown `router` means the default',
      where: isCalldata,
      query: read('router', /^.*(?<!-router)$/s, 'default-router'),
    },
  }),
  'swap/user-unread': {
    caughtBy: 'swap/user-address',
    title: 'a malformed `userAddress` is replaced',
    query: read('userAddress', /^(?!0x[0-9a-f]{40}$).+$/i, ACCOUNT),
  },
  'swap/recipient-unread': {
    caughtBy: 'swap/recipient-address',
    title: 'a malformed `recipientAddress` is replaced',
    query: read('recipientAddress', /^(?!0x[0-9a-f]{40}$).+$/i, ACCOUNT),
  },
};
