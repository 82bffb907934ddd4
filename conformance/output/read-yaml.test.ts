import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createStepCounter, type StepCounter } from '../../fixtures/testing/growth.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';

let steps: StepCounter;
let readYaml: typeof import('./read-yaml.ts').readYaml;
beforeAll(async () => {
  steps = createStepCounter();
  ({ readYaml } = await steps.load(() => import('./read-yaml.ts')));
});
afterAll(() => steps.stop());

const file = (text: string) => useFolder(onTestFinished).write('a.yaml', text);

describe('readYaml', () => {
  test('values, comments and anchors -> the value', () => {
    expect(readYaml(file('a: &x [1, two] # three\nb: *x\n1: 2'))).toEqual({
      ...{ a: [1, 'two'], b: [1, 'two'] },
      1: 2,
    });
  });

  test.each([
    ['a key twice', 'name: a\nb: {c: 1}\nname: b', "the key 'name' appears twice (line 3)"],
    ['a number twice', "1: a\n'1': b", "the key '1' appears twice (line 2)"],
    ['a bad indent', 'a: [1,\n b', 'Flow sequence in block collection must be'],
    ['100,000 brackets', '['.repeat(100_000), 'nested too deeply'],
    ['200 aliases', `a: &a [1,2]\nb: [${'*a,'.repeat(200)}]`, 'Excessive alias count'],
  ])('%s -> rejected with the reason', (_, text, message) => {
    expect(() => readYaml(file(text))).toThrow(message);
  });

  test('an unknown tag or directive -> no warning, which would contain text from the file', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    readYaml(file('a: !tag b'));
    readYaml(file('%FOO \u001b[31m ::error::x\n---\na: 1'));
    expect(warn).not.toHaveBeenCalled();
  });

  test.each([
    ['keys', (size: number) => Array.from({ length: size }, (_, n) => `k${n}: ${n}`).join('\n')],
    ['flow keys', (size: number) => `{${Array.from({ length: size }, (_, n) => `k${n}: 1`)}}`],
    ['items', (size: number) => '- a\n'.repeat(size)],
    ['comments', (size: number) => `${'# c\n'.repeat(size)}a: 1`],
    ['anchors', (size: number) => Array.from({ length: size }, (_, n) => `- &a${n} 1`).join('\n')],
  ])('many %s -> linear steps', async (_, textOf) => {
    await steps.expectLinear((size) => {
      const path = file(textOf(size));
      return () => readYaml(path);
    }, 300);
  });
});
