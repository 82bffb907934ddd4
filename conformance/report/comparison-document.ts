import type { Block, Document, Item, Tint } from '../output/document.ts';
import {
  comparisonVerdict,
  type ObservationChange,
  type ReportComparison,
  type RuleChange,
} from './compare.ts';
import { outcomeWords } from './rule-results.ts';

/** Returns a comparison of two reports for people: the rules that newly fail first. */
export function comparisonDocument(comparison: ReportComparison): Document {
  const { newlyFailing, newlyPassing, otherwiseChanged, changedObservations } = comparison;
  const verdict = comparisonVerdict(comparison);
  const reason =
    `${newlyFailing.length} newly failing, ${newlyPassing.length} newly passing, ` +
    `${otherwiseChanged.length} otherwise changed, ${changedObservations.length} changed observations`;
  const tint = verdict === 'passed' ? 'good' : 'bad';
  return [
    { blocks: [{ kind: 'verdict', subject: 'Reports compared', verdict, tint, reason }] },
    section('Newly failing', 'bad', newlyFailing.map(ruleItem)),
    section('Newly passing', 'good', newlyPassing.map(ruleItem)),
    section('Otherwise changed', 'warn', otherwiseChanged.map(ruleItem)),
    section(
      'Changed where the specification is silent',
      'note',
      changedObservations.map(observationItem),
    ),
  ];
}

function section(text: string, tint: Tint, items: readonly Item[]): Document[number] {
  const blocks: Block[] = items.length === 0 ? [] : [{ kind: 'list', items }];
  return { title: { text, tint }, blocks };
}

function ruleItem({ id, clause, level, title, before, after, actual }: RuleChange): Item {
  const [was, is] = [before, after].map((each) =>
    each === undefined ? 'absent' : outcomeWords(each),
  );
  return {
    line: [{ text: clause, isBold: true }, `  ${id} [${level}]: ${title} (${was} -> ${is})`],
    ...(actual === undefined ? {} : { parts: [['Actual', actual]] }),
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
