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
 * Compares clause ids by section. Ids in the same section compare as equal, so sorting preserves
 * their order.
 *
 * @example compareClauseIds('2.10 error', '2.9 name') // 1
 */
export function compareClauseIds(a: string, b: string): number {
  const [left, right] = [sectionOf(a), sectionOf(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

function sectionOf(id: string): number[] {
  return clauseSection(id).split('.').map(Number);
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
