import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { XMLParser } from 'fast-xml-parser';
import { marked } from 'marked';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useBrowser } from '../../conformance/output/browser.testing.ts';
import { renderMarkdown } from '../../conformance/output/markdown.ts';
import { renderText } from '../../conformance/output/text.ts';
import type { LoadResult } from '../model/load-result.ts';
import { unplayedResult } from '../result/build-result.ts';
import { hostileResult, sampleResult, searchResult } from '../result/sample-result.testing.ts';
import { LOAD_FORMATS } from './formats.ts';
import { write as writeLoadHtml } from './html.ts';
import { write as writeLoadJunit } from './junit.ts';
import { loadDocument } from './load-document.ts';

/** A service that does not answer. */
function unplayed(): LoadResult {
  const { profile, seed, version, startedAt, target } = sampleResult();
  const reason = `${target} cannot be loaded: it refused the connection`;
  return unplayedResult({ reason, profile, seed, version, startedAt, target });
}

test('any result, as JSON -> valid by the published schema; without its verdict -> not', () => {
  const url = new URL('../../docs/load-result.schema.json', import.meta.url);
  const validate = new Ajv2020().compile(JSON.parse(readFileSync(url, 'utf8')));
  for (const result of [sampleResult(), hostileResult(), searchResult(), unplayed()]) {
    expect(validate(JSON.parse(JSON.stringify(result))), result.reason).toBe(true);
  }
  const { verdict: _verdict, ...rest } = sampleResult();
  expect(validate(rest)).toBe(false);
});

describe('LOAD_FORMATS', () => {
  test('every format -> a text of its own and a path of its own', async () => {
    const formats = Object.values(LOAD_FORMATS);
    const writers = await Promise.all(formats.map(({ load }) => load()));
    const texts = writers.map(({ write }) => write(sampleResult()).slice(0, 20));
    expect(new Set(texts).size).toBe(formats.length);
    expect(new Set(formats.map(({ path }) => path)).size).toBe(formats.length);
  });
});

describe('loadDocument', () => {
  const asText = (result: LoadResult) => renderText(loadDocument(result));

  test('a run that passed -> figures by endpoint, thresholds, verdict', () => {
    const text = asText(sampleResult());
    expect(text).toMatch(/^swap calldata +\d+(?: +[\d.]+){5} +0$/m);
    expect(text).toContain('✓ errors 0 % (at most 0.10 %)');
    expect(text).toContain('200.0 requests a second of 200.0 asked for');
    expect(text.trimEnd()).toMatch(/PASSED: all 4 thresholds held$/);
  });

  test('a search -> each rate with its outcome and the reason', () => {
    const text = asText(searchResult());
    expect(text).toMatch(/^✓ +100\/s +100\.0\/s +[\d.]+ +[\d.]+$/m);
    expect(text).toMatch(/^✗ +200\/s .* {2}p99 of all requests is 300 ms/m);
    expect(text).toMatch(/^! +200\/s .* {2}the client fell behind/m);
  });

  test('wrong replies and lost requests -> named, and nothing that steers a terminal', () => {
    const text = asText(hostileResult());
    expect(text).toContain('swap/conservation: 3 of 400 judged, first at 4 s');
    expect(text).toMatch(/\d+ timeout/);
    expect(text).not.toContain('\u0000');
    expect(text).toContain('Left out: swap rfq');
  });

  test('what a service sent, as Markdown -> text, no markup', () => {
    const html = marked(renderMarkdown(loadDocument(hostileResult())), { async: false });
    expect(html).toContain('❌ Load steady: failed');
    expect(html).toContain('<td>swap calldata</td>');
    expect(html).not.toMatch(/<script|<img|<b>(?!swapcheck|1\.1)/);
  });
});

describe('writeLoadJunit', () => {
  test('crossed thresholds and broken rules -> failures; an incomplete run -> an error', () => {
    const parser = new XMLParser({ ignoreAttributes: false });
    const cases = (result: LoadResult): Record<string, unknown>[] =>
      parser.parse(writeLoadJunit(result)).testsuites.testsuite.testcase;
    const failed = cases(hostileResult()).filter((each) => 'failure' in each);
    expect(failed.map((each) => each['@_name'])).toEqual([
      'wrong at most 0',
      'errors at most 0.10 %',
      'p99 at most 400 ms',
      'swap/conservation',
    ]);
    expect(cases(sampleResult()).filter((each) => 'failure' in each || 'error' in each)).toEqual(
      [],
    );
    const [run] = cases({ ...sampleResult(), verdict: 'incomplete', reason: 'ended early' });
    expect(run).toHaveProperty('error');
  });
});

