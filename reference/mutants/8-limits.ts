import type { RouteToken, SwapResponse } from '../../conformance/contract/resources.ts';
import type { Change } from './alter-reply.ts';
import { bodyMutant, planMutant } from './body-mutant.ts';
import type { Mutant } from './mutant.ts';

/** Spells every amount of a plan anew. */
function spelled(spell: (amount: string) => string): Change<SwapResponse> {
  return ({ sell, buy, routes }) => {
    const legs: RouteToken[] = routes.flatMap((route) => [...route.fromTokens, ...route.toTokens]);
    for (const leg of [sell, buy, ...legs]) leg.amount = spell(leg.amount);
  };
}

function amountMutant(id: string, title: string, spell: (amount: string) => string): Mutant {
  const caughtBy = 'limits/amounts-decimal';
  return planMutant(`limits/${id}`, '8 payload amounts', caughtBy, title, spelled(spell));
}

/** @see Specification 8 */
export const limitMutants: readonly Mutant[] = [
  bodyMutant(
    'swap',
    'limits/nineteen-decimals',
    '8 decimals',
    'limits/plan-decimals',
    'tokens of 18 decimals have 19 in plans',
    ({ tokens }) => {
      for (const token of tokens) if (token.decimals === 18) token.decimals = 19;
    },
  ),
  bodyMutant(
    'swap',
    'limits/decimals-below-zero',
    '8 decimals',
    'limits/plan-decimals',
    'tokens without decimals have -1 in plans',
    ({ tokens }) => {
      for (const token of tokens) if (token.decimals === 0) token.decimals = -1;
    },
  ),
  bodyMutant(
    'tokens',
    'limits/listed-with-24-decimals',
    '8 decimals',
    'limits/listed-decimals',
    'the last token is listed with 24 decimals',
    (tokens) => {
      const last = tokens.at(-1);
      if (last) last.decimals = 24;
    },
  ),
  amountMutant('amounts-in-hex', 'amounts are in hex', (text) => `0x${BigInt(text).toString(16)}`),
  amountMutant('amounts-with-a-fraction', 'amounts end with .0', (text) => `${text}.0`),
  amountMutant('amounts-with-a-sign', 'amounts begin with +', (text) => `+${text}`),
  amountMutant('amounts-in-groups', 'amounts have separators', (text) =>
    text.replace(/\B(?=(\d{3})+$)/g, ','),
  ),
  amountMutant('amounts-with-an-exponent', 'amounts from 10^21 on have an exponent', (text) =>
    text.length > 21 ? String(Number(text)) : text,
  ),
  planMutant(
    'limits/amounts-padded',
    '0 amounts',
    'limits/amounts-canonical',
    'amounts are padded to 40 digits with zeros',
    spelled((text) => text.padStart(40, '0')),
  ),
  planMutant(
    'limits/amounts-beyond-256-bits',
    '8 payload amounts',
    'limits/amounts-fit-uint256',
    'what a route yields wraps below zero: 2^256 is added to what goes through the first pool',
    ({ routes: [first] }) => {
      const [leg] = first?.toTokens ?? [];
      if (leg) leg.amount = String(BigInt(leg.amount) + (1n << 256n));
    },
  ),
];
