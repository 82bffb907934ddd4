import { describe, expect, test } from 'vitest';
import { CLAUSES, findClause } from '../contract/clauses.ts';
import { CATALOG } from './catalog.ts';

const strength = { must: 3, should: 2, observe: 1, untestable: 0 };

describe('CATALOG', () => {
  test('ids -> unique slugs', () => {
    const ids = CATALOG.map((rule) => rule.id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/);
  });

  test('every rule -> names a clause, and asserts no more than the clause allows', () => {
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

  test('titles -> one line, no full stop', () => {
    for (const { title } of CATALOG) expect(title).toMatch(/^[^\n]{10,160}[^.\n]$/);
  });
});
