import { describe, expect, test } from 'vitest';
import {
  excessWidth,
  inkedShare,
  PHONES,
  useBrowser,
} from '../../fixtures/testing/browser.testing.ts';
import type { StudyReport } from '../model/study-report.ts';
import { formatBps } from './format.ts';
import { write } from './html.ts';
import { sampleStudy } from './sample-study.testing.ts';

describe('the page of a study', () => {
  const { open } = useBrowser<StudyReport>(write);

  test('a study -> curve, distribution, heat maps, tables, and the worst plans drawn', async () => {
    await open(sampleStudy(), {}, async (page) => {
      expect(await page.locator('.verdict strong').textContent()).toBe('complete');
      expect(await page.locator('section:has(#survival-curve) .uplot').count()).toBe(3);
      for (const id of ['survival-0', 'survival-1', 'survival-2', 'received']) {
        expect(await inkedShare(page, id), id).toBeGreaterThan(0.001);
        const names = await page.locator(`#${id} .u-legend .u-label`).allTextContents();
        expect(names).toEqual(['blocks later', 'one.example', 'two.example']);
      }
      expect(await page.locator('table.heat').count()).toBe(2);
      expect(await page.locator('table.heat').first().locator('tbody tr').count()).toBe(3);
      const titles = await page.locator('h2').allTextContents();
      expect(titles.join()).toMatch(/Between services.*Price impact.*Reverts.*Worst trades/);
      const drawn = page.locator('.worst svg.plan');
      expect(await drawn.count()).toBeGreaterThan(0);
      expect(await drawn.first().locator('.node').count()).toBeGreaterThan(1);
    });
  });

  test('no pointer, then a pointer over the last block -> the legend shows the values there', async () => {
    const study = sampleStudy();
    const last = study.metrics[1]?.received.at(-1);
    await open(study, {}, async (page) => {
      const values = page.locator('#received .u-legend .u-value');
      expect((await values.allTextContents())[0]).toBe('0');
      const { width = 0 } = (await page.locator('#received .u-over').boundingBox()) ?? {};
      await page.locator('#received .u-over').hover({ position: { x: width - 20, y: 60 } });
      const [blocks, , second] = await values.allTextContents();
      expect(blocks).toBe('5');
      expect(second).toContain(`median ${formatBps(last?.spreadBps?.median ?? 0)}, 90% from`);
    });
  });

  test('a service that is hidden -> neither its curve nor its boxes', async () => {
    await open(sampleStudy(), {}, async (page) => {
      for (const id of ['survival-0', 'received']) {
        const both = await inkedShare(page, id);
        await page.locator(`#${id} .u-legend .u-label`).last().click();
        await expect.poll(() => inkedShare(page, id)).toBeLessThan(0.8 * both);
      }
    });
  });

  test('only the block of the quote -> boxes without a curve', async () => {
    const { metrics, settings, ...study } = sampleStudy();
    const now = <Item extends { readonly blocks: number }>(items: readonly Item[]) =>
      items.filter(({ blocks }) => blocks === 0);
    const report = {
      ...study,
      settings: { ...settings, blocks: [0] },
      metrics: metrics.map(({ received, survival, ...more }) => {
        return { ...more, received: now(received), survival: now(survival) };
      }),
    };
    await open(report, {}, async (page) => {
      expect(await page.locator('.uplot').count()).toBe(1);
      expect(await inkedShare(page, 'received')).toBeGreaterThan(0.001);
    });
  });

  test('cells of a heat map -> colored by the received amount', async () => {
    await open(sampleStudy(), {}, async (page) => {
      const colors = (await page.evaluate(
        `[...document.querySelectorAll('table.heat td')].map((cell) => getComputedStyle(cell).backgroundColor)`,
      )) as string[];
      expect(new Set(colors).size).toBeGreaterThan(4);
    });
  });

  test.each([...PHONES, ['a desk', { viewport: { width: 1280, height: 900 } }] as const])(
    '%s -> nothing exceeds the screen width',
    async (_name, options) => {
      const names = [`${'w'.repeat(63)}.example`, `${'long-name.'.repeat(8)}example`];
      const study = { ...sampleStudy(names), notes: ['W'.repeat(120)] };
      await open(study, options, async (page) => {
        expect(await excessWidth(page)).toBe(0);
        for (const id of ['survival-0', 'received']) {
          expect(await inkedShare(page, id), id).toBeGreaterThan(0.001);
        }
      });
    },
  );
});
