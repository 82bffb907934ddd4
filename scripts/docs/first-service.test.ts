import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../tests/helpers/use-folder.testing.ts';
import { judgeProgram, MISTAKES, programAfter } from './first-service.testing.ts';

const page = readFileSync(new URL('../../docs/getting-started.md', import.meta.url), 'utf8');

test.each(MISTAKES.map((mistake, index) => ({ ...mistake, index })))(
  'getting started, step $index -> fails $rule until it is fixed',
  async ({ rule, index }) => {
    const { at, write } = useFolder(onTestFinished);
    const outcomes: (string | undefined)[] = [];
    for (const fixed of [index, index + 1]) {
      write('service.mjs', programAfter('node', fixed));
      const report = await judgeProgram([process.execPath, at('service.mjs')], [rule]);
      outcomes.push(report.rules.find(({ id }) => id === rule)?.outcome);
    }
    expect(outcomes).toEqual(['fail', 'pass']);
  },
);

test('getting started -> shows each mistake and its fix in both languages', () => {
  for (const { rule, node, python } of MISTAKES) {
    expect(page).toContain(rule);
    for (const text of [...node, ...python]) expect(page).toContain(text);
  }
  expect(programAfter('python', MISTAKES.length)).toContain('def swap(query)');
});
