import { describe, expect, test } from 'vitest';
import { REPORT_FORMATS } from './formats.ts';
import { sampleReport } from './sample-report.testing.ts';

describe('REPORT_FORMATS', () => {
  test('every format -> a text of its own and a path of its own', async () => {
    const formats = Object.values(REPORT_FORMATS);
    const writers = await Promise.all(formats.map(({ load }) => load()));
    const texts = writers.map(({ write }) => write(sampleReport()).slice(0, 20));
    expect(new Set(texts).size).toBe(formats.length);
    expect(new Set(formats.map(({ path }) => path)).size).toBe(formats.length);
  });
});
