import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Market } from './market.ts';
import { parseMarket } from './parse-market.ts';

const require = createRequire(import.meta.url);
const EMBEDDED = ['#fixtures/markets/31337.json', '#fixtures/markets/31338.json'];

let loaded: readonly Market[] | undefined;

/**
 * Returns the markets that come with the package, one a chain, in order of chain
 * id: the same each time, so that what is worked out for them is worked out once.
 */
export function loadEmbeddedMarkets(): readonly Market[] {
  loaded ??= EMBEDDED.map((file) =>
    parseMarket(JSON.parse(readFileSync(require.resolve(file), 'utf8'))),
  );
  return loaded;
}
