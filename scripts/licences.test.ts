import { expect, test } from 'vitest';
import { incompatible, listDependencies } from './licences.ts';

test('what is installed -> carries only licences that it may', () => {
  const dependencies = listDependencies();
  expect(dependencies.filter(({ ships }) => ships).length).toBeGreaterThan(50);
  expect(dependencies.find(({ name }) => name === 'koa')).toMatchObject({
    licence: 'MIT',
    ships: true,
  });
  expect(incompatible(dependencies)).toEqual([]);
});

test.each([
  ['GPL-3.0-or-later', true, true],
  ['GPL-3.0-or-later', false, true],
  ['GPL-3.0-or-later OR MIT', true, false],
  ['MIT AND GPL-2.0', true, true],
  ['MPL-2.0', true, true],
  ['MPL-2.0', false, false],
  ['NOASSERTION', false, true],
  ['SEE LICENSE IN LICENSE.txt', true, true],
])('%s, shipped: %s -> refused: %s', (licence, ships, isRefused) => {
  const dependency = { name: 'some-package', version: '1.0.0', licence, ships };
  expect(incompatible([dependency])).toEqual(isRefused ? [dependency] : []);
});

test('a package of contracts -> builds chains for tests, and never ships', () => {
  const weth = { name: 'canonical-weth', version: '1.4.0', licence: 'GPL-3.0' };
  expect(incompatible([{ ...weth, ships: false }])).toEqual([]);
  expect(incompatible([{ ...weth, ships: true }])).toHaveLength(1);
});
