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
