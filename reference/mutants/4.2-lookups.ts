import { readLeniently } from './alter-request.ts';
import { absentAs, digitsOf, matching, mutantsOf, type Row } from './lenient-reading.ts';
import type { Mutant } from './mutant.ts';

const readings: readonly Row[] = (
  [
    ['tokens', 'tokens', '4.2 chainId'],
    ['chainInfo', 'chain-info', '4.4 chainId'],
  ] as const
).flatMap(([operation, slug, clause]): Row[] => [
  [
    `${slug}/chain-id-optional`,
    clause,
    `${slug}/asked-chain-id`,
    `/${operation} without \`chainId\` answers for the first chain`,
    () => readLeniently(operation, 'chainId', absentAs('31337')),
  ],
  [
    `${slug}/chain-id-cut`,
    clause,
    `${slug}/asked-chain-id`,
    `/${operation} reads \`chainId\` up to its first letter`,
    () => readLeniently(operation, 'chainId', matching(/^[0-9]+[a-z]+$/, digitsOf)),
  ],
  [
    `${slug}/unknown-chain-as-the-first`,
    clause,
    `${slug}/asked-chain-id-strict`,
    `/${operation} answers for the first chain where it does not know the chain`,
    () =>
      readLeniently(
        operation,
        'chainId',
        matching(/^987654321987$/, () => '31337'),
      ),
  ],
  [
    `${slug}/chain-id-of-32-bits`,
    clause,
    `${slug}/asked-chain-id-strict`,
    `/${operation} reads the last 32 bits of \`chainId\``,
    () =>
      readLeniently(
        operation,
        'chainId',
        matching(/^[0-9]{10,15}$/, (text) => String(BigInt.asUintN(32, BigInt(text)))),
      ),
  ],
]);

/** @see Specification 4.2 and 4.4 */
export const lookupMutants: readonly Mutant[] = mutantsOf(readings);
