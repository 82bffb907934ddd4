import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import type { Report } from '../../conformance/model/report.ts';
import { type Markup, markup, trusted } from '../../conformance/output/markup.ts';
import { renderText } from '../../conformance/output/text.ts';
import { write as writeReport } from '../../conformance/report/html.ts';
import { reportDocument } from '../../conformance/report/report-document.ts';
import { launchBrowser } from '../../fixtures/testing/external-programs.testing.ts';
import { write as writeLoad } from '../../load/report/html.ts';
import { sampleResult } from '../../load/result/sample-result.testing.ts';
import { STEADY_MUTANTS } from '../tests/mutants/catalog.ts';
import { middlewareOf } from '../tests/mutants/faults/middleware.ts';
import { judgeMutant } from '../tests/mutants/mutant-run.testing.ts';

/*
 * Writes the pictures for the README and docs: a report on the reference with two faults, as a page
 * and in a terminal, and the page of a load run with sample metrics.
 */

const FOLDER = new URL('../../docs/pictures/', import.meta.url);
const FAULTS = ['plan/leak-of-five-ppm', 'swap/gas-limit-withheld'];
const SHOWN_URL = 'https://swap.example.org';

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
  const text = renderText(reportDocument(judged), { color: true, isBrief: true });
  return [`$ swapcheck test ${SHOWN_URL}`, '', ...text.trimEnd().split('\n')];
}

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

const CHARACTER_PX = 7.83;
const LINE_PX = 18;
const MAX_CHARACTERS = 118;
const STYLES: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
};
const STYLE = `.screen{fill:#12161d}text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e4e9f0;white-space:pre}.bold{font-weight:700}.dim{fill:#9aa6b6}.red{fill:#ff7a82}.green{fill:#58c98b}.yellow{fill:#e5b04d}.cyan{fill:#6fc3df}`;

function drawTerminal(lines: readonly string[]): string {
  const cut = lines.map((line) => cutLine(line));
  const longest = Math.max(...cut.map((line) => stripVTControlCharacters(line).length));
  const width = Math.ceil(longest * CHARACTER_PX) + 32;
  const height = lines.length * LINE_PX + 28;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>${lines[0]}</title><style>${trusted(STYLE)}</style><rect class="screen" width="${width}" height="${height}" rx="10"/>
${cut.map((line, at) => markup`<text x="16" y="${at * LINE_PX + 28}" xml:space="preserve">${spans(line)}</text>\n`)}</svg>\n`
    .text;
}

function spans(line: string): Markup[] {
  const styles = new Set<string>();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal codes begin with it
  return line.split(/\u001b\[(\d+)m/).flatMap((piece, at) => {
    if (at % 2 === 0) {
      return piece === '' ? [] : [markup`<tspan class="${[...styles].join(' ')}">${piece}</tspan>`];
    }
    const style = STYLES[piece];
    if (style !== undefined) styles.add(style);
    else if (piece === '22') for (const weight of ['bold', 'dim']) styles.delete(weight);
    else for (const color of ['red', 'green', 'yellow', 'cyan']) styles.delete(color);
    return [];
  });
}

function cutLine(line: string): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= MAX_CHARACTERS ? line : `${plain.slice(0, MAX_CHARACTERS - 1)}…`;
}

const report = await judgeFaults();
writeFileSync(new URL('terminal.svg', FOLDER), drawTerminal(terminalLines(report)));
const browser = await launchBrowser();
await takePicture(browser, 'report.webp', writeReport(report), async (page) => {
  const leak = page.locator('details.failure[data-rules~="plan/conserves-between"]').first();
  await page.locator('details.failure').evaluateAll((cards) => {
    for (const card of cards) card.removeAttribute('open');
  });
  await leak.locator('summary').first().click();
  await page.evaluate('scrollTo(0, 0)');
});
await takePicture(browser, 'load.webp', writeLoad(sampleResult({ timeouts: 0.004, seconds: 60 })));
await browser.close();

// The judged reference is still listening.
process.exit();
