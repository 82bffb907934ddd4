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
  // A package of contracts builds chains for tests, and never ships.
  ['GPL-3.0', false, false, 'canonical-weth'],
  ['GPL-3.0', true, true, 'canonical-weth'],
])('%s, shipped: %s -> refused: %s', (licence, ships, isRefused, name = 'some-package') => {
  const dependency = { name, version: '1.0.0', licence, ships };
  expect(incompatible([dependency])).toEqual(isRefused ? [dependency] : []);
});
