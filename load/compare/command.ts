import { Command, InvalidArgumentError } from 'commander';
import { NotAReportError } from '../../conformance/report/read-report.ts';
import {
  asArgument,
  collectBy,
  type ProfileFlags,
  parseUrl,
  parseWhole,
  resolveProfile,
  withProfileFlags,
} from '../flags.ts';
import type { LoadCommandDeps } from '../load-run.ts';
import { EmptyMixError } from '../mix/mix-plan.ts';
import { UnreachableServiceError } from '../prepare/prepare-run.ts';
import { DEFAULT_FAIL_IF, type FailIf, InvalidFailIfError, parseFailIf } from './fail-if.ts';
import { NotALoadResultError } from './read-load-result.ts';
import { compareFiles, compareInterleaved } from './run-compare.ts';

type Flags = ProfileFlags & {
  readonly failIf?: readonly FailIf[];
  readonly interleave?: number;
};

/**
 * Returns the command `swapcheck compare`. Exits 1 on a regression beyond the
 * bounds or a rule that newly fails, else 0; 2 when it was used wrongly, 3 when
 * a service could not be measured.
 */
export function createCompareCommand(
  deps: Pick<LoadCommandDeps, 'version' | 'prepareJudge'>,
): Command {
  const command = new Command('compare')
    .description('compare two load results or two conformance reports, or two services in turns')
    .argument('<base>', 'a JSON report; with --interleave, a base URL')
    .argument('<head>', 'what is compared with it')
    .option(
      '--fail-if <bound>',
      "such as 'p99>10%' or 'swap:errors>0.5%', repeatable (default: p99>10%, errors>1%)",
      collectBy(parseBound),
    )
    .option(
      '--interleave <rounds>',
      'load two services in turns, so many rounds of the profile',
      parseRounds,
    );
  return withProfileFlags(command).action(async (base: string, head: string, flags: Flags) => {
    const bounds = flags.failIf ?? DEFAULT_FAIL_IF;
    const colour = !process.env['NO_COLOR'] && process.stdout.isTTY === true;
    try {
      process.exitCode =
        flags.interleave === undefined
          ? compareFiles(base, head, bounds, colour)
          : await compareInterleaved(
              {
                rounds: flags.interleave,
                base: parseUrl(base),
                head: parseUrl(head),
                run: {
                  profile: resolveProfile(flags, command),
                  seed: flags.seed,
                  chains: flags.chain ?? [],
                },
                apiKey: flags.apiKey ?? process.env['SWAPCHECK_API_KEY'] ?? '',
                bounds,
                colour,
              },
              deps,
            );
    } catch (error) {
      if (isMisuse(error)) command.error(`error: ${error.message}`, { exitCode: 2 });
      if (!(error instanceof UnreachableServiceError || error instanceof EmptyMixError))
        throw error;
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 3;
    }
  });
}

function isMisuse(error: unknown): error is Error {
  return (
    error instanceof InvalidArgumentError ||
    error instanceof NotAReportError ||
    error instanceof NotALoadResultError
  );
}

function parseBound(text: string): FailIf {
  return asArgument(InvalidFailIfError, () => parseFailIf(text));
}

function parseRounds(text: string): number {
  const rounds = parseWhole(text);
  if (rounds < 2) throw new InvalidArgumentError('Expected 2 rounds or more: one tells no noise.');
  return rounds;
}
