import { createHash } from 'node:crypto';
import { type Markup, markup, trusted } from './markup.ts';
import { PAGE_STYLE } from './page-style.ts';

/** The content of a report's page. */
export type Page = {
  readonly title: string;
  /**
   * Style and script come only from this program. The style is appended to the style of all pages.
   */
  readonly style: string;
  readonly script: string;
  readonly header: Markup;
  readonly main: readonly Markup[];
  readonly footer: Markup;
  /** Data for the script, as JSON in the element `#data`. */
  readonly data?: unknown;
  /** True if the script may connect to the page's own server. */
  readonly connects?: true;
};

/**
 * Returns one self-contained page, which needs no network. Its content security policy permits only
 * its own style and script, by their hashes.
 */
export function writePage(page: Page): string {
  const { title, script, header, main, footer, data, connects, ...own } = page;
  const style = PAGE_STYLE + own.style;
  const policy = [
    "default-src 'none'",
    `style-src '${sha256(style)}'`,
    `script-src '${sha256(script)}'`,
    'img-src data:',
    ...(connects ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const whole = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title} · swapcheck</title>
<style>${trusted(style)}</style></head>
<body>${header}
<main>
${main.map((section) => markup`${section}\n`)}</main>
<footer>${footer}</footer>
${data === undefined ? markup`` : dataBlock(data)}<script type="module">${trusted(script)}</script></body></html>
`;
  return whole.text;
}

// Only "</" could end a data block, so every "<" is escaped.
function dataBlock(data: unknown): Markup {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c').replaceAll('##', '\\u0023#');
  return markup`<script type="application/json" id="data">${trusted(json)}</script>\n`;
}

function sha256(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
