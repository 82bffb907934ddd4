import { expect, onTestFinished, test } from 'vitest';
import { findProgram } from '../../fixtures/testing/external-programs.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { judgeProgram, type Language, MISTAKES, programAfter } from './first-service.testing.ts';

test.each<Language>(['node', 'python'])(
  'the service of getting started in %s -> the first version fails, the last conforms',
  async (language) => {
    const { at, write } = useFolder(onTestFinished);
    const program = language === 'node' ? process.execPath : findProgram('python3');
    for (const fixed of [0, MISTAKES.length]) {
      write('service', programAfter(language, fixed));
      if (language === 'node') write('service.mjs', programAfter(language, fixed));
      const report = await judgeProgram([
        program,
        at(language === 'node' ? 'service.mjs' : 'service'),
      ]);
      const failed = report.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
      if (fixed === 0) expect(failed).toEqual(expect.arrayContaining(['trade-token/amount']));
      else
        expect({ failed, verdict: report.verdict }).toEqual({ failed: [], verdict: 'conforming' });
    }
  },
);
