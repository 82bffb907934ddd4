import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from './external-programs.testing.ts';
import { serve, type TinyServer } from './tiny-server.testing.ts';

const SITE = fileURLToPath(new URL('../docs', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

let server: TinyServer;
let browser: Browser;

beforeAll(async () => {
  if (!existsSync(join(SITE, 'node_modules'))) {
    throw new Error('The generator of the site is missing: npm ci --prefix docs');
  }
  execFileSync('npm', ['run', 'build', '--prefix', SITE], { stdio: 'pipe' });
  server = await serve(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://site');
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const body = await readFile(join(SITE, '.vitepress/dist', path)).catch(() => undefined);
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
    });
    response.end(body);
  });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens a page of the site; whatever is missing or complained of is collected. */
async function open(path: string, width: number): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`${server.url}${path}`, { waitUntil: 'networkidle' });
  return { page, complaints };
}

describe('the site of the documentation', () => {
  test.each([390, 1280])(
    'a rule, %i px wide -> its words, its plan drawn, all there',
    async (width) => {
      const { page, complaints } = await open('/rules/plan/acyclic.html', width);
      expect(await page.locator('h1').textContent()).toContain('plan/acyclic');
      expect(await page.locator('h2').allTextContents()).toContainEqual(
        expect.stringContaining('What a client suffers'),
      );
      const drawn = "document.querySelector('.vp-doc img').naturalWidth";
      expect(await page.evaluate(drawn)).toBeGreaterThan(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        width,
      );
      expect(complaints).toEqual([]);
    },
  );

  test('a search -> finds the rule, and goes to its page', async () => {
    const { page, complaints } = await open('/', 1280);
    await page.keyboard.press('Control+k');
    await page.fill('.VPLocalSearchBox input', 'conserves-between');
    await page.locator('.VPLocalSearchBox .result').first().click();
    await page.waitForURL('**/rules/plan/conserves-between.html*');
    expect(complaints).toEqual([]);
  });
});