describe('writeLoadHtml', () => {
  const pages = useBrowser();
  const open = (
    result: LoadResult,
    options: BrowserContextOptions,
    use: (page: Page) => Promise<void>,
  ): Promise<void> => pages.open(writeLoadHtml(result), options, use);
  /** Share of a chart's pixels that are of one of its lines' colours. */
  const inked = (page: Page, id: string): Promise<number> =>
    page.evaluate(
      `(() => {
        const canvas = document.querySelector('#${id} canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let coloured = 0;
        for (let i = 0; i < data.length; i += 4) {
          const spread = Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]);
          if (data[i + 3] > 60 && spread > 60) coloured += 1;
        }
        return coloured / (data.length / 4);
      })()`,
    );

  test('a run -> every chart is drawn, every line is named, every table is there', async () => {
    await open(sampleResult({ timeouts: 0.02 }), {}, async (page) => {
      for (const id of ['latency', 'rate', 'errors', 'curve']) {
        expect(await inked(page, id), id).toBeGreaterThan(0.001);
      }
      const names = await page.locator('#curve .u-legend .u-label').allTextContents();
      expect(names).toEqual(['share', 'all', 'swap', 'swap calldata', 'tokens', 'invalid']);
      expect(await page.locator('#rate .u-legend .u-label').allTextContents()).toEqual([
        'time',
        'sent',
        'answered',
        'asked for',
      ]);
      expect(await page.locator('section:has(#figures) tbody tr').count()).toBe(5);
      expect(await page.locator('.verdict strong').textContent()).toBe('failed');
      expect(await page.locator('.tile.bad span').allTextContents()).toEqual([
        'p99 latency',
        expect.stringMatching(/^errors: \d+ timeout$/),
      ]);
      const outcomes = page.locator('section:has(#outcomes)');
      expect(await outcomes.locator('thead th').allTextContents()).toEqual([
        'Endpoint',
        'HTTP 200',
        'HTTP 400',
        'timeout',
      ]);
      expect(await outcomes.locator('dl').textContent()).toContain('no whole reply within');
    });
  });

  test('another endpoint chosen -> its latency, its figures in the legend', async () => {
    const result = sampleResult();
    await open(result, {}, async (page) => {
      const legend = page.locator('#latency .u-legend .u-value');
      const shown = (name: string): string[] => {
        const figures = result.endpoints.find((each) => each.name === name)?.latencyMs;
        return [figures?.p50, figures?.p90].map((ms = 0) =>
          ms.toFixed(ms >= 10 ? 1 : ms >= 0.1 ? 2 : 3),
        );
      };
      expect((await legend.allTextContents()).slice(1, 3)).toEqual(shown('all'));
      await page.selectOption('#endpoint', 'swap calldata');
      expect((await legend.allTextContents()).slice(1, 3)).toEqual(shown('swap calldata'));
      expect(await page.locator('#latency .uplot').count()).toBe(1);
      expect(await inked(page, 'latency')).toBeGreaterThan(0.001);
    });
  });

  test('a run without errors -> words in the place of their chart', async () => {
    await open(sampleResult(), {}, async (page) => {
      expect(await page.locator('#errors').count()).toBe(0);
      expect(await page.locator('section:has(#losses)').textContent()).toContain(
        'No request was lost',
      );
    });
  });

  test('a search -> its rates are drawn and listed, with what came of each', async () => {
    await open(searchResult(), {}, async (page) => {
      expect(await inked(page, 'search')).toBeGreaterThan(0.001);
      const chips = page.locator('section:has(#steps) tbody .chip');
      expect(await chips.allTextContents()).toEqual(['held', 'crossed', 'invalid']);
      expect(await page.locator('.tile').first().textContent()).toContain('100 req/s');
    });
  });

  test('one interval alone -> points, on an axis of that interval', async () => {
    await open(sampleResult({ seconds: 1, rate: 400 }), {}, async (page) => {
      expect(await inked(page, 'latency')).toBeGreaterThan(0.0001);
    });
  });

  test('hovering -> the legend shows the figures of that moment', async () => {
    await open(sampleResult(), {}, async (page) => {
      await page.locator('#latency .u-over').hover({ position: { x: 300, y: 60 } });
      const values = await page.locator('#latency .u-legend .u-value').allTextContents();
      for (const value of values) expect(value).toMatch(/^[\d.]+/);
    });
  });

  test('markup in what a service sent -> shown, not run', async () => {
    await open(hostileResult(), {}, async (page) => {
      expect(await page.locator('img').count()).toBe(0);
      expect(await page.locator('pre').first().textContent()).toContain('<script>alert(1)');
      expect(await page.locator('#wrong').isVisible()).toBe(true);
    });
  });

  test.each([
    ['a phone', { viewport: { width: 390, height: 844 } }],
    [
      'a phone in the dark',
      { viewport: { width: 360, height: 740 }, colorScheme: 'dark' as const },
    ],
  ])('%s -> nothing is wider than the screen, and the charts are drawn', async (_name, options) => {
    await open(hostileResult(), options, async (page) => {
      expect(
        await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        ),
      ).toBe(0);
      expect(await inked(page, 'latency')).toBeGreaterThan(0.001);
    });
  });

  test('another width, another colour scheme -> drawn anew, once', async () => {
    await open(sampleResult(), {}, async (page) => {
      await page.setViewportSize({ width: 700, height: 800 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForFunction(
        `document.querySelector('#latency canvas').clientWidth <= document.querySelector('#latency').clientWidth`,
      );
      expect(await page.locator('#latency .uplot').count()).toBe(1);
    });
  });

  test('a run that never began, or ended in the warm-up -> a page that says so, without figures', async () => {
    const cut = { ...sampleResult(), endpoints: [], verdict: 'incomplete' as const };
    for (const result of [unplayed(), cut]) {
      await open(result, {}, async (page) => {
        expect(await page.locator('.verdict strong').textContent()).toBe('incomplete');
        expect(await page.locator('.tile b').nth(1).textContent()).toBe('– ');
        expect(await page.locator('#curve').count()).toBe(0);
        expect(await page.locator('#figures').count()).toBe(0);
      });
    }
  });
});
