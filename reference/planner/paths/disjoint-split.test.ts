import { describe, expect, test } from 'vitest';
import { allPathsOf, marketOf, pairPool } from '../planner.testing.ts';
import { splitAmongPaths } from './disjoint-split.ts';

describe('splitAmongPaths', () => {
  test('the path with the best rate costs more than it gains -> the other path', () => {
    const deep = pairPool([0, 3], 10n ** 24n, 10n ** 24n + 10n ** 21n);
    const shallow = pairPool([0, 3], 10n ** 20n, 10n ** 20n);
    const paths = allPathsOf(marketOf([deep, shallow]));
    const goal = { kind: 'input', amount: 1e15 } as const;
    const costOf = ({ pool }: { readonly pool: unknown }) => (pool === deep ? 2e12 : 1e11);
    const split = splitAmongPaths(paths, goal, { costOf });
    expect(split?.paths.flatMap(({ arcs }) => arcs.map(({ pool }) => pool))).toEqual([shallow]);
  });
});
