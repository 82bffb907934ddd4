import { misreads } from './faults/misreads.ts';
import type { MutantTable } from './faults/mutant.ts';
import { ACCOUNT, ANY, isCalldata, isExactOutput, NATIVE, read } from './faults/requests.ts';

/*
 * Rules of parameters that are not enforced. Each mutant reads one violation as
 * some careless parser would, and answers as if nothing were wrong; some do so
 * in one form of a request alone.
 */

/** Careless readings of one of the two tokens. */
const tokenMutantsOf = (name: string, caughtBy: string): MutantTable =>
  misreads(
    { caughtBy, name },
    {
      optional: [`a missing \`${name}\` means the native token`, undefined, NATIVE],
      cut: [`digits of \`${name}\` beyond 40 are cut off`, /^(0x[0-9a-f]{40})[0-9a-f]+$/i, '$1'],
      'any-word': [`a \`${name}\` that is no address means the native token`, /^[a-z]+$/, NATIVE],
      'by-symbol': [`\`${name}\` may be the symbol of the native token`, /^ETH$/, NATIVE],
      padded: [`\`${name}\` may be padded to 32 bytes`, /^0x0{24}([0-9a-f]{40})$/i, '0x$1'],
    },
  );

/** Careless readings of a boolean. */
const flagMutantsOf = (name: string, caughtBy: string): MutantTable =>
  misreads(
    { caughtBy, name },
    {
      'any-word': [`\`${name}=maybe\` means false`, /^maybe$/, 'false'],
      'any-number': [`\`${name}=2\` means true`, /^[2-9]$/, 'true'],
    },
  );

/** @see Specification 4.1 rule 6: "Invalid parameters give 400 with an Error body." */
export const parameterMutants: MutantTable = {
  ...misreads(
    { caughtBy: 'swap/chain-id', name: 'chainId' },
    {
      optional: ['a missing `chainId` means the first chain', undefined, '31337'],
      'cut-by-parse-int': ['`chainId` is read up to its first letter', /^([0-9]+)[a-z]+$/, '$1'],
      'of-a-word': ['a `chainId` that is no number means the first chain', /^[A-Za-z]+$/, '31337'],
      rounded: ['a fraction in `chainId` is cut off', /^([0-9]+)\.[1-9]+$/, '$1'],
    },
  ),
  'swap/chain-id-unchecked-for-buy-amount': {
    caughtBy: 'swap/chain-id',
    title: 'with `buyAmount` a `chainId` that is no number means the first chain',
    where: isExactOutput,
    query: read('chainId', /^(?![0-9]+$).*$/s, '31337'),
  },
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
  ...misreads(
    { caughtBy: 'swap/router', name: 'router' },
    {
      undefined: ['`router=undefined` means the default', /^undefined$/, 'default-router'],
      unknown: ['an unknown `router` means the default', /^no-such.*$/s, 'default-router'],
      'by-another-prefix': ['`router=universal` is completed', /^universal$/, 'universal-router'],
      'by-prefix': ['`router=default` is completed', /^default$/, 'default-router'],
    },
  ),
  'swap/router-unchecked-with-calldata': {
    caughtBy: 'swap/router',
    title: 'with calldata an unknown `router` means the default',
    where: isCalldata,
    query: read('router', /^.*(?<!-router)$/s, 'default-router'),
  },
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
