import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { XMLParser } from 'fast-xml-parser';
import { marked } from 'marked';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LoadReportOptionError, parseLoadReport, writeLoadReports } from './formats.ts';
import { writeLoadHtml } from './html.ts';
import { writeLoadJunit } from './junit.ts';
import type { LoadResult } from './load-result.ts';
import { writeLoadMarkdown } from './markdown.ts';
import { hostileResult, sampleResult } from './sample-result.testing.ts';
import { loadProfileSchema, loadResultSchema } from './schemas.ts';
import { writeLoadText } from './text.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'load-report-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the published schemas', () => {
  test.each([
    ['load-result', loadResultSchema],
    ['load-profile', loadProfileSchema],
  ])('docs/%s.schema.json -> what the types say', (name, schema) => {
    const url = new URL(`../../docs/${name}.schema.json`, import.meta.url);
    expect(JSON.parse(readFileSync(url, 'utf8'))).toEqual(schema());
  });

  test('any result, as JSON -> valid; without its verdict -> not', async () => {
    const validate = new Ajv2020().compile(loadResultSchema());
    for (const result of [sampleResult(), hostileResult()]) {
      const path = join(folder, 'result.json');
      await writeLoadReports(result, [{ format: 'json', path }], {
        write: () => {},
        colour: false,
      });
      expect(validate(JSON.parse(readFileSync(path, 'utf8')))).toBe(true);
    }
    const { verdict: _verdict, ...rest } = sampleResult();
    expect(validate(rest)).toBe(false);
  });
});

describe('parseLoadReport', () => {
  test.each([
    ['json', { format: 'json', path: 'reports/swapcheck-load.json' }],
    ['html=a=b.html', { format: 'html', path: 'a=b.html' }],
    ['text', { format: 'text', path: '-' }],
  ])('%s -> %o', (text, request) => {
    expect(parseLoadReport(text)).toEqual(request);
  });

  test.each(['', 'pdf', 'json=', 'toString'])('%s -> an error', (text) => {
    expect(() => parseLoadReport(text)).toThrow(LoadReportOptionError);
  });
});

describe('writeLoadText', () => {
  test('a run that passed -> figures by endpoint, thresholds, verdict', () => {
    const text = writeLoadText(sampleResult());
    expect(text).toMatch(/^swap calldata +\d+ +0 +[\d.]+ +[\d.]+ +[\d.]+/m);
    expect(text).toContain('✓ errors 0 % (at most 0.10 %)');
    expect(text).toContain('200.0 requests a second of 200.0 asked for');
    expect(text.trimEnd()).toMatch(/PASSED: all 4 thresholds held$/);
  });

  test('wrong replies and lost requests -> named, and nothing that steers a terminal', () => {
    const text = writeLoadText(hostileResult());
    expect(text).toContain('swap/conservation: 3 of 400 judged, first at 4 s');
    expect(text).toMatch(/\d+ timeout/);
    expect(text).not.toContain('\u0000');
    expect(text).toContain('left out swap rfq');
  });
});

describe('writeLoadMarkdown', () => {
  test('what a service sent -> text, no markup', () => {
    const html = marked(writeLoadMarkdown(hostileResult()), { async: false });
    expect(html).toContain('❌ Load steady: failed');
    expect(html).toContain('<td>swap calldata</td>');
    expect(html).not.toMatch(/<script|<img|<b>/);
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
  let browser: Browser;
  beforeAll(async () => {
    const executablePath = process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium';
    if (!existsSync(executablePath)) {
      throw new Error(
        `No browser at ${executablePath}: install it (apt-get install chromium) or name one in CHROMIUM_BIN.`,
      );
    }
    browser = await chromium.launch({
      executablePath,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(() => browser?.close());

  /** Opens a page without a network; fails on any word in its console and any request. */
  async function open(
    result: LoadResult,
    options: BrowserContextOptions,
    use: (page: Page) => Promise<void>,
  ): Promise<void> {
    const path = join(folder, 'report.html');
    writeFileSync(path, writeLoadHtml(result));
    const context = await browser.newContext({ ...options, offline: true });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (request.url() !== pathToFileURL(path).href && !request.url().startsWith('data:')) {
        complaints.push(`requested ${request.url()}`);
      }
    });
    await page.goto(pathToFileURL(path).href);
    await use(page);
    expect(complaints).toEqual([]);
    await context.close();
  }
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
    await open(sampleResult({ timeouts: 0.01 }), {}, async (page) => {
      for (const id of ['latency', 'rate', 'errors', 'curve']) {
        expect(await inked(page, id), id).toBeGreaterThan(0.001);
      }
      const names = await page.locator('#curve .u-legend .u-label').allTextContents();
      expect(names).toEqual(['share', 'all', 'swap', 'swap calldata', 'tokens', 'invalid']);
      expect(await page.locator('table.figures tbody tr').count()).toBe(5);
      expect(await page.locator('.verdict strong').textContent()).toBe('failed');
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

  test('a run in which nothing was measured -> a page that says so', async () => {
    const empty = { ...sampleResult(), endpoints: [], series: [], verdict: 'incomplete' as const };
    await open(empty, {}, async (page) => {
      expect(await page.locator('.verdict strong').textContent()).toBe('incomplete');
    });
  });
});
