import type { MutantTable, Operation } from './mutant.ts';
import { fill, read } from './requests.ts';

/** What a careless parser takes for a value, and which; without a pattern, an absent parameter. */
type Misreading = readonly [
  title: string,
  pattern: RegExp | undefined,
  by: Parameters<typeof read>[2],
];

/** Returns a mutant for each misreading of a parameter, whose id is its slug behind the rule and a hyphen, or behind `ids`. */
export function misreads(
  { caughtBy, name, ids = `${caughtBy}-`, of = 'swap' }: Misread,
  readings: Readonly<Record<string, Misreading>>,
): MutantTable {
  const mutants = Object.entries(readings).map(([slug, [title, pattern, by]]) => {
    const query = pattern === undefined ? fill(name, String(by)) : read(name, pattern, by);
    return [`${ids}${slug}`, { caughtBy, title, of, query }] as const;
  });
  return Object.fromEntries(mutants);
}

type Misread = {
  readonly caughtBy: string;
  readonly name: string;
  readonly ids?: string;
  readonly of?: Operation;
};
