import { describe, expect, test } from 'vitest';
import type { ServiceVariant, SettlementChange } from '../model/breaks.ts';
import { formatStatement } from '../model/format-statement.ts';
import type { ProbeRule, ReplyRule, SettlementRule } from '../model/rule.ts';
import type { EvidenceKind } from '../model/settlement.ts';
import { runProbe } from '../model/verdict.testing.ts';
import {
  brokenReply,
  correctReplyFor,
  expectedLines,
  linesOf,
  partsOf,
  type SubjectVerdict,
  verdictOn,
} from '../rule-kit/broken-replies.testing.ts';
import {
  brokenSession,
  byPattern,
  findingLines,
  outcomeOf,
  serviceBreakParts,
  variantSession,
} from '../rule-kit/broken-services.testing.ts';
import { BY_NAME, verdictOnSettlement } from '../rule-kit/settlements.testing.ts';
import { CATALOG } from './catalog.ts';

const judging = CATALOG.filter((rule): rule is ReplyRule => rule.kind === 'reply');

describe.each(judging.map((rule) => [rule.id, rule] as const))('%s', (_id, rule) => {
  const { breaks = [] } = rule;

  test('has a break', () => expect(breaks.length).toBeGreaterThan(0));

  test.each(
    breaks.map((row, index) => [`${index + 1}: ${partsOf(row).finds.join(', ')}`, row] as const),
  )('%s', (_title, row) => {
    const { change, around, finds } = partsOf(row);
    const verdict = verdictOn(rule, brokenReply(correctReplyFor(rule), change, around));
    expect(finds.length).toBeGreaterThan(0);
    expect(linesOf(verdict)).toEqual(expectedLines(change, finds));
    if (rule.level !== 'observe') expect(verdict?.findings.length).toBe(finds.length);
    expectReadable(verdict);
  });

  const { valid = [], notApplicable = [] } = rule;
  test.each(valid.map((row, index) => [index + 1, row] as const))(
    'valid %i -> passes, and fails no other rule',
    (_index, [change, around = {}]) => {
      const input = brokenReply(correctReplyFor(rule), change, around);
      expect(verdictOn(rule, input)?.findings).toEqual([]);
      const failed = judging.filter((each) => verdictOn(each, input)?.findings.length);
      expect(failed.map(({ id }) => id).sort()).toEqual([...(around.fails ?? [])].sort());
    },
  );

  test.each(notApplicable.map((row, index) => [index + 1, row] as const))(
    'not applicable %i',
    (_index, [change, around]) => {
      const input = brokenReply(correctReplyFor(rule), change, around);
      expect(verdictOn(rule, input)).toBeUndefined();
    },
  );
});

/**
 * Rules that a break of another settlement rule may also fail, since they judge the same amounts.
 */
const ALSO_FAILED: Readonly<Record<string, readonly string[]>> = {
  'execution/converts-all': ['execution/nothing-stays'],
  'execution/buys-no-more': ['execution/quote-exact'],
  'execution/within-tolerance': ['execution/quote-exact'],
  'execution/pays-recipient': ['execution/quote-exact', 'execution/within-tolerance'],
  'execution/pays-native': [
    'execution/quote-exact',
    'execution/within-tolerance',
    'execution/pays-recipient',
  ],
};

const settling = CATALOG.filter((rule): rule is SettlementRule => rule.kind === 'settlement');

