import { describe, expect, test } from 'vitest';
import { hostileReport } from '../../conformance/report/hostile-report.testing.ts';
import { write as writeReport } from '../../conformance/report/html.ts';
import { sampleReport } from '../../conformance/report/sample-report.testing.ts';
import { faultsOf } from '../../fixtures/testing/axe.testing.ts';
import { useBrowser } from '../../fixtures/testing/browser.testing.ts';
import { write as writeLoad } from '../../load/report/html.ts';
import {
  notStartedSample,
  sampleResult,
  searchResult,
} from '../../load/result/sample-result.testing.ts';
import { write as writeStudy } from '../../study/report/html.ts';
import { sampleStudy } from '../../study/report/sample-study.testing.ts';

const { open } = useBrowser<string>();

const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
];
const THEMES = ['light', 'dark'] as const;

describe.each([
  ['a report', () => writeReport(sampleReport())],
  ['a hostile report', () => writeReport(hostileReport())],
  ['a load run that failed', () => writeLoad(sampleResult({ timeouts: 0.02 }))],
  ['a search for the highest rate', () => writeLoad(searchResult())],
  ['a load run that never began', () => writeLoad(notStartedSample())],
  ['a study', () => writeStudy(sampleStudy())],
])('the page of %s', (_name, write) => {
  test.each(
    SIZES.flatMap((viewport) => THEMES.map((theme) => [viewport.width, theme, viewport] as const)),
  )('%i px wide, %s -> axe finds nothing', async (_width, colorScheme, viewport) => {
    await open(write(), { viewport, colorScheme }, async (page) => {
      expect(await faultsOf(page)).toEqual([]);
    });
  });
});

test('a page with violations -> axe finds them', async () => {
  const page = '<!doctype html><title>t</title><img src="data:,"><p style="color:#ccc">pale</p>';
  await open(page, { viewport: SIZES[0] ?? null }, async (opened) => {
    const faults = (await faultsOf(opened)).join();
    expect(faults).toContain('image-alt');
    expect(faults).toContain('color-contrast');
  });
});
