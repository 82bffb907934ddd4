import { readText } from '../output/read-text.ts';
import { readReport } from '../report/comparison-document.ts';
import type { Repeat } from '../runner/run-options.ts';

/**
 * Returns the failures in a JSON report, and the seed of its run; undefined if nothing failed.
 *
 * @throws {UsageError} for a file that cannot be read, or is not a report.
 */
export function readLastFailed(path: string): (Repeat & { readonly seed: number }) | undefined {
  const { rules, seed } = readReport(readText(path, `--last-failed: ${path}`), path);
  const failed = rules.filter(({ outcome }) => outcome === 'fail');
  if (failed.length === 0) return undefined;
  const exchanges = failed.flatMap(({ failures }) => failures.map(({ exchange }) => exchange));
  const requests = exchanges
    .filter(({ method, target }) => method === 'GET' && isWhole(target))
    .map(({ target }) => target);
  return { rules: failed.map(({ id }) => id), requests: [...new Set(requests)], seed };
}

/** Returns whether a target can be sent again: it is a path, and was not cut or redacted beyond the key. */
function isWhole(target: string): boolean {
  return /^\/[!-~]*$/.test(target) && target.length < MAX_REPORTED_CHARACTERS;
}

/** Reports cut targets at this length. */
const MAX_REPORTED_CHARACTERS = 8_000;
