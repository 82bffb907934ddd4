import { type Quotation, STATEMENTS } from './statements.ts';

/**
 * One statement of the specification. `id` is its section and subject, `quoted` is the quotation,
 * and `words` is the quotation as a sentence. `level` is the highest level of any rule on the
 * statement: `must` if the specification states it, `should` if it follows from the specification,
 * and `observe` if the specification leaves it open. A statement that cannot be tested from outside
 * is `untestable` and has a reason.
 */
export type Clause = {
  readonly id: string;
  readonly quoted: Quotation;
  readonly words: string;
} & (
  | { readonly level: 'must' | 'should' | 'observe' }
  | { readonly level: 'untestable'; readonly why: string }
);

/** Titles of the specification's sections, by number. */
export const SECTIONS: readonly string[] = [
  'Conventions',
  'What the service does',
  'Resources and their fields',
  'States and transitions',
  'Endpoints',
  'Authentication',
  'Events',
  'Errors',
  'Limits',
  'Versioning',
];

/** The specification's statements in its order, including those that cannot be tested. */
export const CLAUSES: readonly Clause[] = Object.entries(STATEMENTS).map(
  ([id, statement]): Clause => {
    const clause =
      typeof statement === 'object' && 'level' in statement
        ? statement
        : ({ level: 'must', quoted: statement } as const);
    return { id, ...clause, words: sentenceOf(clause.quoted) };
  },
);

/**
 * Returns a quotation as a sentence.
 *
 * @example
 * sentenceOf(['amount', 'string', 'yes', 'Amount in base units'])
 * // '`amount` (string, required): Amount in base units'
 */
export function sentenceOf(quoted: Quotation): string {
  if (typeof quoted === 'string') return quoted;
  const [name = '', type = '', required, ...rest] = quoted;
  if (required === undefined) return `${name}: ${type}`;
  if (/^\d+$/.test(name)) return `Status ${name}: ${type}. Body: ${required}`;
  const meaning = rest.pop();
  const [otherwise] = rest;
  const kinds = [
    type,
    required.replace(/^yes/, 'required').replace(/^no$/, 'optional'),
    ...(otherwise === undefined ? [] : [`default ${otherwise}`]),
  ];
  return `\`${name}\` (${kinds.join(', ')})${meaning === undefined ? '' : `: ${meaning}`}`;
}

export function findClause(id: string): Clause | undefined {
  return byId.get(id);
}

/**
 * Compares the ids of two clauses by their order in the specification. Ids without a section, such
 * as that of custom rules, are last.
 *
 * @example compareClauses('2.10 error', '2.9 name') // 1
 */
export function compareClauses(a: string, b: string): number {
  const [left, right] = [placeOf(a), placeOf(b)];
  const at = left.findIndex((each, index) => each !== right[index]);
  return at < 0 ? 0 : Math.sign((left[at] ?? 0) - (right[at] ?? 0));
}

/** Returns the number of the section, that of the subsection, and the place among all clauses. */
function placeOf(id: string): readonly number[] {
  const [, section = CLAUSES.length, subsection = -1] = /^(\d+)(?:\.(\d+))?/.exec(id) ?? [];
  return [Number(section), Number(subsection), places.get(id) ?? CLAUSES.length];
}

/**
 * Returns the section of a clause id.
 *
 * @example clauseSection('4.1 rule 1') // '4.1'
 */
export function clauseSection(id: string): string {
  return id.split(' ', 1)[0] ?? id;
}

/**
 * Returns the subject of a clause id within its section; empty for the clause of custom rules.
 *
 * @example clauseSubject('4.1 rule 1') // 'rule 1'
 */
export function clauseSubject(id: string): string {
  return id.slice(clauseSection(id).length + 1);
}

const byId = new Map(CLAUSES.map((clause) => [clause.id, clause]));
const places = new Map(CLAUSES.map(({ id }, place) => [id, place]));
