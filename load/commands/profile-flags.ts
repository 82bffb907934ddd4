import type { Command } from 'commander';
import {
  parseChainId,
  type ReachFlags,
  readReach,
  routerNameOption,
  withReachOptions,
} from '../../conformance/client/access-options.ts';
import { readApiKey } from '../../conformance/client/api-key.ts';
import { parseBaseUrl } from '../../conformance/client/base-url.ts';
import { userOption } from '../../conformance/discovery/user-option.ts';
import {
  decimalNumber,
  given,
  repeated,
  wholeNumber,
  withNames,
} from '../../conformance/output/option-values.ts';
import { notify } from '../../conformance/output/terminal.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import type { ServiceStart } from '../../conformance/service/config-file.ts';
import { BUILT_IN_PROFILES } from '../profiles/built-in.ts';
import type { ProfileOverrides } from '../profiles/override-profile.ts';
import type { LoadSettings } from '../run/service-load.ts';
import { parseThreshold } from '../thresholds/parse-threshold.ts';

/** Parsed flags of every command that runs a profile. */
export type ProfileFlags = ReachFlags &
  ProfileOverrides &
  Pick<LoadSettings, 'seed'> &
  Partial<Pick<LoadSettings, 'chains' | 'apiKey' | 'routerNames' | 'user'>> & {
    readonly profile: string;
  };

const NAMES: Readonly<Record<string, keyof ProfileFlags | 'maxTimeMs'>> = {
  '--duration': 'durationS',
  '--warm-up': 'warmUpS',
  '--max-client-lag': 'maxClientLagMs',
  '--timeout': 'timeoutMs',
  '--threshold': 'thresholds',
  '--chain': 'chains',
  '--max-time': 'maxTimeMs',
};

/** Service to load-test: its URL and, if swapcheck starts it, how. */
export type LoadTarget = { readonly url: URL | undefined; readonly start?: ServiceStart };

/**
 * Resolves to the service to load-test. Options that the command line omits are set from the
 * configuration.
 * @param command - Has the options of `withConfigOptions` and of {@link withProfileFlags}.
 * @throws {UsageError} for a configuration that cannot be read, or an invalid URL
 */
export async function configuredTarget(
  command: Command,
  named: string | undefined,
): Promise<LoadTarget> {
  const { applyConfig, assertService, SERVICE_OPTIONS } = await import(
    '../../conformance/service/config-file.ts'
  );
  // A load run connects to the service directly, so a configured proxy does not apply.
  const names = SERVICE_OPTIONS.filter((name) => name !== 'proxy');
  const { url, start } = applyConfig(command, named, names);
  assertService(command.opts<{ readonly config?: string | false }>().config, url);
  return { url: url === undefined ? undefined : parseBaseUrl(url), ...given({ start }) };
}

/** Adds the flags that select and change a profile to a command. */
export function withProfileFlags(command: Command): Command {
  withReachOptions(command);
  // The flag is rejected with a reason, so the help does not list it.
  command.options.find(({ long }) => long === '--proxy')?.hideHelp();
  return withNames(command, NAMES)
    .option(
      '--profile <name|file>',
      `${BUILT_IN_PROFILES.map(({ name }) => name).join(', ')}, or a file`,
      'smoke',
    )
    .option(
      '--rate <n>',
      'requests per second at the highest stage, or at the start of a search',
      decimalNumber('more'),
    )
    .option(
      '--duration <s>',
      'total seconds, or seconds per step of a search',
      decimalNumber('more'),
    )
    .option('--connections <n>', 'total connections', wholeNumber(1, 10_000))
    .option('--processes <n>', 'client processes that share the schedule', wholeNumber(1, 64))
    .option('--warm-up <s>', 'seconds at the start that the metrics exclude', decimalNumber('zero'))
    .option(
      '--max-client-lag <ms>',
      'maximum delay caused by the client itself, at the 99th percentile of requests (default: 20)',
      decimalNumber('zero'),
    )
    .option('--timeout <ms>', 'maximum time for a complete reply', wholeNumber(1, 600_000))
    .option(
      '--threshold <bound>',
      "such as 'p99<250' or 'swap:errors<0.1%', repeatable",
      repeated(parseThreshold),
    )
    .option(
      '--seed <n>',
      'seed of the requests: the same seed sends the same requests',
      wholeNumber(0, 2 ** 31 - 1),
      1,
    )
    .option('--chain <id>', 'only this chain, repeatable', repeated(parseChainId))
    .option('--api-key <key>', 'the API key (default: $SWAPCHECK_API_KEY)')
    .addOption(routerNameOption())
    .addOption(userOption());
}

/**
 * Resolves to the settings that the flags select. The API key is empty if neither the command line
 * nor the environment contains one.
 *
 * @throws {UsageError} if there is no such profile
 */
export async function settingsOf(flags: ProfileFlags): Promise<LoadSettings> {
  // Loaded here, so that help and other commands start without the profile reader.
  const { loadProfile } = await import('../profiles/load-profile.ts');
  const { overrideProfile } = await import('../profiles/override-profile.ts');
  const { seed, chains = [], routerNames, user } = flags;
  const apiKey = readApiKey(flags.apiKey ?? process.env['SWAPCHECK_API_KEY'] ?? '', notify);
  const profile = overrideProfile(loadProfile(flags.profile), flags);
  if (flags.proxy !== undefined) {
    throw new UsageError(
      '--proxy is not allowed in load runs, which would measure the proxy: connect to the service directly',
    );
  }
  return { profile, seed, chains, apiKey, reach: readReach(flags), routerNames, user };
}
