import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { Report } from '../model/report.ts';
import { readYaml, YamlError } from '../output/read-yaml.ts';
import { UsageError } from '../output/usage-error.ts';
import type { Waiver } from '../runner/waivers.ts';

/**
 * Reads a list of waivers from a YAML or JSON file.
 *
 * @throws {UsageError} naming the entry that is not one.
 */
export function readWaivers(path: string, ruleIds: ReadonlySet<string>): readonly Waiver[] {
  const refuse = (what: string, cause?: unknown) =>
    new UsageError(`--waivers ${path}: ${what}`, { cause });
  let entries: unknown;
  try {
    entries = readYaml(path);
  } catch (cause) {
    throw cause instanceof YamlError ? refuse(cause.message, cause) : cause;
  }
  if (!Array.isArray(entries)) throw refuse('expected a list of waivers');
  return entries.map((entry: unknown, index) => {
    const fault = faultOf(entry, ruleIds);
    if (fault !== undefined) throw refuse(`entry ${index + 1}: ${fault}`);
    return entry as Waiver;
  });
}

/** Writes a waiver for each failure of a report, to hold for 30 days. */
export function writeWaivers(path: string, report: Report): void {
  const day = (offset: number) =>
    new Date(Date.parse(report.startedAt) + offset * 86_400_000).toISOString().slice(0, 10);
  const waivers = report.rules
    .filter(({ outcome, level }) => outcome === 'fail' && level !== 'observe')
    .map(({ id, title, failures }): Waiver => {
      const actual = failures[0]?.actual.slice(0, 120) ?? '';
      return {
        rule: id,
        reason: `known on ${day(0)}: ${actual}, where the rule is: ${title}`,
        expires: day(30),
      };
    });
  writeFileSync(path, stringify(waivers));
}

function faultOf(entry: unknown, ruleIds: ReadonlySet<string>): string | undefined {
  if (typeof entry !== 'object' || entry === null) return 'expected an object';
  const { rule, chain, pair, reason, expires, ...rest } = entry as Partial<
    Record<keyof Waiver, unknown>
  >;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `there is no field '${unknown}'`;
  if (typeof rule !== 'string' || !ruleIds.has(rule)) return `there is no rule '${String(rule)}'`;
  if (chain !== undefined && !Number.isSafeInteger(chain)) return 'chain: expected a chain id';
  if (pair !== undefined && !isPair(pair)) return 'pair: expected two token addresses';
  if (typeof reason !== 'string' || reason.trim() === '') return 'reason: expected a sentence';
  const isDay = typeof expires === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(expires);
  return isDay && !Number.isNaN(Date.parse(expires)) ? undefined : 'expires: expected YYYY-MM-DD';
}

function isPair(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string')
  );
}
