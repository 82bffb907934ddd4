import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from './page.ts';
import { chartStyle, readSiblingFiles } from './page-style.ts';

/**
 * Returns the style and script of a page with charts: uPlot, the chart kit in `chart-kit.js`, and
 * the page's own files next to `module`.
 */
export function chartAssets(module: string, name: string): Pick<Page, 'style' | 'script'> {
  const ownStyle = readSiblingFiles(module, `${name}.css`);
  const ownScript = readSiblingFiles(module, `${name}.js`);
  const kit = readSiblingFiles(import.meta.url, 'chart-kit.js');
  return {
    style: readUplot('uPlot.min.css') + chartStyle() + ownStyle,
    script: `/*! uPlot: ${readUplot('../LICENSE')}*/\n${readUplot('uPlot.iife.min.js')}\n${kit}${ownScript}`,
  };
}

function readUplot(file: string): string {
  return readFileSync(createRequire(import.meta.url).resolve(`uplot/dist/${file}`), 'utf8');
}
