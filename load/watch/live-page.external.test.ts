import { describe, expect, test } from 'vitest';
import {
  excessWidth,
  inkedShare,
  PHONES,
  useBrowser,
} from '../../fixtures/testing/browser.testing.ts';
import { createRecorder } from '../engine/recorder.ts';
import { startLivePage } from './live-page.ts';

describe('the live page', () => {
  const { visit } = useBrowser();

  test.each(PHONES)(
    'on %s, seconds and a verdict that arrive -> both charts, tiles and the verdict',
    async (_name, options) => {
      const live = await startLivePage(0, 'smoke');
      const recorder = createRecorder();
      await visit(live.url, options, async (page) => {
        for (let second = 0; second < 4; second += 1) {
          for (let n = 0; n < 20; n += 1) {
            const dueMs = second * 1000 + n;
            recorder.countSent(dueMs);
            recorder.record({ endpoint: 'swap', dueMs, sentMs: dueMs, endMs: dueMs + 10 + second });
          }
          const intervals = recorder.takeIntervals((second + 1) * 1000);
          live.update({ elapsedS: second + 1, totalS: 4, requestedRate: () => 25, intervals });
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
        expect(await excessWidth(page)).toBe(0);
        live.finish({ verdict: 'failed', reason: 'p99 is too high' });
        await expect.poll(() => page.locator('#verdict strong').textContent()).toBe('failed');
        expect(await page.locator('#reason').textContent()).toBe('p99 is too high');
      });
      await live.close();
    },
  );
});
