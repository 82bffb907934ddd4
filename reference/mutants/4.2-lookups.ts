import { misreads } from './faults/misreads.ts';
import type { MutantTable, Operation } from './faults/mutant.ts';

/** Careless readings of the one parameter of a lookup. */
const lookup = (of: Operation, rule: string): MutantTable =>
  misreads(
    { of, name: 'chainId', ids: `${rule}/`, caughtBy: `${rule}/asked-chain-id` },
    {
      'chain-id-optional': [
        `/${of} without \`chainId\` answers for the first chain`,
        undefined,
        '31337',
      ],
      'chain-id-cut': [`/${of} reads \`chainId\` up to its first letter`, /^([0-9]+)[a-z]+$/, '$1'],
      'unknown-chain-as-the-first': [
        `/${of} answers for the first chain where it does not know the chain`,
        /^987654321987$/,
        '31337',
      ],
      'chain-id-of-32-bits': [
        `/${of} reads the last 32 bits of \`chainId\``,
        /^[0-9]{10,15}$/,
        (text) => String(BigInt.asUintN(32, BigInt(text))),
      ],
    },
  );

/** @see Specification 4.2 and 4.4 */
export const lookupMutants: MutantTable = {
  ...lookup('tokens', 'tokens'),
  ...lookup('chainInfo', 'chain-info'),
};
