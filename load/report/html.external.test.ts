import { describe, expect, test } from 'vitest';
import {
  excessWidth,
  inkedShare,
  PHONES,
  useBrowser,
} from '../../fixtures/testing/browser.testing.ts';
import {
  hostileResult,
  notStartedSample,
  sampleResult,
  searchResult,
} from '../result/sample-result.testing.ts';
import { write as writeLoadHtml } from './html.ts';

describe('writeLoadHtml', () => {
  const { open } = useBrowser(writeLoadHtml);
  test('a run -> every chart, legend and table', async () => {
    await open(sampleResult({ timeouts: 0.02 }), {}, async (page) => {
      for (const id of ['latency', 'rate', 'errors', 'curve']) {
        expect(await inkedShare(page, id), id).toBeGreaterThan(0.001);
      }
      const names = await page.locator('#curve .u-legend .u-label').allTextContents();
      expect(names).toEqual(['share', 'all', 'swap', 'swap calldata', 'tokens', 'invalid']);
      expect(await page.locator('#rate .u-legend .u-label').allTextContents()).toEqual([
        'time',
        'sent',
        'succeeded',
        'requested',
      ]);
      const latencies = page.locator('section:has(h2:text-is("Latency by endpoint"))');
      expect(await latencies.locator('tbody tr').count()).toBe(5);
      expect(await page.locator('.verdict strong').textContent()).toBe('failed');
      expect(await page.locator('.tile.bad span').allTextContents()).toEqual(['errors']);
      const errors = page.locator('section:has(h2:text-is("Errors"))');
      expect(await errors.locator('li').allTextContents()).toEqual([
        expect.stringMatching(/timeout: \d+ requests, no complete reply within the timeout/),
      ]);
    });
  });

  test('a column of numbers -> its header is right-aligned, as its cells', async () => {
    await open(sampleResult(), {}, async (page) => {
      const alignments = await page.evaluate(
        '[...document.querySelectorAll("td.number")].flatMap((cell) => [cell, cell.closest("table").tHead.rows[0].cells[cell.cellIndex]]).map((cell) => getComputedStyle(cell).textAlign)',
      );
      expect(new Set(alignments as string[])).toEqual(new Set(['right']));
    });
  });

  test('lines of one chart -> neighbors differ even without color, and so do their markers in the legend', async () => {
    await open(sampleResult(), {}, async (page) => {
      for (const id of ['latency', 'curve']) {
        const styles: string[] = await page.evaluate(
          `[...document.querySelectorAll('#${id} .u-legend .u-series:not(:first-child) .u-marker')].map((marker) => getComputedStyle(marker).borderTopStyle)`,
        );
        expect(styles, id).toHaveLength(5);
        for (const [at, style] of styles.entries()) expect(style, id).not.toBe(styles[at + 1]);
      }
      const share = page.locator('#curve .u-legend .u-value').first();
      expect(await share.textContent()).toBe('99%');
    });
  });

  test('another endpoint is selected -> its latency in the chart, its metrics in the legend', async () => {
    const result = sampleResult();
    await open(result, {}, async (page) => {
      const legend = page.locator('#latency .u-legend .u-value');
      const shown = (name: string): string[] => {
        const percentiles = result.endpoints.find((each) => each.name === name)?.latencyMs;
        return [percentiles?.p50, percentiles?.p90].map((ms = 0) =>
          ms.toFixed(ms >= 10 ? 1 : ms >= 0.1 ? 2 : 3),
        );
      };
      expect((await legend.allTextContents()).slice(1, 3)).toEqual(shown('all'));
      await page.selectOption('#endpoint', 'swap calldata');
      expect((await legend.allTextContents()).slice(1, 3)).toEqual(shown('swap calldata'));
      expect(await page.locator('#latency .uplot').count()).toBe(1);
      expect(await inkedShare(page, 'latency')).toBeGreaterThan(0.001);
    });
  });

  test('a run without errors -> no chart and no list of errors', async () => {
    await open(sampleResult(), {}, async (page) => {
      expect(await page.locator('#errors').count()).toBe(0);
      expect(await page.locator('h2:text-is("Errors")').count()).toBe(0);
    });
  });

  test('a search -> its rates are drawn and listed, with their results', async () => {
    await open(searchResult(), {}, async (page) => {
      expect(await inkedShare(page, 'search')).toBeGreaterThan(0.001);
      const marks = page.locator('section:has(h2:text-is("Rates tried")) tbody .mark');
      expect(await marks.allTextContents()).toEqual(['✓', '✗', '⚠']);
      expect(await page.locator('.tile').first().textContent()).toContain('100/s');
    });
  });

  test('a single interval -> points, on an axis of that interval', async () => {
    await open(sampleResult({ seconds: 1, rate: 400 }), {}, async (page) => {
      expect(await inkedShare(page, 'latency')).toBeGreaterThan(0.0001);
    });
  });

  test('hovering -> the legend shows the values at that time', async () => {
    await open(sampleResult(), {}, async (page) => {
      await page.locator('#latency .u-over').hover({ position: { x: 300, y: 60 } });
      const values = await page.locator('#latency .u-legend .u-value').allTextContents();
      for (const value of values) expect(value).toMatch(/^[\d.]+/);
    });
  });

  test.each(PHONES)(
    '%s -> nothing exceeds the screen width, and the charts are drawn',
    async (_name, options) => {
      await open(hostileResult(), options, async (page) => {
        expect(await excessWidth(page)).toBe(0);
        expect(await inkedShare(page, 'latency')).toBeGreaterThan(0.001);
      });
    },
  );

  test('a change of width or color scheme -> the charts are redrawn once', async () => {
    await open(sampleResult(), {}, async (page) => {
      await page.setViewportSize({ width: 700, height: 800 });
      await page.emulateMedia({ colorScheme: 'dark' });
      const excess = `document.querySelector('#latency canvas').clientWidth - document.querySelector('#latency').clientWidth`;
      await expect.poll(() => page.evaluate(excess)).toBeLessThanOrEqual(0);
      expect(await page.locator('#latency .uplot').count()).toBe(1);
    });
  });

  test('a run that never began, or ended in the warm-up -> a page with the reason, without metrics', async () => {
    const cut = { ...sampleResult(), endpoints: [], verdict: 'incomplete' as const };
    for (const result of [notStartedSample(), cut]) {
      await open(result, {}, async (page) => {
        expect(await page.locator('.verdict strong').textContent()).toBe('incomplete');
        expect(await page.locator('.tile').count()).toBe(0);
        expect(await page.locator('#curve').count()).toBe(0);
        expect(await page.locator('h2:text-is("Latency by endpoint")').count()).toBe(0);
      });
    }
  });
});
