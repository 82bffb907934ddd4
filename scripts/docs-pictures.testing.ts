import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Report } from '../conformance/model/report.ts';
import { renderText } from '../conformance/output/text.ts';
import { write as writeReport } from '../conformance/report/html.ts';
import { reportDocument } from '../conformance/report/report-document.ts';
import { write as writeLoad } from '../load/report/html.ts';
import { sampleResult } from '../load/result/sample-result.testing.ts';
import { STEADY_MUTANTS } from '../reference/mutants/catalog.ts';
import { middlewareOf } from '../reference/mutants/faults/middleware.ts';
import { findProgram } from './external-programs.testing.ts';
import { judgeMutant } from './mutant-run.testing.ts';
import { drawTerminal } from './terminal-picture.testing.ts';

/*
 * The pictures of README: a report on the reference with two faults in it, as a
 * page and in a terminal, and the page of a load run of sample figures.
 */

const FOLDER = new URL('../docs/pictures/', import.meta.url);
const FAULTS = ['plan/leak-of-five-ppm', 'swap/gas-limit-withheld'];
const SHOWN_URL = 'https://swap.example.org';

const report = await judgeFaults();
writeFileSync(new URL('terminal.svg', FOLDER), drawTerminal(terminalLines(report)));
const browser = await chromium.launch({
  executablePath: findProgram('chromium'),
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
await takePicture(browser, 'report.webp', writeReport(report), async (page) => {
  const leak = page.locator('#failure-plan-conserves-between');
  if (!(await leak.evaluate((card) => card.hasAttribute('open')))) {
    await leak.locator('summary').first().click();
  }
});
await takePicture(browser, 'load.webp', writeLoad(sampleResult({ timeouts: 0.004, seconds: 60 })));
await browser.close();

async function judgeFaults(): Promise<Report> {
  const faults = STEADY_MUTANTS.filter(({ id }) => FAULTS.includes(id));
  const { report: judged } = await judgeMutant({
    middleware: () =>
      faults
        .map(middlewareOf)
        .reduce((outer, inner) => (ctx, next) => outer(ctx, () => inner(ctx, next))),
    seed: 1,
  });
  const text = JSON.stringify({ ...judged, version: '0.1.0' });
  return JSON.parse(text.replaceAll(judged.target, SHOWN_URL));
}

function terminalLines(judged: Report): readonly string[] {
  const text = renderText(reportDocument(judged), { colour: true, isBrief: true });
  return [`$ npx swapcheck test ${SHOWN_URL}`, '', ...text.trimEnd().split('\n')];
}

/** Takes a picture of the first screen of a page, once it is as it is to be shown. */
async function takePicture(
  browser: Browser,
  name: string,
  html: string,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
  const path = join(folder, 'page.html');
  writeFileSync(path, html);
  const context = await browser.newContext({
    viewport: { width: 1180, height: 1240 },
    colorScheme: 'light',
    offline: true,
  });
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  await prepare(page);
  const session = await context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 72 });
  writeFileSync(new URL(name, FOLDER), Buffer.from(data, 'base64'));
  await context.close();
  rmSync(folder, { recursive: true });
}
