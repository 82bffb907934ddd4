import { ReportSchema } from '../model/report.ts';
import { type Document, type Item, listOf, type Section, type Tint } from '../output/document.ts';
import { jsonReader } from '../output/json-reader.ts';
import {
  compareReports,
  type ObservationChange,
  type ReportComparison,
  type RuleChange,
} from './compare.ts';
import { formatOutcome } from './rule-results.ts';

/**
 * Compares two JSON reports, each given as text and its origin. Returns the comparison as data, and
 * as a document for people.
 *
 * @throws {UsageError} for a text that is not a report
 */
export function compareReportTexts(base: ReportText, head: ReportText) {
  const comparison = compareReports(readReport(...base), readReport(...head));
  return {
    verdict: comparison.verdict,
    reason: comparisonReason(comparison),
    data: comparison,
    document: comparisonDocument(comparison),
  };
}

/** Reads a report from JSON text. */
export const readReport = jsonReader(ReportSchema, 'a conformance report', (value) =>
  Array.isArray(Object(value)['rules']) ? '. Write the report again with this version' : '',
);

export type ReportText = readonly [text: string, source: string];

/** Returns a comparison as a document for people, with the newly failing rules first. */
export function comparisonDocument(comparison: ReportComparison): Document {
  const { verdict, newlyFailing, newlyPassing, failingDifferently } = comparison;
  const { otherwiseChanged, changedObservations } = comparison;
  const tint = ({ passed: 'good', failed: 'bad', incomplete: 'warn' } as const)[verdict];
  const reason = comparisonReason(comparison);
  const observed = changedObservations.map(observationItem);
  return [
    { blocks: [{ kind: 'verdict', subject: 'Reports compared', verdict, tint, reason }] },
    section('Newly failing', 'bad', newlyFailing.map(ruleItem)),
    section('Failing in a new way', 'bad', failingDifferently.map(ruleItem)),
    section('Newly passing', 'good', newlyPassing.map(ruleItem)),
    section('Otherwise changed', 'warn', otherwiseChanged.map(ruleItem)),
    section('Changed where the specification is silent', 'note', observed),
  ];
}

function comparisonReason(comparison: ReportComparison): string {
  const { undecided, newlyFailing, failingDifferently, newlyPassing } = comparison;
  const { otherwiseChanged, changedObservations } = comparison;
  const open = undecided.map((why) => `; the second run is incomplete: ${why}`);
  return `${newlyFailing.length} newly failing, ${failingDifferently.length} failing in a new way, ${newlyPassing.length} newly passing, ${otherwiseChanged.length} otherwise changed, ${changedObservations.length} changed observations${open.join('')}`;
}

function section(text: string, tint: Tint, items: readonly Item[]): Section {
  return { title: { text, tint }, blocks: listOf(items) };
}

function ruleItem({ id, clause, level, title, before, after, actual }: RuleChange): Item {
  const [was, is] = [before, after].map((each) =>
    each === undefined ? 'absent' : formatOutcome(each),
  );
  return {
    line: [{ text: clause, isBold: true }, `  ${id} [${level}]: ${title} (${was} -> ${is})`],
    parts: actual === undefined ? [] : [['Actual', actual]],
  };
}

function observationItem({ id, clause, title, before, after }: ObservationChange): Item {
  return {
    line: [{ text: clause, isBold: true }, `  ${id}: ${title}`],
    parts: [
      ['Before', before ?? 'nothing'],
      ['After', after ?? 'nothing'],
    ],
  };
}
