import type { Failure, Report, RuleResult } from '../model/report.ts';
import type { Block, Document, Item, Mark, Part, Tint } from '../output/document.ts';
import { failureParts } from './failure-parts.ts';
import {
  groupByClause,
  groupLeftOut,
  leftOutLine,
  observations,
  outcomeWords,
} from './rule-results.ts';

/** Returns a report for people: verdict, summary, failures, what is observed, every rule. */
export function reportDocument(report: Report): Document {
  const { verdict, reason, rules } = report;
  const tint = ({ conforming: 'good', nonconforming: 'bad', incomplete: 'warn' } as const)[verdict];
  return [
    { blocks: [{ kind: 'verdict', subject: 'swapcheck', verdict, tint, reason }] },
    { blocks: factLines(report) },
    { blocks: [summaryTable(report)] },
    { blocks: listOf(notes(report)) },
    { title: 'Failures', blocks: findings(rules) },
    {
      title: 'What this service does where the specification is silent',
      blocks: listOf(observations(rules).map(observationItem)),
    },
    {
      title: `All ${rules.length} rules`,
      isFolded: true,
      blocks: groupByClause(rules).map(({ clause, rules: members }) => ({
        kind: 'list',
        title: clause,
        items: members.map(ruleItem),
      })),
    },
  ];
}

function factLines(report: Report): Block[] {
  const { version, target, requests, replies, rateLimited = 0, durationMs, seed } = report;
  const limited = rateLimited === 0 ? '' : `, ${rateLimited} answered 429 and waited out`;
  const seconds = (durationMs / 1000).toFixed(1);
  return [
    { kind: 'line', line: [{ text: `swapcheck ${version}`, isBold: true }, '  ', target] },
    {
      kind: 'line',
      line: `${requests} requests, ${replies} replies judged${limited} in ${seconds} s, seed ${seed}`,
    },
  ];
}

function summaryTable({ summary }: Report): Block {
  const counts = ['Passed', 'Failed', 'Waived', 'Could not run', 'Not applicable', 'Observed'];
  return {
    kind: 'table',
    columns: ['Level', ...counts.map((numbers) => ({ numbers }))],
    rows: (['must', 'should', 'observe'] as const).map((level) => {
      const { pass, fail, waived, couldNotRun, notApplicable, observed } = summary[level];
      return [
        level,
        String(pass),
        { text: String(fail), ...(fail > 0 && { tint: 'bad' }) },
        String(waived),
        { text: String(couldNotRun), ...(couldNotRun > 0 && { tint: 'warn' }) },
        String(notApplicable),
        String(observed),
      ];
    }),
  };
}

function notes({ largestDust: dust, leftOut, staleWaivers = [] }: Report): Item[] {
  return [
    ...staleWaivers.map(({ rule, why }) => ({
      line: { text: `Stale waiver: ${rule}: ${why}`, tint: 'bad' as const },
    })),
    ...groupLeftOut(leftOut).map((group) => ({
      line: { text: `Left out: ${leftOutLine(group)}`, tint: 'warn' as const },
    })),
    ...(dust === undefined
      ? []
      : [
          {
            line:
              `Largest dust: ${dust.baseUnits} base units of ${dust.token} ` +
              `(${dust.partsPerMillion} parts per million) in request ${dust.exchange}`,
          },
        ]),
  ];
}

function findings(rules: readonly RuleResult[]): Block[] {
  return groupByClause(rules.filter(({ failures }) => failures.length > 0)).flatMap((group) =>
    group.rules.map(({ id, level, outcome, title, failures }) => ({
      kind: 'findings',
      clause: group.clause,
      ...(group.words === undefined ? {} : { words: group.words }),
      rule: [{ mark: outcome === 'waived' ? 'waived' : 'failed' }, ` ${id} [${level}]: ${title}`],
      cases: failures.map(caseParts),
    })),
  );
}

function caseParts(failure: Failure): readonly Part[] {
  return failureParts(failure).map(([label, text]) => {
    switch (label) {
      case 'Expected':
        return [label, { text, tint: 'good' }];
      case 'Actual':
        return [label, { text, tint: 'bad' }];
      case 'Reply':
        return [label, { text, isCode: true }];
      case 'Repeat':
        return [label, { shell: text }];
      default:
        return [label, text];
    }
  });
}

function observationItem({ clause, title, observed = '' }: RuleResult): Item {
  return { line: [{ text: clause, isBold: true }, `  ${title}: `, observed] };
}

const MARKS: Readonly<Record<RuleResult['outcome'], Mark>> = {
  pass: 'passed',
  fail: 'failed',
  waived: 'waived',
  'could-not-run': 'warning',
  observed: 'observed',
  'not-applicable': 'left-out',
};

function ruleItem({ id, title, level, outcome, checks, why }: RuleResult): Item {
  const words = outcome === 'pass' ? `${checks} checks` : outcomeWords(outcome);
  const text = `${id}: ${title} [${level}, ${words}]`;
  const tint = RULE_TINTS[outcome];
  return {
    line: [
      { mark: MARKS[outcome] },
      ' ',
      tint === undefined ? text : { text, tint },
      ...(why === undefined ? [] : [` (${why})`]),
    ],
  };
}

const RULE_TINTS: Readonly<Partial<Record<RuleResult['outcome'], Tint>>> = {
  pass: 'dim',
  fail: 'bad',
  observed: 'dim',
  'not-applicable': 'dim',
};

function listOf(items: readonly Item[]): Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}
