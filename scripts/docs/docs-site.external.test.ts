import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { excessWidth, useBrowser } from '../../fixtures/testing/browser.testing.ts';
import { serve, type TinyServer } from '../../fixtures/testing/tiny-server.testing.ts';

const SITE = fileURLToPath(new URL('../../docs', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

let server: TinyServer;
const { visit } = useBrowser();

beforeAll(async () => {
  if (!existsSync(join(SITE, 'node_modules'))) {
    throw new Error('the site generator is missing: run npm ci --prefix docs');
  }
  execFileSync('npm', ['run', 'docs:rules'], { stdio: 'pipe' });
  execFileSync('npm', ['run', 'build', '--prefix', SITE], { stdio: 'pipe' });
  server = await serve(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://site');
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const body = await readFile(join(SITE, '.vitepress/dist', path)).catch(() => undefined);
    // Browsers request an icon, but the site has none.
    response.writeHead(body || path === '/favicon.ico' ? 200 : 404, {
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
    });
    response.end(body);
  });
});

afterAll(() => server?.close());

describe('the site of the documentation', () => {
  test.each([390, 1280])(
    'the page of a rule at %i px -> text and drawing of the plan, without overflow',
    async (width) => {
      const url = `${server.url}/rules/plan/acyclic.html`;
      await visit(url, { viewport: { width, height: 900 } }, async (page) => {
        await page.waitForLoadState('networkidle');
        expect(await page.locator('h1').textContent()).toContain('plan/acyclic');
        expect(await page.locator('h2').allTextContents()).toContainEqual(
          expect.stringContaining('Harm to clients'),
        );
        const drawn = "document.querySelector('.vp-doc img').naturalWidth";
        expect(await page.evaluate(drawn)).toBeGreaterThan(0);
        expect(await excessWidth(page)).toBeLessThanOrEqual(0);
      });
    },
  );

  test('a search -> finds the rule and opens its page', async () => {
    const viewport = { width: 1280, height: 900 };
    await visit(`${server.url}/`, { viewport }, async (page) => {
      await page.waitForLoadState('networkidle');
      await page.keyboard.press('Control+k');
      await page.fill('.VPLocalSearchBox input', 'conserves-between');
      await page.locator('.VPLocalSearchBox .result').first().click();
      await page.waitForURL('**/rules/plan/conserves-between.html*');
    });
  });
});
