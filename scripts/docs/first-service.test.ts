import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startFixtureChain } from '../../fixtures/chains/fixture-chain.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import {
  exampleFile,
  failedRules,
  judgeProgram,
  LANGUAGES,
  MISTAKES,
  programAfter,
} from './first-service.testing.ts';

const page = readFileSync(new URL('../../docs/getting-started.md', import.meta.url), 'utf8');

/**
 * The rules that fail after 0, 1, 2 and more mistakes have been fixed. Some mistakes hide others.
 */
const FAILED_AFTER: readonly (readonly string[])[] = [
  [
    'trade-token/amount',
    'route-token/amount',
    'swap/exactly-one-amount',
    'swap/native-aliases-accepted',
  ],
  [
    'route-token/moves-something',
    'swap/exactly-one-amount',
    'swap/native-aliases-accepted',
    'relation/native-aliases',
  ],
  ['route-token/moves-something', 'swap/exactly-one-amount'],
  ['route-token/moves-something'],
  [],
];

test.each(FAILED_AFTER.map((failed, fixed) => ({ fixed, failed })))(
  'getting started, $fixed mistakes fixed -> exactly the remaining mistakes fail',
  async ({ fixed, failed }) => {
    const { at, write } = useFolder(onTestFinished);
    write('service.mjs', programAfter('node', fixed));
    const report = await judgeProgram([process.execPath, at('service.mjs')]);
    expect(failedRules(report)).toEqual(failed);
    if (failed.length > 0) return;
    // The number of rules changes whenever a rule is added.
    const [transcript] = /^CONFORMING: .*$/m.exec(page) ?? [];
    const withoutNumbers = (text = '') => text.replace(/\d+/g, 'N');
    expect(withoutNumbers(transcript)).toBe(withoutNumbers(`CONFORMING: ${report.reason}`));
  },
);

test('each step -> its rule fails before the fix, and not after it', () => {
  for (const [at, { rule }] of MISTAKES.entries()) {
    expect(FAILED_AFTER.slice(0, at + 1).flat()).toContain(rule);
    expect(FAILED_AFTER.slice(at + 1).flat()).not.toContain(rule);
  }
});

test('getting started, the session with --watch -> its failure', async () => {
  const { at, write } = useFolder(onTestFinished);
  const [right, wrong] = MISTAKES[2]?.node ?? [];
  const program = programAfter('node', MISTAKES.length).replace(`${right}`, `${wrong}`);
  write('service.mjs', program);
  const only = ['swap/exactly-one-amount'];
  const { rules, reason } = await judgeProgram([process.execPath, at('service.mjs')], { only });
  expect(reason).toContain('1 `must` rule failed: swap/exactly-one-amount.');
  expect(page).toContain('\nNONCONFORMING: 1 `must` rule failed: swap/exactly-one-amount.');
  expect(page).toContain(`\n  Actual: ${rules[0]?.failures[0]?.actual}\n`);
});

test.each(LANGUAGES)(
  'getting started in %s -> shows the first version and each fix',
  (language, extension) => {
    const first = readFileSync(exampleFile(`service-first.${extension}`), 'utf8');
    expect(first).toBe(programAfter(language, 0));
    expect(page).toContain(`\n${first}\`\`\`\n`);
    for (const mistake of MISTAKES) {
      expect(page).toContain(mistake.rule);
      for (const text of mistake[language]) expect(page).toContain(text);
    }
  },
);

test('getting started, settlement -> the pool pays the quoted amount, but less than a quote with a wrong fee', async () => {
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
  const { rules: correct } = await judge(program);
  expect(correct.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass']);
  const { rules: wrong } = await judge(program.replaceAll('997n', '998n'));
  const { failures = [] } = wrong.find(({ outcome }) => outcome === 'fail') ?? {};
  for (const text of [failures[0]?.expected, failures[0]?.actual]) expect(page).toContain(text);
});
