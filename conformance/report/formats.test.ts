import { expect, test } from 'vitest';
import { REPORT_FORMATS } from './formats.ts';
import { sampleFailure, sampleReport, sampleRule } from './sample-report.testing.ts';

const failing = sampleRule('5 rule 1', 'swap/key-required', 'should', 'fail', 'rejects', {
  failures: [sampleFailure()],
});
const { summary } = sampleReport();
const report = sampleReport({
  verdict: 'conforming',
  reason: '116 `must` rules passed; 1 `should` rule failed.',
  rules: [failing],
  summary: { ...summary, should: { ...summary.should, fail: 1 } },
});

test.each(Object.entries(REPORT_FORMATS))(
  'a conforming report with a failed `should` as %s -> says so next to the verdict',
  async (_, { load }) => {
    const { write } = await load();
    const text = write(report).replaceAll(/<\/?code>|\\`|`/g, '');
    expect(text).toMatch(/conforming/i);
    expect(text).toMatch(/1 should (rule )?failed/);
  },
);

const COMMANDS = '::error::a\n::error::b\n  ::add-mask::c ##[error]d ##vso[task.complete]e';
const commanding = sampleReport({
  ...{ reason: COMMANDS, target: COMMANDS, staleWaivers: [{ rule: COMMANDS, why: COMMANDS }] },
  notJudged: [{ why: COMMANDS, needs: COMMANDS, rules: [] }],
  rules: [
    sampleRule('2.4 routes', 'plan/a', 'must', 'fail', COMMANDS, {
      clauseWords: COMMANDS,
      failures: [sampleFailure({ expected: COMMANDS, actual: COMMANDS, pointer: `/${COMMANDS}` })],
    }),
    sampleRule('7 values', 'errors/b', 'observe', 'observed', COMMANDS, {
      observed: [{ text: COMMANDS, times: 1 }],
    }),
    sampleRule('8 amounts', 'limits/c', 'must', 'could-not-run', COMMANDS, { why: COMMANDS }),
  ],
});

test.each(Object.entries(REPORT_FORMATS))(
  'text with commands to a CI system as %s -> inert in its log',
  async (format, { load }) => {
    const { write } = await load();
    const text = write(commanding);
    expect(text).not.toMatch(/##(\[|vso\[)/);
    const commands = text.match(/^\s*::[a-z].*/gim) ?? [];
    if (format !== 'annotations') expect(commands).toEqual([]);
    for (const command of commands) expect(command).toMatch(/^::(error|warning|notice) title=/);
  },
);
