import { type Command, InvalidArgumentError } from 'commander';
import { InvalidProfileError, loadProfile } from './profiles/load-profile.ts';
import { overrideProfile } from './profiles/override-profile.ts';
import type { Profile, Threshold } from './profiles/profile.ts';
import { InvalidThresholdError, parseThreshold } from './thresholds/parse-threshold.ts';

/** The flags of every command that plays a profile, parsed. */
export type ProfileFlags = {
  readonly profile: string;
  readonly rate?: number;
  readonly duration?: number;
  readonly connections?: number;
  readonly processes?: number;
  readonly warmUp?: number;
  readonly timeout?: number;
  readonly maxClientLag?: number;
  readonly threshold?: readonly Threshold[];
  readonly seed: number;
  readonly chain?: readonly number[];
  readonly apiKey?: string;
};

/** Adds the flags that choose a profile and change it, for every command that plays one. */
export function withProfileFlags(command: Command): Command {
  return command
    .option(
      '--profile <name|file>',
      'smoke, steady, ramp, spike, soak, closed, breakpoint, or a file',
      'smoke',
    )
    .option('--rate <n>', 'requests a second at the highest stage', parsePositive)
    .option('--duration <s>', 'seconds in all', parsePositive)
    .option('--connections <n>', 'connections in all', parseWhole)
    .option('--processes <n>', 'client processes that divide the schedule', parseWhole)
    .option('--warm-up <s>', 'seconds at the start that are left out of the figures', parseSeconds)
    .option(
      '--max-client-lag <ms>',
      'how late the client itself may be in 99 % (default: 20)',
      parseSeconds,
    )
    .option('--timeout <ms>', 'the longest that a reply is waited for', parseWhole)
    .option(
      '--threshold <bound>',
      "such as 'p99<250' or 'swap:errors<0.1%', repeatable",
      collectBy(parseBound),
    )
    .option('--seed <n>', 'the same seed draws the same requests', parseWhole, 1)
    .option('--chain <id>', 'only this chain, repeatable', collectBy(parseWhole))
    .option('--api-key <key>', 'the API key (default: $SWAPCHECK_API_KEY)');
}

/** Returns the profile that the flags mean; ends the command with 2 where there is none. */
export function resolveProfile(flags: ProfileFlags, command: Command): Profile {
  const { rate, duration, connections, processes, warmUp, timeout, maxClientLag, threshold } =
    flags;
  try {
    return overrideProfile(loadProfile(flags.profile), {
      ...(rate === undefined ? {} : { rate }),
      ...(duration === undefined ? {} : { durationS: duration }),
      ...(connections === undefined ? {} : { connections }),
      ...(processes === undefined ? {} : { processes }),
      ...(warmUp === undefined ? {} : { warmUpS: warmUp }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      ...(maxClientLag === undefined ? {} : { maxClientLagMs: maxClientLag }),
      ...(threshold === undefined ? {} : { thresholds: threshold }),
    });
  } catch (error) {
    if (!(error instanceof InvalidProfileError)) throw error;
    return command.error(error.message, { exitCode: 2 });
  }
}

/** Returns the base URL of a service. */
export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Expected a URL such as http://127.0.0.1:8080.');
  }
  return url;
}

/** Returns a whole number of 0 or more. */
export function parseWhole(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

function parseSeconds(text: string): number {
  if (!/^[0-9]+(\.[0-9]+)?$/.test(text)) throw new InvalidArgumentError('Expected a number.');
  return Number(text);
}

function parsePositive(text: string): number {
  const number = parseSeconds(text);
  if (number === 0) throw new InvalidArgumentError('Expected more than 0.');
  return number;
}

function parseBound(text: string): Threshold {
  return asArgument(InvalidThresholdError, () => parseThreshold(text));
}

/** Returns what `parse` returns; an error of the class is one that commander shows. */
export function asArgument<T>(expected: new (text: string) => Error, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof expected) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** Returns a parser for an option that may be repeated. */
export function collectBy<T>(
  parse: (text: string) => T,
): (text: string, earlier?: readonly T[]) => T[] {
  return (text, earlier = []) => [...earlier, parse(text)];
}
