import { alterRequest } from './alter-request.ts';
import { bodyMutant } from './body-mutant.ts';
import { absent, asArray, asFraction, asNull, asText, fieldMutants } from './fields.ts';
import type { Mutant } from './mutant.ts';
import { everyNth, everySecond } from './now-and-then.ts';

const shapes: readonly Mutant[] = [
  ...fieldMutants({
    section: '2.6',
    slug: 'token-info',
    operation: 'tokens',
    path: ['*'],
    rows: [
      ['address', absent, asNull],
      ['name', absent, asNull],
      ['symbol', asNull, asArray],
      ['decimals', absent, asText, asFraction],
      ['metadata', absent, asNull],
    ],
  }),
  ...fieldMutants({
    section: '2.6',
    slug: 'token-info',
    operation: 'tokens',
    path: ['*', 'metadata'],
    within: 'metadata',
    rows: [['logoURI', absent, asNull]],
  }),
];

const values: readonly Mutant[] = [
  bodyMutant(
    'tokens',
    'token-info/address-without-0x',
    '2.6 address',
    'token-info/address-hex',
    'one address lacks its 0x',
    ([first]) => {
      if (first) first.address = first.address.slice(2);
    },
  ),
  bodyMutant(
    'tokens',
    'token-info/listed-twice',
    '2.6 address',
    'token-info/address-unique',
    'the first token comes once more, in lower case',
    (list) => {
      const [first] = list;
      if (first) list.push({ ...first, address: first.address.toLowerCase() });
    },
  ),
  bodyMutant(
    'tokens',
    'token-info/not-tradable',
    '1.4 lookups',
    'lookups/tokens-tradable',
    'a token is listed first that /swap does not know',
    (list) => {
      const [first] = list;
      if (first) list.unshift({ ...first, address: `0x${'7'.repeat(40)}`, symbol: 'GHOST' });
    },
  ),
  bodyMutant(
    'tokens',
    'tokens/none',
    '1.4 lookups',
    'tokens/not-empty',
    '/tokens lists nothing',
    () => [],
  ),
  {
    id: 'tokens/of-another-chain',
    clause: '1.4 lookups',
    caughtBy: 'lookups/tokens-tradable',
    title: '/tokens lists the tokens of the first chain for every chain',
    middleware: () =>
      alterRequest('tokens', (query) => {
        if (query.get('chainId') === '31338') query.set('chainId', '31337');
      }),
  },
  {
    id: 'tokens/of-another-chain-at-times',
    clause: '2.6 decimals',
    caughtBy: 'token-info/repeats',
    title: 'one list in ten is that of another chain',
    middleware: everyNth(10, 'tokens', () =>
      alterRequest('tokens', (query) => {
        const chainId = query.get('chainId');
        if (chainId === '31337') query.set('chainId', '31338');
        if (chainId === '31338') query.set('chainId', '31337');
      }),
    ),
  },
  {
    id: 'token-info/decimals-change',
    clause: '2.6 decimals',
    caughtBy: 'token-info/repeats',
    title: 'every second reply tells 18 decimals of tokens that have 6',
    middleware: everySecond('tokens', (list) => {
      for (const token of list) if (token.decimals === 6) token.decimals = 18;
    }),
  },
  bodyMutant(
    'tokens',
    'token-info/logo-path',
    '2.6 logoURI',
    'token-info/logo-url',
    '`logoURI` is a path without a host',
    (list) => {
      for (const { metadata } of list) metadata.logoURI = '/logo.png';
    },
  ),
];

/** @see Specification 2.6 */
export const tokenInfoMutants: readonly Mutant[] = [...shapes, ...values];
