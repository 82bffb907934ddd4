import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { hostileReport } from './hostile-report.testing.ts';
import { sampleFailure, sampleReport, sampleRule } from './sample-report.testing.ts';
import { writeText } from './text.ts';

const ESCAPE = String.fromCharCode(27);

describe('writeText', () => {
  test('a failure -> clause with its words, rule, Expected, Actual, place, curl line', () => {
    const lines = writeText(sampleReport()).split('\n');
    const at = lines.findIndex((line) =>
      line.startsWith('  2.3 decimals  Decimal places, 0 to 18'),
    );
    expect(lines.slice(at + 1, at + 6)).toEqual([
      '    ✗ swap/token-decimals [must]: decimals is an integer from 0 to 18',
      '      Expected: an integer from 0 to 18',
      '        Actual: 24',
      '         Where: /tokens/3/decimals',
      '          Seen: 14 times, first in request 31',
    ]);
    expect(lines[at + 7]).toMatch(/^ +Repeat: curl .*\$SWAPCHECK_API_KEY/);
  });

  test('every outcome -> its own sign, by clause in the order of the specification', () => {
    const text = writeText(sampleReport());
    const order = ['1 rule 1', '2.1 router', '2.3 decimals', '4.1 rule 6', '8 amounts', '10 rates'];
    const places = order.map((clause) => text.indexOf(`\n${clause}\n`));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.every((place) => place > 0)).toBe(true);
    for (const sign of [
      '✓ swap/router-echo',
      '✗ plan/acyclic',
      '~ tokens/logo',
      '! limits/calldata-gas',
      '- limits/rate',
      '· auth/missing-key',
    ]) {
      expect(text).toContain(`  ${sign}`);
    }
  });

  test('a run -> silence, dust, left out, stale waivers, summary, and the verdict last', () => {
    const text = writeText(sampleReport());
    expect(text).toContain(
      '5 rule 3  Answer to a missing key: status 401 with error "UNAUTHORIZED"',
    );
    expect(text).toContain('(53.86 parts per million) in request 31');
    expect(text).toContain('Left out: 1 rule, no --fork was given: execution/received');
    expect(text).toContain('Stale waiver: swap/router-echo: it no longer fires');
    expect(text).toContain(
      '3120 requests, 3084 replies judged, 36 answered 429 and waited out in 14.2 s',
    );
    expect(text).toContain('must     3 passed, 4 failed, 0 waived, 1 could not run');
    expect(text.trimEnd().split('\n').at(-1)).toBe('NONCONFORMING: 4 must rules failed.');
  });

  test('many failures of one rule -> five, and how many more', () => {
    const failures = Array.from({ length: 12 }, () => sampleFailure());
    const rules = [sampleRule('1', 'a/b', 'must', 'fail', 'T', { failures })];
    const text = writeText(sampleReport({ rules }));
    expect(text.match(/Expected:/g)).toHaveLength(5);
    expect(text).toContain('and 7 more in the other reports');
  });

  test('hostile text -> no control character reaches the terminal', () => {
    const text = writeText(hostileReport());
    // biome-ignore lint/suspicious/noControlCharactersInRegex: looking for them is the point
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
    expect(text).toContain('\\u{1b}[31m');
  });

  test('colour -> red failures; none when not asked for', () => {
    const script =
      "import('./conformance/report/text.ts').then(async ({ writeText }) => {" +
      "const { sampleReport } = await import('./conformance/report/sample-report.testing.ts');" +
      'process.stdout.write(writeText(sampleReport(), true)); })';
    const coloured = (env: Record<string, string>) =>
      execFileSync(process.execPath, ['--import', 'tsx', '-e', script], {
        encoding: 'utf8',
        env: { ...process.env, ...env },
      });
    expect(coloured({ FORCE_COLOR: '1' })).toContain(`${ESCAPE}[31m✗`);
    expect(writeText(sampleReport())).not.toContain(ESCAPE);
  });
});
