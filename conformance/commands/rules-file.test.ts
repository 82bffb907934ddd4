import { describe, expect, test } from 'vitest';
import { useFolder } from '../../scripts/use-folder.testing.ts';
import { readRules } from './rules-file.ts';

const { at, write } = useFolder();
const rule = (id: string) =>
  `{ kind: 'reply', id: '${id}', title: 'is short', endpoint: 'swap', judge: () => true }`;

describe('readRules', () => {
  test.each([
    ['rules', `export const rules = [${rule('a')}, ${rule('b')}]`, ['own/a', 'own/b']],
    ['default', `export default ${rule('c')}`, ['own/c']],
    [
      'names',
      `export const one = ${rule('d')}; export const two = [${rule('e')}]`,
      ['own/d', 'own/e'],
    ],
  ])('exported as %s -> read', async (name, text, ids) => {
    const rules = await readRules([write(`${name}.mjs`, text)]);
    expect(rules.map(({ id }) => id)).toEqual(ids);
  });

  test('two files -> one list, whose ids are told apart', async () => {
    const files = [write('f.mjs', `export default ${rule('f')}`), at('g.mjs')] as const;
    write('g.mjs', `export default ${rule('f')}`);
    await expect(readRules(files)).rejects.toThrow(/f\.mjs and .*g\.mjs: rule 2 has the id "f"/);
  });

  test.each([
    ['empty.mjs', '', /empty\.mjs: exports no rule: expected `export const rules/],
    ['number.mjs', 'export const rules = 1', /number\.mjs: rule 1 is 1: expected an object/],
    ['torn.mjs', 'export const\n rules = [', /torn\.mjs: cannot be loaded: /],
    ['throws.mjs', "throw new Error('no luck')", /throws\.mjs: cannot be loaded: no luck$/],
    ['needs.mjs', "import 'no-such-package'", /cannot be loaded: Cannot find package/],
  ])('%s -> refused in one sentence', async (name, text, message) => {
    const refused = readRules([write(name, text)]);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ name: 'UsageError' });
    await expect(refused).rejects.not.toThrow(/\n/);
  });

  test('no file -> refused', async () => {
    await expect(readRules([at('none.mjs')])).rejects.toThrow(
      /none\.mjs: cannot be read \(ENOENT\)$/,
    );
  });
});