describe.each(settling.map((rule) => [rule.id, rule] as const))('%s', (_id, rule) => {
  const { breaks = [] } = rule;

  test('has a break', () => expect(breaks.length).toBeGreaterThan(0));

  test.each(breaks.map((row, index) => [`${index + 1}: ${row.slice(1).join(', ')}`, row] as const))(
    '%s',
    (_title, [change, ...finds]) => {
      const verdict = verdictOnSettlement(rule, change);
      expect(finds.length).toBeGreaterThan(0);
      expect(linesOf(verdict, BY_NAME)).toEqual(finds);
      expectReadable(verdict);
      const others = settling.filter(
        (each) =>
          each.evidence === rule.evidence &&
          ![rule.id, ...(ALSO_FAILED[rule.id] ?? [])].includes(each.id) &&
          verdictOnSettlement(each, change)?.findings.length,
      );
      expect(others.map(({ id }) => id)).toEqual([]);
    },
  );

  const { valid = [], notApplicable = [] } = rule;
  test.each(valid.map((change, index) => [index + 1, change] as const))(
    'valid %i -> passes, and fails no other rule',
    (_index, change) => {
      expect(verdictOnSettlement(rule, change)?.findings).toEqual([]);
      expect(settlementFailures(rule.evidence, change)).toEqual([]);
    },
  );

  test.each(notApplicable.map((change, index) => [index + 1, change] as const))(
    'not applicable %i',
    (_index, change) => expect(verdictOnSettlement(rule, change)).toBeUndefined(),
  );
});

function settlementFailures(evidence: EvidenceKind, change: SettlementChange): readonly string[] {
  return settling
    .filter((rule) => rule.evidence === evidence)
    .filter((rule) => verdictOnSettlement(rule, change)?.findings.length)
    .map(({ id }) => id);
}

test.each(['exactInput', 'exactOutput', 'nativeBuy'] as const)(
  'a reverted trade (%s) -> fails one rule; those on its effects do not apply',
  (trade) => {
    const change = { trade, effects: 'reverted' } as const;
    expect(settlementFailures('as-returned', change)).toEqual(['execution/settles']);
    const applying = settling.filter(
      (rule) => rule.evidence === 'as-returned' && verdictOnSettlement(rule, change),
    );
    expect(applying.map(({ id }) => id)).toEqual([
      'execution/settles',
      'execution/router-is-contract',
      'execution/gas-limit',
      'execution/gas-limit-fits',
      'execution/route-amounts',
    ]);
  },
);

function expectReadable(verdict: SubjectVerdict | undefined): void {
  for (const { expected } of verdict?.findings ?? []) {
    expect(formatStatement(expected)).not.toMatch(/^$|undefined|\[object/);
  }
}

const probes = CATALOG.filter(
  (rule): rule is ProbeRule =>
    (rule.kind === 'probe' || rule.kind === 'relation') && rule.level !== 'observe',
);

describe.each(probes.map((rule) => [rule.id, rule] as const))('%s', (_id, rule) => {
  const { breaks = [] } = rule;

  test('has a break', () => expect(breaks.length).toBeGreaterThan(0));

  test.each(
    breaks.map((row, index) => [`${index + 1}: ${serviceBreakParts(row).finds[0]}`, row] as const),
  )('%s', async (_title, row) => {
    const { finds } = serviceBreakParts(row);
    const lines = findingLines(await runProbe(rule, brokenSession(row)));
    expect(finds.length).toBeGreaterThan(0);
    expect(byPattern(lines, finds).sort()).toEqual([...finds].sort());
    expect(lines.join()).not.toContain('[object');
  });
});

type Row = readonly [id: string, what: string, rule: ProbeRule, row: ServiceVariant];

const rowsOf = (kind: 'valid' | 'couldNotRun' | 'notApplicable') =>
  CATALOG.filter(
    (rule): rule is ProbeRule => rule.kind === 'probe' || rule.kind === 'relation',
  ).flatMap((rule) => (rule[kind] ?? []).map((row): Row => [rule.id, row[0], rule, row]));

test.each(rowsOf('valid'))('%s: a service that %s -> passes', async (_id, _what, rule, row) => {
  expect(outcomeOf(await runProbe(rule, variantSession(row)))).toBe('passes');
});

test.each(rowsOf('couldNotRun'))(
  '%s: a service that %s -> could not run',
  async (_id, _what, rule, row) => {
    expect(outcomeOf(await runProbe(rule, variantSession(row)))).toBe('could not run');
  },
);

test.each(rowsOf('notApplicable'))(
  '%s: a service that %s -> does not apply',
  async (_id, _what, rule, row) => {
    expect(outcomeOf(await runProbe(rule, variantSession(row)))).toBe('does not apply');
  },
);
