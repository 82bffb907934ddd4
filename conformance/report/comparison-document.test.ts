import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../output/usage-error.ts';
import { readReport } from './comparison-document.ts';
import { hostileReport } from './hostile-report.testing.ts';
import { sampleReport } from './sample-report.testing.ts';

const published = JSON.parse(
  readFileSync(new URL('../../docs/report.schema.json', import.meta.url), 'utf8'),
);

describe('the published schema', () => {
  const validate = new Ajv2020().compile(published);

  test('any report -> valid by the published schema', () => {
    for (const report of [sampleReport(), hostileReport()]) {
      validate(JSON.parse(JSON.stringify(report)));
      expect(validate.errors).toBeNull();
    }
  });

  test('a report without its verdict, or of an unknown outcome -> not valid', () => {
    const { verdict: _verdict, ...rest } = sampleReport();
    expect(validate(rest)).toBe(false);
    const [first, ...others] = sampleReport().rules;
    expect(
      validate({ ...sampleReport(), rules: [{ ...first, outcome: 'skipped' }, ...others] }),
    ).toBe(false);
  });
});

describe('readReport', () => {
  test('a report as JSON -> the same report', () => {
    expect(readReport(JSON.stringify(sampleReport()), 'a.json')).toEqual(sampleReport());
  });

  test('anything else -> an error that names the source and the place', () => {
    expect(() => readReport('<', 'a.json')).toThrow(new UsageError('a.json is not JSON'));
    expect(() => readReport('{}', 'a.json')).toThrow(
      /^a\.json is not a conformance report: it must have required property/,
    );
    const broken = JSON.stringify({ ...sampleReport(), seed: 1.5 });
    expect(() => readReport(broken, 'b.json')).toThrow(
      'b.json is not a conformance report: /seed must be integer',
    );
  });
});
