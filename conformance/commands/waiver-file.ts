import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { stringify } from 'yaml';
import { shorten } from '../contract/cut-text.ts';
import type { Report } from '../model/report.ts';
import { didYouMean } from '../output/nearest.ts';
import { readYamlDocument, readYamlOf } from '../output/read-yaml.ts';
import { UsageError } from '../output/usage-error.ts';
import { writeWhole } from '../output/write-reports.ts';
import { type WaivedPlace, type Waiver, WaiverSchema } from '../runner/waivers.ts';

/**
 * Reads a list of waivers from a YAML or JSON file.
 *
 * @throws {UsageError} naming the entry that is not a waiver.
 */
export function readWaivers(path: string, ruleIds: ReadonlySet<string>): readonly Waiver[] {
  const usageError = (what: string) => new UsageError(`--waivers ${path}: ${what}`);
  const entries = readYamlOf('--waivers', path);
  if (!Array.isArray(entries)) throw usageError('expected a list of waivers');
  return entries.map((entry: unknown, index) => {
    const fault = faultOf(entry, ruleIds);
    if (fault !== undefined) throw usageError(`entry ${index + 1}: ${fault}`);
    return entry as Waiver;
  });
}

/** Removes the waivers at the given indices from a file, and leaves the rest unchanged. */
export async function removeWaivers(path: string, places: readonly number[]): Promise<void> {
  const document = readYamlDocument(path);
  for (const place of [...places].sort((a, b) => b - a)) document.deleteIn([place]);
  await writeWhole(path, String(document));
}

/** Maximum number of written waivers per rule and fault. Beyond it, one waiver covers the fault. */
const MAX_WAIVERS_PER_FAULT = 500;

/**
 * Writes a waiver for each place where a rule failed, valid for 30 days, so that the waiver of one
 * failure does not cover another.
 *
 * @param places - Where the run found failures, in any number.
 */
export async function writeWaivers(
  path: string,
  report: Report,
  places: readonly WaivedPlace[],
): Promise<void> {
  const day = (offset: number) =>
    new Date(Date.parse(report.startedAt) + offset * 86_400_000).toISOString().slice(0, 10);
  const waivers = report.rules
    .filter(({ outcome, level }) => outcome === 'fail' && level !== 'observe')
    .flatMap(({ id, title, failures }): readonly Waiver[] => {
      const counted = failures.filter(({ waiver }) => waiver === undefined);
      return [...new Set(counted.map(({ fault }) => fault))].flatMap((fault) => {
        const found = distinct(places.filter((each) => each.rule === id && each.fault === fault));
        const isNarrow = found.length > 0 && found.length <= MAX_WAIVERS_PER_FAULT;
        const actual = shorten(counted.find((each) => each.fault === fault)?.actual ?? '', 120);
        const reason = `known on ${day(0)}: ${actual}; the rule: ${title}`;
        return (isNarrow ? found : [{ rule: id, fault }]).map((place) => ({
          ...place,
          reason,
          expires: day(30),
        }));
      });
    });
  await writeWhole(path, stringify(waivers, { aliasDuplicateObjects: false }));
}

function distinct(places: readonly WaivedPlace[]): readonly WaivedPlace[] {
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
}

let compiled: ValidateFunction<Waiver> | undefined;

function waiverValidator(): ValidateFunction<Waiver> {
  compiled ??= addFormats.default(new Ajv2020({ allErrors: true })).compile<Waiver>(WaiverSchema);
  return compiled;
}

function faultOf(entry: unknown, ruleIds: ReadonlySet<string>): string | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    return 'expected an object';
  }
  const fields = Object.keys(WaiverSchema.properties) as (keyof Waiver)[];
  const unknown = Object.keys(entry).find((name) => !fields.some((field) => field === name));
  if (unknown !== undefined) {
    return `there is no field '${unknown}'${didYouMean(unknown, fields)}`;
  }
  const { rule } = entry as Partial<Waiver>;
  if (typeof rule !== 'string' || !ruleIds.has(rule)) {
    return `there is no rule '${String(rule)}'${didYouMean(String(rule), [...ruleIds])}`;
  }
  const isWaiver = waiverValidator();
  if (isWaiver(entry)) return undefined;
  const faulty = new Set(
    isWaiver.errors?.map(({ instancePath, params }) =>
      String(params['missingProperty'] ?? instancePath.split('/')[1]),
    ),
  );
  const field = fields.find((name) => faulty.has(name)) ?? 'rule';
  const { description } = WaiverSchema.properties[field] as { readonly description?: string };
  return `${field}: expected ${description}`;
}
