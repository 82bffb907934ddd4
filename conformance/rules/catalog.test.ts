import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CLAUSES, clauseSection, findClause } from '../contract/clauses.ts';
import type { Rule } from '../model/rule.ts';
import { CATALOG } from './catalog.ts';

const strength = { must: 3, should: 2, observe: 1, untestable: 0 };

describe('CATALOG', () => {
  test('ids -> unique slugs', () => {
    const ids = CATALOG.map((rule) => rule.id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/);
  });

  test('every rule -> has a clause, and asserts no more than the clause allows', () => {
    const wrong = CATALOG.filter((rule) => {
      const clause = findClause(rule.clause);
      return clause === undefined || strength[rule.level] > strength[clause.level];
    });
    expect(wrong.map((rule) => `${rule.id} (${rule.level}) on ${rule.clause}`)).toEqual([]);
  });

  test('every clause -> has a rule or a reason', () => {
    const covered = new Set(CATALOG.map((rule) => rule.clause));
    const bare = CLAUSES.filter(({ id, level }) => level !== 'untestable' && !covered.has(id));
    expect(bare.map((clause) => clause.id)).toEqual([]);
  });

  test('every should rule, and no other rule -> quotes the specification, or describes the harm to a client', () => {
    const spoken = CLAUSES.flatMap(({ quoted }) => quoted).join('\n');
    const unfounded = CATALOG.filter(({ level, because = '' }) => {
      const quoted = [...because.matchAll(/"([^"]+)"/g)].map(([, words = '']) => words);
      const isFounded =
        quoted.length > 0
          ? quoted.every((words) => spoken.includes(words))
          : /^A client /.test(because);
      return isFounded !== (level === 'should');
    });
    expect(unfounded.map(({ id, level, because }) => `${id} (${level}): ${because}`)).toEqual([]);
  });

  test('titles -> one line, without a period', () => {
    for (const { title } of CATALOG) expect(title).toMatch(/^[^\n]{10,160}[^.\n]$/);
  });

  test('files of a section -> all rules of the section and no others, in the order of the specification', async () => {
    const numeric = new Intl.Collator('en', { numeric: true });
    const kinds = ['replies', 'probes', 'relations', 'settlement'];
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .filter((file) => /^\d.*\.ts$/.test(file) && !/\.test(ing)?\.ts$/.test(file))
      .map((path) => {
        const [name = '', kind] = path.replace('.ts', '').split('/');
        return { path, section: name.split('-')[0] ?? '', place: kinds.indexOf(kind ?? 'replies') };
      })
      .sort((a, b) => numeric.compare(a.section, b.section) || a.place - b.place);
    const sectionOrParent = (clause: string) =>
      files
        .map(({ section }) => section)
        .filter((section) => `${clauseSection(clause)}.`.startsWith(`${section}.`))
        .at(-1);
    const listed: Rule[] = [];
    for (const { path, section, place } of files) {
      expect(place, path).toBeGreaterThanOrEqual(0);
      const { rules } = (await import(`./${path}`)) as { rules: readonly Rule[] };
      const astray = rules.filter(({ clause }) => sectionOrParent(clause) !== section);
      expect(astray.map(({ id }) => `${id} in ${path}`)).toEqual([]);
      listed.push(...rules);
    }
    expect(CATALOG.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
  });
});
