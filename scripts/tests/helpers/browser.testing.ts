import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser } from './external-programs.testing.ts';
import { useFolder } from './use-folder.testing.ts';

/** Returns a browser that starts and stops with the tests of a file; `write` renders the pages that are opened from files. */
export function useBrowser<Subject>(write: (subject: Subject) => string = String) {
  let browser: Browser;
  const files = useFolder();
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  /**
   * Opens a page and passes it to `use`. Fails on messages in its console, except for
   * rejected requests, and on requests beyond its origin or its file.
   */
  async function visit(
    href: string,
    options: BrowserContextOptions,
    use: (page: Page) => Promise<void>,
  ): Promise<void> {
    const origin = href.startsWith('file:') ? href : new URL(href).origin;
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (!/status of 400/.test(message.text())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (request.url().startsWith(origin) || request.url().startsWith('data:')) return;
      problems.push(`requested ${request.url()}`);
    });
    await page.goto(href);
    await use(page);
    expect(problems).toEqual([]);
    await context.close();
  }

  return {
    /** The browser, available once the tests have started. */
    browser: () => browser,
    visit,
    /** Opens the page of a subject from a file, without a network. */
    open: (
      subject: Subject,
      options: BrowserContextOptions,
      use: (page: Page) => Promise<void>,
    ): Promise<void> => {
      const { href } = pathToFileURL(files.write('page.html', write(subject)));
      return visit(href, { ...options, offline: true }, use);
    },
  };
}

/** Returns the number of pixels by which a page is wider than the screen. */
export function excessWidth(page: Page): Promise<number> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

/** Returns the share of colored pixels in the chart of the element with this id. */
export function inkedShare(page: Page, id: string): Promise<number> {
  return page.evaluate(
    `(() => {
      const canvas = document.querySelector('#${id} canvas');
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
      let colored = 0;
      for (let i = 0; i < data.length; i += 4) {
        const spread = Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]);
        if (data[i + 3] > 60 && spread > 60) colored += 1;
      }
      return colored / (data.length / 4);
    })()`,
  );
}

/** Screen sizes that every page must fit. */
export const PHONES = [
  ['a phone', { viewport: { width: 390, height: 844 } }],
  ['a small phone, dark mode', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' }],
] as const satisfies [name: string, BrowserContextOptions][];
