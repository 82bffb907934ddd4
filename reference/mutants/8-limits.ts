import type { SwapResponse } from '../../conformance/contract/resources.ts';
import { alike, type Change, type MutantTable } from './faults/mutant.ts';
import { addTo } from './faults/plans.ts';
import { put } from './faults/put.ts';

/** Spells every amount of a plan anew. */
function spelled(spell: (amount: string) => string): Change<SwapResponse> {
  return ({ sell, buy, routes }) => {
    const legs = routes.flatMap(({ fromTokens, toTokens }) => [...fromTokens, ...toTokens]);
    for (const leg of [sell, buy, ...legs]) leg.amount = spell(leg.amount);
  };
}

/** @see Specification 8 */
export const limitMutants: MutantTable = {
  'limits/nineteen-decimals': {
    caughtBy: 'limits/plan-decimals',
    title: 'tokens of 18 decimals have 19 in plans',
    plan: put('tokens.*', ({ decimals }) => decimals === 18 && { decimals: 19 }),
  },
  'limits/decimals-below-zero': {
    caughtBy: 'limits/plan-decimals',
    title: 'tokens without decimals have -1 in plans',
    plan: put('tokens.*', ({ decimals }) => decimals === 0 && { decimals: -1 }),
  },
  'limits/listed-with-24-decimals': {
    caughtBy: 'limits/listed-decimals',
    title: 'the last token is listed with 24 decimals',
    tokens: put('-1', { decimals: 24 }),
  },
  ...alike({ caughtBy: 'limits/amounts-decimal' })({
    'limits/amounts-in-hex': {
      title: 'amounts are in hex',
      plan: spelled((text) => `0x${BigInt(text).toString(16)}`),
    },
    'limits/amounts-with-a-fraction': {
      title: 'amounts end with .0',
      plan: spelled((text) => `${text}.0`),
    },
    'limits/amounts-with-a-sign': {
      title: 'amounts begin with +',
      plan: spelled((text) => `+${text}`),
    },
    'limits/amounts-in-groups': {
      title: 'amounts have separators',
      plan: spelled((text) => text.replace(/\B(?=(\d{3})+$)/g, ',')),
    },
    'limits/amounts-with-an-exponent': {
      title: 'amounts from 10^21 on have an exponent',
      plan: spelled((text) => (text.length > 21 ? String(Number(text)) : text)),
    },
  }),
  'limits/amounts-padded': {
    caughtBy: 'limits/amounts-canonical',
    title: 'amounts are padded to 40 digits with zeros',
    plan: spelled((text) => text.padStart(40, '0')),
  },
  'limits/amounts-beyond-256-bits': {
    caughtBy: 'limits/amounts-fit-uint256',
    title:
      'what a route yields wraps below zero: 2^256 is added to what goes through the first pool',
    plan: ({ routes: [first] }) => addTo(first?.toTokens[0], 1n << 256n),
  },
};
