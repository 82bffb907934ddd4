import { describe, expect, test } from 'vitest';
import { CLAUSES, clauseSection, compareClauses, findClause, sentenceOf } from './clauses.ts';

describe('CLAUSES', () => {
  test('ids -> unique, each with a section number and a name', () => {
    const ids = CLAUSES.map((clause) => clause.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9](\.[0-9]+)? [A-Za-z0-9 ]+$/);
  });

  test('every section from 0 to 9 -> has clauses, in order, as have its subsections', () => {
    const numbers = CLAUSES.map(({ id }) => clauseSection(id).split('.').map(Number));
    expect([...new Set(numbers.map(([section]) => section))]).toEqual([...Array(10).keys()]);
    const places = numbers.map(([section = 0, subsection = 0]) => 100 * section + subsection);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
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

describe('compareClauses', () => {
  test('clauses -> in the order of the specification, and other ids last', () => {
    expect(compareClauses('2.10 error', '2.9 name')).toBe(1);
    expect(compareClauses('2 present', '2.1 sell')).toBe(-1);
    expect(compareClauses('2.1 sell', '2.1 buy')).toBe(-1);
    expect(compareClauses('own', '7 unsupported')).toBe(1);
    expect(compareClauses('own', 'own')).toBe(0);
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
