import { Command, Option } from 'commander';
import { parseChainId, routerNameOption, withReachOptions } from '../client/access-options.ts';
import { userOption } from '../discovery/user-option.ts';
import { PROFILES } from '../generate/budget.ts';
import type { Rule } from '../model/rule.ts';
import {
  decimalNumber,
  inUnits,
  repeated,
  wholeNumber,
  withNames,
} from '../output/option-values.ts';
import { reportOption } from '../output/report-formats.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import { withConfigOptions } from '../service/config-options.ts';
import { forkOption, settleOnOption } from '../service/fork-option.ts';
import type { StartSubject } from './judge.ts';
import type { TestFlags } from './judge-settings.ts';
import {
  addSelectionOptions,
  rulesOption,
  toleranceOption,
  verboseOption,
  waiversOption,
} from './judging-options.ts';

/** Returns `swapcheck test`, which judges a service against all rules in the catalog. */
export function createTestCommand(startSubject: StartSubject): Command {
  const command = addSelectionOptions(createJudgingCommand('test', startSubject, []))
    .option(
      '--request <path?query>',
      'send this request instead of the traffic that covers the market, repeatable',
      repeated(String),
    )
    .addOption(rulesOption())
    .option(
      '--last-failed [report]',
      'first repeat the failures in this JSON report (default: the one that the last run wrote), and judge the rest only if none persists',
    )
    .option(
      '--watch',
      'start the service of swapcheck.yaml, and judge again whenever its files change, failed rules first',
    );
  return groupOptions(command);
}

/** Returns `swapcheck execute`, which judges only by executing plans on forked chains. */
export function createExecuteCommand(startSubject: StartSubject): Command {
  return groupOptions(createJudgingCommand('execute', startSubject, ['settlement']));
}

/** Groups of options in the help. The first is what most runs need, and fits on a page. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Used most:': [
    ...['api-key', 'only', 'level', 'profile', 'fork', 'report', 'last-failed', 'watch', 'waivers'],
    ...['max-time', 'verbose'],
  ],
  'What is judged:': ['chain', 'request', 'rules', 'tolerance-ppm', 'frozen', 'seed'],
  'How plans are settled:': ['require-fork', 'settle-on', 'user'],
  'How requests are sent:': [
    ...['rate', 'concurrency', 'max-requests', 'timeout', 'max-body', 'wait', 'bail'],
    ...['router-name', 'header', 'proxy', 'ca', 'client-cert', 'client-key', 'insecure'],
  ],
  'Files:': ['config', 'no-config', 'record', 'write-waivers', 'prune-waivers'],
};

/** Sorts the options by group. */
function groupOptions(command: Command): Command {
  const names = Object.values(GROUPS).flat();
  const options = command.options as Option[];
  const placeOf = ({ long }: Option) => {
    const place = names.indexOf(long?.slice(2) ?? '');
    return place < 0 ? names.length : place;
  };
  options.sort((a, b) => placeOf(a) - placeOf(b));
  for (const option of options) {
    const group = Object.entries(GROUPS).find(([, all]) =>
      all.includes(option.long?.slice(2) ?? ''),
    );
    if (group !== undefined) option.helpGroup(group[0]);
  }
  return command;
}

function createJudgingCommand(
  name: string,
  startSubject: StartSubject,
  kinds: readonly Rule['kind'][],
): Command {
  const command = withConfigOptions(withReachOptions(withRunOptions(new Command(name))));
  return command.action(async (named: string | undefined) => {
    // Loaded on demand, so that help and other commands start without the catalog.
    const [{ judge }, { applyConfig, JUDGING_OPTIONS, SERVICE_OPTIONS }] = await Promise.all([
      import('./judge.ts'),
      import('../service/config-file.ts'),
    ]);
    const service = applyConfig(command, named, [...SERVICE_OPTIONS, ...JUDGING_OPTIONS]);
    const judged = { ...service, kinds, startSubject };
    process.exitCode = await judge(
      judged,
      command.opts<TestFlags>(),
      (flag) => command.getOptionValueSource(flag) === 'cli',
    );
  });
}

const NAMES: Readonly<Record<string, keyof TestFlags>> = {
  '--request': 'requests',
  '--chain': 'chains',
  '--max-time': 'maxTimeMs',
  '--timeout': 'timeoutMs',
  '--max-body': 'maxBodyBytes',
};

function withRunOptions(command: Command): Command {
  return withNames(command, NAMES)
    .argument('[BASE_URL]', 'base URL of the service, such as https://api.example.org')
    .option('--api-key <key>', 'send this API key (default: $SWAPCHECK_API_KEY)')
    .option('--chain <id>', 'judge this chain, repeatable (default: all)', repeated(parseChainId))
    .addOption(
      new Option('--profile <name>', 'set the number of requests (default: standard)').choices(
        Object.keys(PROFILES),
      ),
    )
    .option(
      '--seed <n>',
      'send the same requests for the same seed (default: 1, with new accounts in each run)',
      wholeNumber(0, 2 ** 31 - 1),
    )
    .option('--max-requests <n>', 'send at most this many requests', wholeNumber(1, 10_000_000))
    .option(
      '--max-time <s>',
      'stop after this many seconds (default: 600)',
      inUnits(decimalNumber('more'), 1000),
    )
    .option('--rate <rps>', 'send at most this many requests per second', decimalNumber('more'))
    .option('--concurrency <n>', 'limit concurrent requests (default: 8)', wholeNumber(1, 256))
    .option(
      '--timeout <ms>',
      'wait at most this many milliseconds for a complete reply (default: 10000)',
      wholeNumber(1, 600_000),
    )
    .addOption(toleranceOption())
    .option(
      '--max-body <mib>',
      'read at most this many MiB of a body (default: 16)',
      inUnits(wholeNumber(1, 256), 2 ** 20),
    )
    .addOption(routerNameOption())
    .addOption(userOption())
    .option('--frozen', 'compare replies directly, since the market does not move')
    .addOption(waiversOption())
    .option('--write-waivers <file>', "write waivers for this run's failures to this file")
    .option('--prune-waivers', 'remove waivers without a failure from the --waivers file')
    .option('--bail', 'end the run at the first failure that counts')
    .option(
      '--wait <s>',
      'wait up to this many seconds for the service to respond',
      decimalNumber('more'),
    )
    .addOption(reportOption(REPORT_FORMATS))
    .option(
      '--record <file>',
      'record the run in this .ndjson file, which check can read, repeatable',
      repeated(String),
    )
    .addOption(verboseOption())
    .addOption(forkOption())
    .addOption(settleOnOption())
    .option('--require-fork', 'exit 3 if calldata was not executed on a fork');
}
