import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Returns the text of a file of uPlot, the chart library of the pages. */
export function readUplot(file: string): string {
  return readFileSync(createRequire(import.meta.url).resolve(`uplot/dist/${file}`), 'utf8');
}
