import { existsSync } from 'node:fs';
import { type ReachFlags, readReach } from '../client/access-options.ts';
import type { Access } from '../client/client.ts';
import { MAX_TARGET_CHARACTERS } from '../client/exchange.ts';
import type { Reach } from '../client/reach.ts';
import type { OwnRule } from '../library/define-rule.ts';
import { catalogWith } from '../library/own-rules.ts';
import type { ConformanceOptions } from '../library/run-conformance.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { readText } from '../output/read-file.ts';
import { notify } from '../output/terminal.ts';
import { UsageError } from '../output/usage-error.ts';
import { tryFile, tryReportPaths } from '../output/write-reports.ts';
import { readReport } from '../report/comparison-document.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import type { Repeat } from '../runner/run-options.ts';
import { assertService } from '../service/config-file.ts';
import { type ForkSource, forksInEnvironment, type SettleOn } from '../service/fork-option.ts';
import type { CheckFlags } from './check-captures.ts';
import { checkSelection, readRules } from './rules-file.ts';
import { readWaivers } from './waiver-file.ts';

/** The parsed options of `test` and `execute`: settings of the run, and files. */
export type TestFlags = CheckFlags &
  ReachFlags &
  Omit<ConformanceOptions, keyof Reach | 'service' | 'apiKey' | 'rules'> &
  Pick<Access, 'apiKey'> & {
    readonly writeWaivers?: string;
    readonly pruneWaivers?: boolean;
    /** A report with the failures to repeat first; true for the JSON report of this command. */
    readonly lastFailed?: string | true;
    /** Judges again whenever files of the service change. */
    readonly watch?: boolean;
    /** Maximum time until the service responds, in seconds. */
    readonly wait?: number;
    readonly config?: string | false;
    readonly record?: readonly string[];
    readonly settleOn?: SettleOn;
  };

/** The options, plus the content of the files that they name. */
export type JudgeSettings = Omit<TestFlags, keyof ReachFlags> &
  Reach & {
    readonly rules: readonly OwnRule[];
    /** Time at which the run started, by `performance.now()`. */
    readonly startedAt: number;
  };

/**
 * Returns the settings for judging the service at `url`, or the built-in service. Validates as much
 * as possible before the first request.
 *
 * @throws {UsageError} for options that contradict each other, and files that cannot be used.
 */
export async function readSettings(
  url: URL | undefined,
  kinds: readonly Rule['kind'][],
  given: TestFlags,
  isTyped: (flag: keyof TestFlags) => boolean,
): Promise<JudgeSettings> {
  checkFlags(given, url);
  const flags = withLastFailed(given, isTyped);
  const { waiverFile, writeWaivers } = flags;
  const rules = await readRules(flags.ruleFiles);
  checkSelection(flags, catalogWith(rules, kinds));
  const ruleIds = new Set(catalogWith(rules).map(({ id }) => id));
  const waivers = waiverFile === undefined ? [] : readWaivers(waiverFile, ruleIds);
  await tryReportPaths(flags.report);
  if (writeWaivers !== undefined) await tryFile(writeWaivers, `--write-waivers ${writeWaivers}`);
  const startedAt = performance.now();
  const forks = await checkForks(url, kinds, flags);
  const forkedChains = flags.forks?.map(({ chainId }) => chainId);
  const files = { rules, waivers, ...readReach(flags) };
  return { ...flags, ...files, kinds, forks, forkedChains, startedAt };
}

function checkFlags(
  { waiverFile, pruneWaivers, wait, config }: TestFlags,
  service: URL | undefined,
): void {
  if (pruneWaivers && waiverFile === undefined) {
    throw new UsageError('--prune-waivers: --waivers FILE is required, too');
  }
  assertService(config, service);
  if (wait !== undefined && service === undefined) {
    throw new UsageError('--wait: a BASE_URL is required');
  }
}

/**
 * The report's seed and failed rules take precedence over the configuration, but not over the
 * command line.
 */
function withLastFailed(flags: TestFlags, isTyped: (flag: keyof TestFlags) => boolean): TestFlags {
  const { lastFailed, only, seed } = flags;
  if (lastFailed === undefined) return flags;
  if (typeof lastFailed === 'string' && /^https?:/i.test(lastFailed)) {
    throw new UsageError(
      `--last-failed ${lastFailed}: expected a JSON report; write the BASE_URL before --last-failed`,
    );
  }
  const written = flags.report.find(({ format, path }) => format === 'json' && path !== '-');
  const path = lastFailed === true ? (written?.path ?? REPORT_FORMATS.json.path) : lastFailed;
  // Without a value, the next run finds what this one writes.
  const report =
    lastFailed !== true || written !== undefined
      ? flags.report
      : [...flags.report, { ...REPORT_FORMATS.json, format: 'json' }];
  if (!existsSync(path)) {
    notify(`${path} does not exist yet: judging everything.`);
    return { ...flags, report };
  }
  const repeat = repeatOf(readReport(readText(path, `--last-failed: ${path}`), path));
  if (repeat === undefined) {
    notify(`Nothing failed in ${path}: judging everything.`);
    return { ...flags, report };
  }
  return {
    ...flags,
    report,
    repeat,
    seed: isTyped('seed') ? seed : repeat.seed,
    only: isTyped('only') ? only : only && [...only, ...repeat.rules],
  };
}

/** Returns the failures of a report, to judge first; undefined if nothing failed. */
export function repeatOf({
  rules,
  seed,
}: Pick<Report, 'rules' | 'seed'>): (Repeat & { readonly seed: number }) | undefined {
  const failed = rules.filter(({ outcome }) => outcome === 'fail');
  if (failed.length === 0) return undefined;
  const exchanges = failed.flatMap(({ failures }) => failures.map(({ exchange }) => exchange));
  const requests = exchanges
    .filter(({ method, target }) => method === 'GET' && isWhole(target))
    .map(({ target }) => target);
  return { rules: failed.map(({ id }) => id), requests: [...new Set(requests)], seed };
}

/** A request cannot be repeated if its path was truncated, or if more than the key was redacted. */
function isWhole(target: string): boolean {
  return /^\/[!-~]*$/.test(target) && target.length < MAX_TARGET_CHARACTERS;
}

/**
 * Returns the nodes from `--fork`. For a run that judges only settlement, nodes from the
 * environment are the default. Checks that the nodes' chains can be forked.
 *
 * @throws {UsageError} if a node serves another chain than the given one, or a required node is
 * missing
 * @throws {NodeUnreachableError} if a node does not respond
 * @throws {AnvilNotFoundError} if Anvil is not installed
 */
export async function checkForks(
  url: URL | undefined,
  kinds: readonly Rule['kind'][],
  {
    forks: named,
    maxTimeMs,
    settleOn,
  }: Pick<ConformanceOptions, 'forks' | 'maxTimeMs'> & { readonly settleOn?: SettleOn },
): Promise<readonly ForkSource[] | undefined> {
  const executesOnly = kinds.length > 0;
  if (named === undefined && (!executesOnly || url === undefined)) return undefined;
  const { checkForkSources } = await import('../execution/fork/check-sources.ts');
  const forks = (named ?? forksInEnvironment()).map((each) => ({
    ...each,
    ...(settleOn && { settleOn }),
  }));
  if (forks.length === 0) {
    throw new UsageError(
      'execute needs a node for each chain: pass --fork CHAIN=RPC or set SWAPCHECK_RPC_<CHAIN>',
    );
  }
  await checkForkSources(forks, maxTimeMs && maxTimeMs / 1000);
  return forks;
}
