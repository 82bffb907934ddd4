import { describe, expect, test } from 'vitest';
import { excessWidth, PHONES, useBrowser } from '../../scripts/tests/helpers/browser.testing.ts';
import type { StudyReport } from '../model/study-report.ts';
import { write } from './html.ts';
import { sampleStudy } from './sample-study.testing.ts';

describe('the page of a study', () => {
  const { open } = useBrowser<StudyReport>(write);

  test('a study -> curve, distribution, heat maps, tables, and the worst plans drawn', async () => {
    await open(sampleStudy(), {}, async (page) => {
      expect(await page.locator('.verdict strong').textContent()).toBe('complete');
      const curves = page.locator('section:has(#survival-curve) .wide svg');
      expect(await curves.count()).toBe(3);
      expect(await curves.first().locator('circle').count()).toBe(2 * 3);
      const boxes = page.locator('section:has(#distribution) .wide .box');
      expect(await boxes.count()).toBe(2 * 3);
      expect(await page.locator('table.heat').count()).toBe(2);
      expect(await page.locator('table.heat').first().locator('tbody tr').count()).toBe(3);
      const titles = await page.locator('h2').allTextContents();
      expect(titles.join()).toMatch(/Between services.*Price impact.*Reverts.*Worst trades/);
      const drawn = page.locator('.worst svg.plan');
      expect(await drawn.count()).toBeGreaterThan(0);
      expect(await drawn.first().locator('.node').count()).toBeGreaterThan(1);
    });
  });

  test('cells of a heat map -> coloured by the received amount', async () => {
    await open(sampleStudy(), {}, async (page) => {
      const colours = (await page.evaluate(
        `[...document.querySelectorAll('table.heat td')].map((cell) => getComputedStyle(cell).backgroundColor)`,
      )) as string[];
      expect(new Set(colours).size).toBeGreaterThan(4);
    });
  });

  test.each([...PHONES, ['a desk', { viewport: { width: 1280, height: 900 } }] as const])(
    '%s -> nothing exceeds the screen width',
    async (_name, options) => {
      const names = [`${'w'.repeat(63)}.example`, `${'long-name.'.repeat(8)}example`];
      const study = { ...sampleStudy(names), notes: ['W'.repeat(120)] };
      await open(study, options, async (page) => {
        expect(await excessWidth(page)).toBe(0);
        const labels = await page.locator('.box text.name').allTextContents();
        expect(labels.filter((label) => !/^[015] blocks later, /.test(label))).toEqual([]);
        const isNarrow = options.viewport.width < 704;
        const drawn = page.locator('section:has(#distribution) .chart');
        const shown = drawn.locator(`.${isNarrow ? 'narrow' : 'wide'} svg`);
        expect(await shown.isVisible()).toBe(true);
      });
    },
  );
});
