import { describe, expect, test } from 'vitest';
import { CLAUSES, compareClauseIds, findClause, sentenceOf } from './clauses.ts';

describe('CLAUSES', () => {
  test('ids -> unique, each with a section number and a name', () => {
    const ids = CLAUSES.map((clause) => clause.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9](\.[0-9]+)? [A-Za-z0-9 ]+$/);
  });

  test('every section from 0 to 9 -> has clauses, in order', () => {
    const sections = CLAUSES.map((clause) => Number(clause.id[0]));
    expect([...new Set(sections)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('an untestable clause -> gives the reason in a sentence', () => {
    const untestable = CLAUSES.filter((clause) => clause.level === 'untestable');
    expect(untestable.length).toBeGreaterThan(5);
    for (const clause of untestable) expect(clause.why).toMatch(/^[A-Z].{15,}\.$/);
  });

  test('"not shown" in the text -> never a must', () => {
    for (const clause of CLAUSES.filter(({ words }) => words.includes('not shown'))) {
      expect(['observe', 'untestable']).toContain(clause.level);
    }
  });
});

describe('compareClauseIds', () => {
  test('2.10 -> after 2.9; 2 -> before 2.1', () => {
    expect(compareClauseIds('2.10 error', '2.9 name')).toBe(1);
    expect(compareClauseIds('2 present', '2.1 sell')).toBe(-1);
    expect(compareClauseIds('2.1 sell', '2.1 buy')).toBe(0);
  });
});

describe('findClause', () => {
  test('a known id -> the words of the clause; an unknown id -> undefined', () => {
    expect(findClause('2.7 name')?.words).toContain('Human-readable');
    expect(findClause('2.7 nothing')).toBeUndefined();
  });
});

describe('sentenceOf', () => {
  test.each([
    ['All operations use HTTP GET', 'All operations use HTTP GET'],
    [['chainId', 'integer', 'yes'], '`chainId` (integer, required)'],
    [
      ['usdPrice', 'number', 'yes', 'Current price'],
      '`usdPrice` (number, required): Current price',
    ],
    [
      ['calldata', 'string', 'only when `includeCalldata=true`', 'Calldata'],
      '`calldata` (string, only when `includeCalldata=true`): Calldata',
    ],
    [
      ['useRfq', 'boolean', 'no', 'false', 'Whether to use RFQ'],
      '`useRfq` (boolean, optional, default false): Whether to use RFQ',
    ],
    [['400', 'Invalid parameters', 'Error'], 'Status 400: Invalid parameters. Body: Error'],
    [['Token decimals', '0 to 18'], 'Token decimals: 0 to 18'],
  ])('%j -> %s', (quoted, sentence) => {
    expect(sentenceOf(quoted)).toBe(sentence);
  });

  test('any clause -> every cell of its row', () => {
    for (const { quoted, words } of CLAUSES) {
      for (const cell of [quoted].flat().filter((each) => !/^(yes|no)\b/.test(each))) {
        expect(words).toContain(cell);
      }
    }
  });
});
