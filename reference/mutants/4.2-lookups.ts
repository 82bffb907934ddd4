import { alike, type MutantTable, type Operation } from './faults/mutant.ts';
import { fill, read } from './faults/requests.ts';

/** Careless readings of the one parameter of a lookup. */
const lookup = (of: Operation, rule: string): MutantTable =>
  alike({ of })({
    [`${rule}/chain-id-optional`]: {
      caughtBy: `${rule}/asked-chain-id`,
      title: `/${of} without \`chainId\` answers for the first chain`,
      query: fill('chainId', '31337'),
    },
    [`${rule}/chain-id-cut`]: {
      caughtBy: `${rule}/asked-chain-id`,
      title: `/${of} reads \`chainId\` up to its first letter`,
      query: read('chainId', /^([0-9]+)[a-z]+$/, '$1'),
    },
    [`${rule}/unknown-chain-as-the-first`]: {
      caughtBy: `${rule}/asked-chain-id`,
      title: `/${of} answers for the first chain where it does not know the chain`,
      query: read('chainId', /^987654321987$/, '31337'),
    },
    [`${rule}/chain-id-of-32-bits`]: {
      caughtBy: `${rule}/asked-chain-id`,
      title: `/${of} reads the last 32 bits of \`chainId\``,
      query: read('chainId', /^[0-9]{10,15}$/, (text) => String(BigInt.asUintN(32, BigInt(text)))),
    },
  });

/** @see Specification 4.2 and 4.4 */
export const lookupMutants: MutantTable = {
  ...lookup('tokens', 'tokens'),
  ...lookup('chainInfo', 'chain-info'),
};
