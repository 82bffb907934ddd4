import { Command, InvalidArgumentError } from 'commander';
import { routerNameOption, withReachOptions } from '../../conformance/client/access-options.ts';
import { userOption } from '../../conformance/discovery/user-option.ts';
import {
  decimalNumber,
  repeated,
  wholeNumber,
  withNames,
} from '../../conformance/output/option-values.ts';
import { reportOption } from '../../conformance/output/report-formats.ts';
import { withConfigOptions } from '../../conformance/service/config-options.ts';
import { forkOption } from '../../conformance/service/fork-option.ts';
import { DEFAULT_SETTINGS } from '../model/default-settings.ts';
import type { StudyReport } from '../model/study-report.ts';
import { STUDY_FORMATS } from '../report/formats.ts';
import type { StudyDeps, StudyFlags } from './study.ts';

/**
 * Returns the command `swapcheck study`. It exits with 0 if everything was measured, with 2 on
 * wrong usage, and with 3 if trades are missing.
 */
export function createStudyCommand(deps: StudyDeps): Command {
  const command = withNames(new Command('study'), { '--timeout': 'timeoutMs' })
    .argument(
      '[URL...]',
      'base URLs of the services; trades use pairs of the first service (default: the built-in reference on its built-in chains)',
    )
    .option(
      '--api-key <key>',
      'the API key: one for all services, or one for each in their order (default: $SWAPCHECK_API_KEY)',
      repeated(String),
    )
    .addOption(forkOption());
  withConfigOptions(withReachOptions(withSettings(command)))
    .option('--rate <rps>', 'maximum requests per second to each service', decimalNumber('more'))
    .option(
      '--timeout <ms>',
      'maximum time for a complete reply (default: 10000)',
      wholeNumber(1, 600_000),
    )
    .option('--max-time <s>', 'end the study early after this many seconds', decimalNumber('more'))
    .addOption(routerNameOption())
    .addOption(userOption())
    .option(
      '--best',
      'compare quotes with the best plan that the reference finds over the pools in plans (an observation)',
    )
    .option(
      '--market <file>',
      'compare quotes with the best plan over the pools of a market or pools file instead',
    )
    .addOption(reportOption<StudyReport>(STUDY_FORMATS));
  return command.action(async (named: readonly string[]) => {
    const [{ study }, { applyConfig, assertService }] = await Promise.all([
      import('./study.ts'),
      import('../../conformance/service/config-file.ts'),
    ]);
    const { url, start } = applyConfig(command, named[0]);
    const flags = command.opts<StudyFlags & { readonly config?: string | false }>();
    assertService(flags.config, url);
    const urls = named.length > 0 || url === undefined ? named : [url];
    process.exitCode = await study({ urls, start }, flags, deps);
  });
}

function withSettings(command: Command): Command {
  const { trades, sizes, blocks, seed } = DEFAULT_SETTINGS;
  return command
    .option(
      '--trades <n>',
      `trades to request, in complete ladders (default: ${trades})`,
      wholeNumber(1, 100_000),
    )
    .option(
      '--sizes <usd,...>',
      `values of the trades in a ladder, in US dollars (default: ${sizes.join()})`,
      numberList(decimalNumber('more')),
    )
    .option(
      '--blocks <n,...>',
      `blocks after the quote at which plans are settled (default: ${blocks.join()})`,
      numberList(wholeNumber(0, 10_000)),
    )
    .option(
      '--tolerance <share>',
      'slippage tolerance of the calldata (default: 1, so that every outcome is measured)',
      tolerance,
    )
    .option('--gas-price <gwei>', "gas price (default: the chain's)", decimalNumber('zero'))
    .option(
      '--seed <n>',
      `seed of the trades: the same seed requests the same trades (default: ${seed})`,
      wholeNumber(0, 2 ** 31 - 1),
    );
}

function numberList(parse: (text: string) => number): (text: string) => number[] {
  return (text) => [...new Set(text.split(',').map(parse))].sort((a, b) => a - b);
}

function tolerance(text: string): number {
  const value = decimalNumber('zero')(text);
  const steps = Math.round(value * 10_000);
  if (value <= 1 && Math.abs(steps - value * 10_000) < 1e-9) return value;
  throw new InvalidArgumentError('Expected a share from 0 to 1 in steps of 0.0001.');
}
