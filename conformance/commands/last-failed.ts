import { readFileSync } from 'node:fs';
import { readQuery } from '../client/request.ts';
import { UsageError } from '../output/usage-error.ts';
import { readReport } from '../report/comparison-document.ts';
import { CATALOG } from '../rules/catalog.ts';

/** The failures of an earlier run, as options of the next. */
export type LastFailed = {
  readonly only: readonly string[];
  /** The requests that failed; undefined if rules send their own. */
  readonly request?: readonly string[];
  /** Their chains; undefined for all. */
  readonly chain?: readonly number[];
  readonly seed: number;
};

/**
 * Returns the rules and requests that failed in a JSON report; undefined if none did.
 *
 * @throws {UsageError} for a file that cannot be read, or is not a report.
 */
export function readLastFailed(path: string): LastFailed | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(`--last-failed: ${path} cannot be read (${code})`, { cause });
  }
  const { rules, seed } = readReport(text, path);
  const failed = rules.filter(({ outcome }) => outcome === 'fail');
  if (failed.length === 0) return undefined;
  const kinds = new Map(CATALOG.map(({ id, kind }) => [id, kind]));
  const onReplies = failed.filter(({ id }) => ['reply', 'exchange'].includes(kinds.get(id) ?? ''));
  const request = [
    ...new Set(
      onReplies
        .flatMap(({ failures }) => failures.map(({ exchange }) => exchange.target))
        .filter((target) => target.startsWith('/')),
    ),
  ];
  const only = failed.map(({ id }) => id);
  // Rules that send their own requests need every chain, and settlement rules need the usual traffic.
  if (onReplies.length < failed.length) return { only, seed };
  const chain = [...new Set(request.map(chainIn))].filter((id) => id !== undefined);
  const isOnChains = chain.length > 0 && request.every((target) => chainIn(target) !== undefined);
  return { only, seed, request, ...(isOnChains && { chain }) };
}

function chainIn(target: string): number | undefined {
  const id = Number(readQuery(target).find(([name]) => name === 'chainId')?.[1] ?? Number.NaN);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}
