import { expect, test } from 'vitest';
import { write } from './annotations.ts';
import { hostileReport } from './hostile-report.testing.ts';
import { sampleFailure, sampleReport, sampleRule } from './sample-report.testing.ts';

/** GitHub's runner parses one workflow command per line. */
const COMMAND = /^::(error|warning|notice) title=([^:,\n]+)::(.+)$/;

test('failed rules -> an error for each `must`, a warning for each `should`', () => {
  const report = sampleReport();
  const failed = report.rules.filter(({ outcome }) => outcome === 'fail');
  const lines = write(report).trimEnd().split('\n');
  const commands = lines.map((line) => COMMAND.exec(line)?.slice(1, 3));
  expect(commands.splice(-2)).toEqual([
    ['notice', 'nonconforming'],
    ['notice', 'not judged'],
  ]);
  expect(commands).toEqual(
    (['must', 'should'] as const).flatMap((level) =>
      failed
        .filter((rule) => rule.level === level)
        .map(({ id, clause }) => [level === 'must' ? 'error' : 'warning', `${id} (${clause})`]),
    ),
  );
  expect(lines[0]).toContain('%0AExpected: ');
});

test('text from a service -> adds no line and no command', () => {
  for (const line of write(hostileReport()).trimEnd().split('\n')) expect(line).toMatch(COMMAND);
});

test('more failures than GitHub shows -> the first ten, and the number of others', () => {
  const rules = Array.from({ length: 13 }, (_, index) =>
    sampleRule('1', `a/${index}`, 'must', 'fail', 'T', {
      failures: [sampleFailure({ symptom: String(index) })],
    }),
  );
  const lines = write(sampleReport({ rules })).trimEnd().split('\n');
  expect(lines).toHaveLength(13);
  expect(lines.at(-3)).toBe('::notice title=must::and 3 more failures of must rules');
});

test('an incomplete run -> one error with the reason', () => {
  const report = sampleReport({
    verdict: 'incomplete',
    reason: 'The key is rejected.',
    rules: [],
    notJudged: [],
  });
  expect(write(report)).toBe('::error title=incomplete::The key is rejected.\n');
});
