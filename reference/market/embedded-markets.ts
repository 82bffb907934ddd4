import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Market } from './market.ts';
import { parseMarket } from './parse-market.ts';

const require = createRequire(import.meta.url);
const EMBEDDED = ['#fixtures/markets/31337.json', '#fixtures/markets/31338.json'];

/** Returns the markets in the package, one per chain, by ascending chain id. */
export function loadEmbeddedMarkets(): readonly Market[] {
  return EMBEDDED.map((file) =>
    parseMarket(JSON.parse(readFileSync(require.resolve(file), 'utf8'))),
  );
}
