import { alterRequest } from './alter-request.ts';
import {
  digitsOf,
  matching,
  mutantsOf,
  type Read,
  type Row,
  SOME,
  swapReads,
} from './lenient-reading.ts';
import type { Mutant } from './mutant.ts';

const amounts: readonly Row[] = (['sellAmount', 'buyAmount'] as const).flatMap((name): Row[] => {
  const rule = name === 'sellAmount' ? 'swap/sell-amount' : 'swap/buy-amount';
  const clause = `4.1 ${name}`;
  const reads = (read: Read) => swapReads(name, read);
  return [
    [
      `${rule}-of-zero`,
      clause,
      rule,
      `\`${name}=0\` is answered with a plan of some amount`,
      reads(matching(/^0$/, () => SOME)),
    ],
    [
      `${rule}-negative`,
      clause,
      rule,
      `the sign of a negative \`${name}\` is dropped`,
      reads(matching(/^-[1-9][0-9]+$/, digitsOf)),
    ],
    [
      `${rule}-cut-at-the-point`,
      clause,
      rule,
      `a fraction in \`${name}\` is cut off`,
      reads(matching(/^[1-9][0-9]*\.[1-9]+$/, digitsOf)),
    ],
    [
      `${rule}-in-hex`,
      clause,
      rule,
      `\`${name}\` may be in hex`,
      reads(matching(/^0x[0-9a-f]+$/, (text) => String(BigInt(text)))),
    ],
    [
      `${rule}-with-an-exponent`,
      clause,
      rule,
      `\`${name}\` may have an exponent`,
      reads(matching(/^[0-9]+e0$/, digitsOf)),
    ],
    [
      `${rule}-with-a-sign`,
      clause,
      `${rule}-strict`,
      `\`${name}\` may have a plus sign`,
      reads(matching(/^\+[0-9]+$/, digitsOf)),
    ],
    [
      `${rule}-padded`,
      clause,
      `${rule}-strict`,
      `\`${name}\` may be padded with zeros`,
      reads(matching(/^0+[1-9][0-9]*$/, (text) => String(BigInt(text)))),
    ],
  ];
});

const pairs: readonly Row[] = [
  [
    'swap/both-amounts',
    '4.1 rule 1',
    'swap/exactly-one-amount',
    'of both amounts `sellAmount` counts',
    () =>
      alterRequest('swap', (query) => {
        if (query.get('sellAmount') && query.get('buyAmount')) query.delete('buyAmount');
      }),
  ],
  [
    'swap/undefined-beside-an-amount',
    '4.1 rule 1',
    'swap/exactly-one-amount',
    'an amount of undefined is taken for none beside the other',
    () =>
      alterRequest('swap', (query) => {
        if (query.get('buyAmount') && query.get('sellAmount') === 'undefined') {
          query.delete('sellAmount');
        }
      }),
  ],
  [
    'swap/sell-amount-in-brackets',
    '4.1 sellAmount',
    'swap/sell-amount-strict',
    '`sellAmount[]` is read as `sellAmount`',
    () =>
      alterRequest('swap', (query) => {
        const inBrackets = query.get('sellAmount[]');
        if (inBrackets !== null && !query.has('sellAmount')) query.set('sellAmount', inBrackets);
      }),
  ],
  [
    'swap/zero-beside-an-amount',
    '4.1 rule 1',
    'swap/exactly-one-amount',
    'an amount of 0 is taken for none beside the other',
    () =>
      alterRequest('swap', (query) => {
        if (query.get('sellAmount') && query.get('buyAmount') === '0') query.delete('buyAmount');
      }),
  ],
  [
    'swap/neither-amount',
    '4.1 rule 1',
    'swap/exactly-one-amount',
    'without an amount some amount is planned',
    () =>
      alterRequest('swap', (query) => {
        if (!query.has('sellAmount') && !query.has('buyAmount')) query.set('sellAmount', SOME);
      }),
  ],
  [
    'swap/two-faults-as-none',
    '4.1 rule 6',
    'swap/invalid-parameters',
    'where chain and amount are both invalid, a plan of the first chain comes',
    () =>
      alterRequest('swap', (query) => {
        const isBroken = (name: string) => !/^[1-9][0-9]*$/.test(query.get(name) ?? '');
        if (!query.has('sellAmount') || !isBroken('chainId') || !isBroken('sellAmount')) return;
        query.set('chainId', '31337');
        query.set('sellAmount', SOME);
      }),
  ],
];

/** @see Specification 4.1 sellAmount, buyAmount and rule 1 */
export const amountMutants: readonly Mutant[] = mutantsOf([...amounts, ...pairs]);
