import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import {
  findOptionalProgram,
  findProgram,
} from '../../fixtures/testing/external-programs.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { exampleFile, failedRules, judgeProgram } from './first-service.testing.ts';

type Command = readonly [string, ...string[]];

/**
 * Judges the first and the last version of the service. `commandOf` returns the command that runs a
 * file.
 */
async function judgeVersions(extension: string, commandOf: (file: string) => Command) {
  const judge = (name: string) =>
    judgeProgram(commandOf(fileURLToPath(exampleFile(`${name}.${extension}`))));
  const first = await judge('service-first');
  expect(failedRules(first)).toEqual([
    'trade-token/amount',
    'route-token/amount',
    'swap/exactly-one-amount',
    'swap/native-aliases-accepted',
  ]);
  const last = await judge('service');
  expect([last.verdict, failedRules(last)]).toEqual(['conforming', []]);
}

test('the service of getting started in Python -> the first version fails, the last conforms', () =>
  judgeVersions('py', (file) => [findProgram('python3'), file]));

const go = findOptionalProgram('go');

test.skipIf(go === undefined)(
  'the service of getting started in Go -> the first version fails, the last conforms',
  () =>
    judgeVersions('go', (file) => {
      const program = useFolder(onTestFinished).at('service');
      execFileSync(go ?? '', ['build', '-o', program, file]);
      return [program];
    }),
);
