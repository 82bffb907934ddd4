import { describe, expect, test } from 'vitest';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { createCheckCommand } from './check-command.ts';
import { readRules } from './rules-file.ts';

const { at, readJson, write } = useFolder();
const rule = (id: string) =>
  `{ kind: 'reply', id: '${id}', title: 'is short', endpoint: 'swap', check: (_, t) => t.check() }`;

describe('readRules', () => {
  test.each([
    ['rules', `export const rules = [${rule('a')}, ${rule('b')}]`, ['a', 'b']],
    ['default', `export default ${rule('c')}`, ['c']],
    ['names', `export const one = ${rule('d')}; export const two = [${rule('e')}]`, ['d', 'e']],
  ])('exported as %s -> read', async (name, text, ids) => {
    const rules = await readRules([write(`${name}.mjs`, text)]);
    expect(rules.map(({ id }) => id)).toEqual(ids);
  });

  test('two files -> one list with distinct ids', async () => {
    const files = [write('f.mjs', `export default ${rule('f')}`), at('g.mjs')] as const;
    write('g.mjs', `export default ${rule('f')}`);
    await expect(readRules(files)).rejects.toThrow(
      /f\.mjs and .*g\.mjs: rule 2 has the same id "f"/,
    );
  });

  test.each([
    ['empty.mjs', '', /empty\.mjs: exports no rule: expected `export const rules/],
    [
      'number.mjs',
      'export const rules = 1',
      /number\.mjs: rule 1 is 1: expected the result of defineRule/,
    ],
    ['torn.mjs', 'export const\n rules = [', /torn\.mjs: cannot be loaded: /],
    ['throws.mjs', "throw new Error('no luck')", /throws\.mjs: cannot be loaded: no luck$/],
    ['needs.mjs', "import 'no-such-package'", /cannot be loaded: Cannot find package/],
  ])('%s -> rejected in one sentence', async (name, text, message) => {
    const rejection = readRules([write(name, text)]);
    await expect(rejection).rejects.toThrow(message);
    await expect(rejection).rejects.toMatchObject({ name: 'UsageError' });
    await expect(rejection).rejects.not.toThrow(/\n/);
  });

  test('a missing file -> rejected', async () => {
    await expect(readRules([at('none.mjs')])).rejects.toThrow(
      /none\.mjs: cannot be read \(ENOENT\)$/,
    );
  });
});

test('check --rules -> the rules judge captured replies, and exit 1 if one fails', async () => {
  const broken = rule('broken').replace('check()', "check({ expected: 'a', actual: 'b' })");
  const rules = write(
    'both.mjs',
    `export default [${rule('kept')}, ${broken}]`.replaceAll('swap', 'chains'),
  );
  const replies = write('chains.json', [{ chainId: 1, name: 'One' }]);
  const report = `json=${at('report.json')}`;
  const args = [replies, '--rules', rules, '--only', 'own', '--report', report];
  expect(await runCommand(createCheckCommand(), args)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/Of your own rules, 1 failed: own\/broken\.$/m),
  });
  expect(readJson('report.json')).toMatchObject({ own: { verdict: 'broken' } });
});
