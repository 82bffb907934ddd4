import { bodyMutant } from './body-mutant.ts';
import { absent, asArray, asFraction, asNull, asText, fieldMutants } from './fields.ts';
import type { Mutant } from './mutant.ts';

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
