import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import type { Replayed } from '../execution/explain/evidence.ts';
import type { SettlementEvidence } from '../model/evidence.ts';
import { decimalNumber } from '../output/option-values.ts';
import { readText } from '../output/read-file.ts';
import { commonFormats, type ReportRequest, reportOption } from '../output/report-formats.ts';
import { UsageError } from '../output/usage-error.ts';
import { type ForkSource, forkOption, forksInEnvironment } from '../service/fork-option.ts';

/**
 * Returns functions that start and stop a built-in chain; undefined if the chain is not built in.
 */
export type BuiltInChain = (
  chainId: number,
) => { readonly start: () => Promise<string>; readonly stop: () => Promise<void> } | undefined;

type ReplayFlags = {
  readonly forks?: readonly ForkSource[];
  readonly report: readonly ReportRequest<Replayed>[];
  /** Maximum time, in seconds. */
  readonly maxTime?: number;
};

const DEFAULT_MAX_TIME_S = 300;

const FORMATS = commonFormats<Replayed>(
  'reports/swapcheck-replay',
  async () => (await import('../report/evidence-document.ts')).evidenceDocument,
  ({ evidence }) => evidence,
);

/** Returns `swapcheck replay`, which repeats a failed settlement. */
export function createReplayCommand(builtInChain: BuiltInChain): Command {
  const command = new Command('replay')
    .argument('<FILE>', 'the evidence file that a run wrote next to its report')
    .addOption(forkOption())
    .option(
      '--max-time <s>',
      'stop after this many seconds',
      decimalNumber('more'),
      DEFAULT_MAX_TIME_S,
    )
    .addOption(reportOption(FORMATS));
  return command.action(async (path: string) => {
    process.exitCode = await replayFile(path, command.opts<ReplayFlags>(), builtInChain);
  });
}

/**
 * Repeats the settlement in a file, writes the reports, and returns the exit code: 1 if the
 * settlement still fails, otherwise 0.
 *
 * @throws {UsageError} for a file without a settlement, or if no node of its chain is given
 */
export async function replayFile(
  path: string,
  { forks, report, maxTime = DEFAULT_MAX_TIME_S }: ReplayFlags,
  builtInChain: BuiltInChain,
): Promise<number> {
  const [{ readEvidence, replayVerdict }, { publishReports, tryReportPaths }] = await Promise.all([
    import('../report/evidence-document.ts'),
    import('../output/write-reports.ts'),
  ]);
  const evidence = readEvidence(readText(path), path);
  await tryReportPaths(report);
  const { chainId } = evidence.scenario;
  const saved = forks === undefined ? await savedChain(path, evidence) : undefined;
  const named = saved
    ? undefined
    : (forks ?? forksInEnvironment()).find((each) => each.chainId === chainId);
  const started = saved ?? (named || forks ? undefined : builtInChain(chainId));
  const source = named ?? (started && { chainId, rpcUrl: started.start });
  if (source === undefined) {
    throw new UsageError(
      `${path} is for chain ${chainId}: pass --fork ${chainId}=RPC or set SWAPCHECK_RPC_${chainId}`,
    );
  }
  try {
    const [{ checkForkSources }, { replayEvidence }] = await Promise.all([
      import('../execution/fork/check-sources.ts'),
      import('../execution/explain/evidence.ts'),
    ]);
    if (named !== undefined) await checkForkSources([named]);
    const replayed = await replayEvidence(source, evidence, maxTime * 1000).finally(() =>
      saved?.check(),
    );
    const verdict = replayVerdict(replayed);
    await publishReports(replayed, report, {
      verdict: `${verdict.toUpperCase()}: ${evidence.trade}`,
    });
    return verdict === 'fails' ? 1 : 0;
  } finally {
    await started?.stop();
  }
}

async function savedChain(path: string, { scenario: { chainId }, state }: SettlementEvidence) {
  const file = state === undefined ? undefined : join(dirname(path), state);
  if (file === undefined || !existsSync(file)) return undefined;
  const [{ readChainState }, { serveState }] = await Promise.all([
    import('../report/evidence-document.ts'),
    import('../execution/node/saved-state.ts'),
  ]);
  const content = readChainState(readText(file), file);
  const node = await serveState(content);
  return {
    start: async () => node.url,
    stop: node.stop,
    /** Throws if the saved state was incomplete, since a missing value may look like a revert. */
    check: () => {
      const [first] = node.missing();
      if (first !== undefined) throw new StateMissingError(file, chainId, first);
    },
  };
}

/** A saved state lacks a value that the settlement reads. */
export class StateMissingError extends Error {
  override readonly name = 'StateMissingError';

  constructor(file: string, chainId: number, read: string) {
    super(
      `${file} lacks state that this settlement reads, such as ${read}, since it now runs differently: ` +
        `pass --fork ${chainId}=RPC`,
    );
  }
}
