import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startFixtureChain } from '../../fixtures/chains/fixture-chain.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { judgeProgram, MISTAKES, programAfter } from './first-service.testing.ts';

const page = readFileSync(new URL('../../docs/getting-started.md', import.meta.url), 'utf8');

test.each(MISTAKES.map((mistake, index) => ({ ...mistake, index })))(
  'getting started, step $index -> fails $rule until it is fixed',
  async ({ rule, index }) => {
    const { at, write } = useFolder(onTestFinished);
    const outcomes: (string | undefined)[] = [];
    for (const fixed of [index, index + 1]) {
      write('service.mjs', programAfter('node', fixed));
      const report = await judgeProgram([process.execPath, at('service.mjs')], { only: [rule] });
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

test('getting started, settling -> the pool pays what is quoted, and less than a wrong fee quotes', async () => {
  const chain = await startFixtureChain(31337);
  onTestFinished(() => chain.stop());
  const { at, write } = useFolder(onTestFinished);
  const program = programAfter('node', MISTAKES.length);
  const rules = ['through-pools', 'token-decimals', 'pools-are-contracts'];
  const judge = async (text: string) => {
    write('service.mjs', text);
    return judgeProgram([process.execPath, at('service.mjs')], {
      only: rules.map((rule) => `execution/${rule}`),
      forks: [{ chainId: 31337, rpcUrl: chain.url }],
    });
  };
  const { rules: sound } = await judge(program);
  expect(sound.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass']);
  const { rules: wrong } = await judge(program.replaceAll('997n', '998n'));
  const { failures = [] } = wrong.find(({ outcome }) => outcome === 'fail') ?? {};
  for (const text of [failures[0]?.expected, failures[0]?.actual]) expect(page).toContain(text);
});
