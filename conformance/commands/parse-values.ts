import { InvalidArgumentError } from 'commander';
import type { ForkSource } from '../execution/fork.ts';
import {
  parseReportOption,
  type ReportFormats,
  type ReportOption,
  ReportOptionError,
} from '../report/report-option.ts';
import type { Gate } from '../runner/verdict.ts';
import { UsageError } from './usage-error.ts';

/** A parser of whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^[0-9]{1,15}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}

/** A parser of numbers above 0, or from 0 on, fractions included. */
export function decimalNumber(atLeast: 'zero' | 'more'): (text: string) => number {
  return (text) => {
    const value = Number(text);
    const fits = atLeast === 'zero' ? value >= 0 : value > 0;
    if (/^[0-9]+(\.[0-9]+)?$/.test(text) && fits && value <= 1e9) return value;
    throw new InvalidArgumentError(
      `Expected a number ${atLeast === 'zero' ? 'from 0 on' : 'above 0'}.`,
    );
  };
}

/** Gathers a repeatable option, each value parsed. */
export function repeated<T>(parse: (text: string) => T): (text: string, earlier?: T[]) => T[] {
  return (text, earlier = []) => [...earlier, parse(text)];
}

/** `must` or `should`. */
export function parseLevel(text: string): Gate {
  if (text === 'must' || text === 'should') return text;
  throw new InvalidArgumentError('Expected must or should.');
}

/** A parser of `--report FORMAT[=PATH]`. */
export function reportIn<Format extends string>(
  formats: ReportFormats<never, Format>,
): (text: string) => ReportOption<Format> {
  return (text) => asArgument(ReportOptionError, () => parseReportOption(text, formats));
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

/** `--fork CHAIN=RPC`. */
export function parseFork(text: string): ForkSource {
  const [, chain, rpcUrl = ''] = /^([0-9]{1,15})=(https?:\/\/.+)$/.exec(text) ?? [];
  if (chain === undefined || !URL.canParse(rpcUrl)) {
    throw new InvalidArgumentError('Expected CHAIN=RPC, such as 1=https://node.example.');
  }
  return { chainId: Number(chain), rpcUrl };
}

/**
 * The root that paths of the interface are put behind; a trailing `/api/v1.0` is dropped.
 *
 * @throws {UsageError} for anything but an http or https URL.
 */
export function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url === undefined || !isPlain || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `BASE_URL '${text}': expected an http or https URL without user, query or fragment, such as https://api.example.org`,
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/api\/v1\.0$/, '');
  return url;
}
