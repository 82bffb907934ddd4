import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PLAN_STYLE } from '../../conformance/drawing/plan-style.ts';
import { PAGE_STYLE } from '../../conformance/output/page-style.ts';
import { PAGE_CSS, PAGE_HTML } from '../../reference/page/page-html.ts';
import type { ServedFile } from '../../reference/server/app.ts';

const NOT_BUILT =
  "document.getElementById('news').textContent = 'The script of this page is missing: run npm run build.';";

/**
 * Returns the files of the page at `/` by path. Its script is the bundle of
 * `browser/page-script.ts`.
 */
export function pageFiles(): ReadonlyMap<string, ServedFile> {
  const root = dirname(createRequire(import.meta.url).resolve('#package'));
  const script = join(root, 'dist/page/page.js');
  const file = (type: string, body: string | Buffer) => ({ type: `${type}; charset=utf-8`, body });
  return new Map([
    ['/', file('text/html', PAGE_HTML)],
    ['/page/page.css', file('text/css', PAGE_STYLE + PLAN_STYLE + PAGE_CSS)],
    [
      '/page/page.js',
      file('text/javascript', existsSync(script) ? readFileSync(script) : NOT_BUILT),
    ],
  ]);
}
