import { fieldMutants } from './faults/fields.ts';
import type { MutantTable } from './faults/mutant.ts';
import { everyNth } from './faults/occasions.ts';
import { put } from './faults/put.ts';
import { read } from './faults/requests.ts';

/** @see Specification 2.6 */
export const tokenInfoMutants: MutantTable = {
  ...fieldMutants({
    rules: 'token-info/',
    reply: 'tokens',
    path: '*',
    fields: {
      address: ['absent', 'null'],
      name: ['absent', 'null'],
      symbol: ['null', 'as-array'],
      decimals: ['absent', 'as-text', 'as-fraction'],
      metadata: ['absent', 'null'],
    },
  }),
  ...fieldMutants({
    rules: 'token-info/metadata-',
    reply: 'tokens',
    path: '*.metadata',
    fields: { logoURI: ['absent', 'null'] },
  }),
  'token-info/address-without-0x': {
    caughtBy: 'token-info/address-hex',
    title: 'one address lacks its 0x',
    tokens: put('0', ({ address }) => ({ address: address.slice(2) })),
  },
  'token-info/listed-twice': {
    caughtBy: 'token-info/address-unique',
    title: 'the first token comes once more, in lower case',
    tokens: (list) => [...list, { ...list[0], address: list[0]?.address.toLowerCase() }],
  },
  'token-info/not-tradable': {
    caughtBy: 'lookups/tokens-tradable',
    title: 'a token is listed first that /swap does not know',
    tokens: (list) => [{ ...list[0], address: `0x${'7'.repeat(40)}`, symbol: 'GHOST' }, ...list],
  },
  'tokens/none': {
    caughtBy: 'tokens/not-empty',
    title: '/tokens lists nothing',
    tokens: () => [],
  },
  'tokens/of-another-chain': {
    caughtBy: 'lookups/tokens-tradable',
    title: '/tokens lists the tokens of the first chain for every chain',
    of: 'tokens',
    query: read('chainId', /^31338$/, '31337'),
  },
  'tokens/of-another-chain-at-times': {
    caughtBy: 'token-info/repeats',
    title: 'one list in ten is that of another chain',
    when: everyNth(10, 'tokens'),
    of: 'tokens',
    query: read('chainId', /^3133[78]$/, (id) => (id === '31337' ? '31338' : '31337')),
  },
  'token-info/decimals-change': {
    caughtBy: 'token-info/repeats',
    title: 'every second reply gives 18 decimals to tokens that have 6',
    when: everyNth(2, 'tokens'),
    tokens: put('*', ({ decimals }) => decimals === 6 && { decimals: 18 }),
  },
  'token-info/logo-path': {
    caughtBy: 'token-info/logo-url',
    title: '`logoURI` is a path without a host',
    tokens: put('*.metadata', { logoURI: '/logo.png' }),
  },
};
