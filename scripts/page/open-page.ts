import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PLAN_STYLE } from '../../conformance/drawing/plan-style.ts';
import { PAGE_STYLE, readBeside } from '../../conformance/output/page-style.ts';
import type { ServedFile } from '../../reference/server/options.ts';
import { PAGE_HTML } from './page-html.ts';

const TEXT = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

const NOT_BUILT =
  "document.getElementById('news').textContent = 'The script of this page is not built: run npm run build.';";

/** Returns the files of the page by path; its script is the one that the build made of `browser/`. */
export function pageFiles(): ReadonlyMap<string, ServedFile> {
  const root = dirname(createRequire(import.meta.url).resolve('#package'));
  const script = join(root, 'dist/page/page.js');
  return new Map([
    ['/', { type: TEXT.html, body: PAGE_HTML }],
    [
      '/page/page.css',
      { type: TEXT.css, body: PAGE_STYLE + PLAN_STYLE + readBeside(import.meta.url, 'page.css') },
    ],
    [
      '/page/page.js',
      { type: TEXT.js, body: existsSync(script) ? readFileSync(script) : NOT_BUILT },
    ],
  ]);
}
