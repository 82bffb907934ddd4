import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startFixtureChain } from '../../fixtures/chains/fixture-chain.ts';
import { startProgram } from '../../fixtures/testing/start-program.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { judgeProgram, MISTAKES, programAfter, withService } from './first-service.testing.ts';

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

test('getting started, settling -> a plan settles on a local chain for exactly the quoted amount', async () => {
  const chain = await startFixtureChain(31337);
  onTestFinished(() => chain.stop());
  const [service, settle] = ['service', 'settle'].map((name) =>
    fileURLToPath(new URL(`../../examples/first-service/${name}.mjs`, import.meta.url)),
  ) as [string, string];
  const { stdout, stderr } = await withService(
    [process.execPath, service],
    (url) => startProgram(process.execPath, [settle, url, chain.url]).ended,
  );
  expect(stderr).toBe('');
  const [, quoted] = /^quoted: +(\d+) /m.exec(stdout) ?? [];
  expect(stdout).toContain(`received: ${quoted} base units of USDC (success)`);
});
