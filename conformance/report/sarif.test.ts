import type { Log } from 'sarif';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../model/report.ts';
import { sampleFailure, sampleReport, sampleRule } from './sample-report.testing.ts';
import { write as writeSarif } from './sarif.ts';

const parse = (text: string): Log => JSON.parse(text);

describe('writeSarif', () => {
  test('a failure -> a result at its path and pointer', () => {
    const [run] = parse(writeSarif(sampleReport())).runs;
    const result = run?.results?.find(({ ruleId }) => ruleId === 'swap/token-decimals');
    expect(result?.level).toBe('error');
    expect(result?.occurrenceCount).toBe(14);
    expect(result?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe('api/v1.0/swap');
    expect(result?.locations?.[0]?.logicalLocations?.[0]?.fullyQualifiedName).toBe(
      '/tokens/3/decimals',
    );
    expect(run?.tool.driver.rules?.[result?.ruleIndex ?? -1]?.id).toBe('swap/token-decimals');
  });

  test('text that looks like a placeholder or a link -> escaped', () => {
    const hostile = 'a {0} [b](javascript:c) [d](1)';
    const failures = [sampleFailure({ expected: hostile, actual: hostile })];
    const rules = [
      sampleRule('2.4 routes', 'plan/leak', 'must', 'fail', 'T', { failures }),
      sampleRule('8 amounts', 'limits/x', 'must', 'could-not-run', 'T', { why: hostile }),
    ];
    const [run] = parse(writeSarif(sampleReport({ rules }))).runs;
    const messages = [run?.results, run?.invocations?.[0]?.toolExecutionNotifications];
    const texts = messages.map((entries) => entries?.[0]?.message.text);
    expect(texts[0]).toContain('expected a {{0}} [b] (javascript:c) [d] (1), got');
    expect(texts[1]).toBe('limits/x could not run: a {{0}} [b] (javascript:c) [d] (1)');
  });

  test('one cause with different amounts -> the same fingerprint; another cause -> a different one', () => {
    const fingerprintOf = (changes: Partial<Failure>) => {
      const failures = [sampleFailure(changes)];
      const rule = sampleRule('2.4 routes', 'plan/leak', 'must', 'fail', 'T', { failures });
      const [run] = parse(writeSarif(sampleReport({ rules: [rule] }))).runs;
      return run?.results?.[0]?.partialFingerprints;
    };
    const one = fingerprintOf({ cause: 'plan/leak: a -> b', actual: '1498', pointer: '/tokens/2' });
    expect(one).toEqual(
      fingerprintOf({ cause: 'plan/leak: a -> b', actual: '7', pointer: '/tokens/9' }),
    );
    expect(one).not.toEqual(fingerprintOf({ cause: 'plan/leak: a -> c', actual: '1498' }));
  });

  test('a failed rule -> its page; any other rule -> the command that prints the page', () => {
    const id = 'plan/conserves-between';
    const rules = [[sampleFailure({})], []].map((failures) =>
      sampleRule('1.1 converts', id, 'must', 'fail', 'T', { failures }),
    );
    const [failed, passed] =
      parse(writeSarif(sampleReport({ rules }))).runs[0]?.tool.driver.rules ?? [];
    expect(failed?.help?.markdown).toMatch(
      /^# `plan\/conserves-between`\n[\s\S]*## Harm to clients\n/,
    );
    expect(failed?.help?.text).toMatch(/^`plan\/conserves-between`\n[\s\S]*\nHarm to clients\n/);
    expect(passed?.help?.text).toBe(`swapcheck explain ${id}`);
  });

  test('a waived failure -> suppressed; a should -> a warning', () => {
    const results = parse(writeSarif(sampleReport())).runs[0]?.results ?? [];
    const waived = results.filter(({ suppressions }) => suppressions !== undefined);
    expect(waived.map(({ ruleId }) => ruleId)).toEqual(['tokens/logo']);
    expect(results.find(({ ruleId }) => ruleId === 'swap/unknown-router')?.level).toBe('warning');
  });

  test('a rule that could not run -> a notification', () => {
    const [invocation] = parse(writeSarif(sampleReport())).runs[0]?.invocations ?? [];
    expect(invocation?.toolExecutionNotifications?.[0]?.message.text).toContain('429');
  });
});
