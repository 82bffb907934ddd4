import { describe, expect, test } from 'vitest';
import { REPORT_FORMATS } from './formats.ts';
import { sampleReport } from './sample-report.testing.ts';

describe('REPORT_FORMATS', () => {
  test('every format -> a text of its own and a path of its own', () => {
    const formats = Object.values(REPORT_FORMATS);
    const texts = formats.map(({ write }) => write(sampleReport()));
    expect(new Set(texts.map((text) => text.slice(0, 20))).size).toBe(formats.length);
    expect(new Set(formats.map(({ defaultPath }) => defaultPath)).size).toBe(formats.length);
  });
});
