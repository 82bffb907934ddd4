import { describe, expect, test } from 'vitest';
import {
  excessWidth,
  inkedShare,
  PHONES,
  useBrowser,
} from '../../fixtures/testing/browser.testing.ts';
import { createRecorder } from '../engine/recorder.ts';
import { sampleResult } from '../result/sample-result.testing.ts';
import { startLivePage } from './live-page.ts';

describe('the live page', () => {
  const { visit } = useBrowser();

  test.each(PHONES)(
    'on %s, events with seconds and a verdict -> both charts, the tiles and the verdict',
    async (_name, options) => {
      const live = await startLivePage(0, {
        title: 'smoke',
        thresholds: [
          { metric: 'p99', max: 5 },
          { metric: 'wrong', max: 0 },
        ],
      });
      const recorder = createRecorder();
      await visit(live.url, options, async (page) => {
        for (let second = 0; second < 4; second += 1) {
          for (let n = 0; n < 20; n += 1) {
            const dueMs = second * 1000 + n;
            recorder.countSent(dueMs);
            const failed = n === 0 ? ({ error: 'status', status: 429 } as const) : {};
            const endMs = dueMs + 10 + second;
            recorder.record({ endpoint: 'swap', dueMs, sentMs: dueMs, endMs, ...failed });
          }
          const intervals = recorder.takeIntervals((second + 1) * 1000);
          live.update({
            ...{ elapsedS: second + 1, totalS: 4, warmUpS: 0, intervals },
            ...{ requestedRate: () => 25, sampleCount: () => ({ judged: 3, wrong: 0 }) },
          });
        }
        await expect.poll(() => page.locator('#sent').textContent()).toBe('20');
        for (const id of ['latency', 'rate']) {
          await expect.poll(() => inkedShare(page, id), { message: id }).toBeGreaterThan(0.001);
        }
        expect(await page.locator('#rate .u-legend .u-label').allTextContents()).toEqual([
          'second',
          'sent',
          'requested',
        ]);
        const rows = (id: string) => page.locator(`#${id} tbody tr`).allInnerTexts();
        expect((await rows('failures')).map((row) => row.split(/\s+/))).toEqual([
          ['status', '429', '4', 'swap:', '4'],
        ]);
        expect((await rows('endpoints')).map((row) => row.split(/\s+/).slice(0, 3))).toEqual([
          ['all', '80', '4'],
          ['swap', '80', '4'],
        ]);
        expect(await page.locator('#thresholds .chip').allTextContents()).toEqual([
          'crossed',
          'held',
        ]);
        expect(await excessWidth(page)).toBe(0);
        live.finish({ ...sampleResult(), verdict: 'failed', reason: 'p99 is too high' });
        await expect.poll(() => page.locator('#verdict strong').textContent()).toBe('failed');
        expect(await page.locator('#reason').textContent()).toBe('p99 is too high');
        const { endpoints } = sampleResult();
        expect((await rows('endpoints')).map((row) => row.split(/\s+/)[0])).toEqual(
          endpoints.map(({ name }) => name.split(' ')[0]),
        );
      });
      await live.close();
    },
  );
});
