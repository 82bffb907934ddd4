import { counted } from '../contract/counted.ts';
import { describeNotJudged, type NotJudged } from '../model/not-judged.ts';
import type { Report, RuleResult } from '../model/report.ts';
import {
  type Block,
  type Document,
  type Item,
  listOf,
  type Mark,
  type Span,
  type Tint,
  tableOf,
} from '../output/document.ts';
import { anchorsOf, findings, fixFirst, ruleIdsOf } from './cause-blocks.ts';
import { levelCards } from './html/bars.ts';
import { ruleIdList } from './html/failure-views.ts';
import { type RootCause, rootCausesOf } from './root-causes.ts';
import {
  couldNotRun,
  describeObserved,
  formatOutcome,
  formatTarget,
  groupByClause,
  groupBySection,
  observations,
  outcomeCounts,
  reasonOf,
  sectionName,
  verdictLabel,
  withRules,
} from './rule-results.ts';
import { coverageNotes, describeDust, latencyNote } from './run-notes.ts';

/**
 * Returns a report as a document for people: verdict, summary, failures, observations, and every
 * rule.
 */
export function reportDocument(report: Report): Document {
  const causes = rootCausesOf(report.rules);
  return [...reportHead(report, causes), ...reportBody(report, causes)];
}

/** Returns the first part of the document: the verdict, what to fix first, and the summary. */
export function reportHead(report: Report, causes: readonly RootCause[]): Document {
  const { verdict, own } = report;
  const reason = reasonOf(report);
  const tints = {
    conforming: 'good',
    nonconforming: 'bad',
    incomplete: 'warn',
    'no-failure': 'warn',
  } as const;
  const tint = own?.verdict === 'broken' ? 'bad' : tints[verdict];
  return [
    {
      blocks: [
        { kind: 'verdict', subject: 'swapcheck', verdict: verdictLabel(report), tint, reason },
      ],
    },
    { opensText: 'also', blocks: fixFirst(causes) },
    { opensText: 'only', blocks: unexecuted(report) },
    { title: 'Not judged', blocks: listOf(report.notJudged.map(notJudgedItem)) },
    { blocks: factLines(report) },
    { blocks: [{ kind: 'figure', draw: () => levelCards(report), blocks: summaryTable(report) }] },
    { blocks: listOf(notes(report)) },
  ];
}

/** Returns the second part of the document: the failures, every rule, and observations. */
export function reportBody(report: Report, causes: readonly RootCause[]): Document {
  const { rules, reason } = report;
  const affected = new Set(causes.flatMap(ruleIdsOf)).size;
  const all = `All ${counted(rules.length, 'rule')}`;
  const silence = 'What this service does where the specification is silent';
  const observed = listOf(observations(rules).map(observationItem));
  return [
    {
      title: ['Failures', dim(`${counted(causes.length, 'cause')}, ${counted(affected, 'rule')}`)],
      blocks: findings(causes),
    },
    {
      title: 'Could not run',
      // The verdict already names the other reasons.
      blocks: listOf(
        couldNotRun(report)
          .filter(({ why }) => !reason.includes(why))
          .map(notJudgedItem),
      ),
    },
    {
      title: [all, dim('by section of the specification')],
      blocks: ruleFolds(rules, anchorsOf(causes)),
      brief: sectionList(rules, '--verbose lists them, and what was observed'),
      summary: [
        {
          kind: 'fold',
          title: all,
          blocks: sectionList(rules, 'the JSON and HTML reports list them'),
        },
      ],
    },
    {
      title: silence,
      blocks: observed,
      brief: [],
      summary: observed.length === 0 ? [] : [{ kind: 'fold', title: silence, blocks: observed }],
    },
  ];
}

function dim(text: string): Span {
  return { text: `  ${text}`, tint: 'dim' };
}

/**
 * Names calldata that was not executed in the first lines, so that a green verdict misleads nobody.
 */
function unexecuted({ notJudged }: Report): Block[] {
  return notJudged
    .filter(({ needs }) => needs !== undefined)
    .map((entry) => ({ kind: 'line', line: `Not judged: ${describeNotJudged(entry)}` }));
}

function factLines(report: Report): Block[] {
  const { version, requests, replies, rateLimited = 0, withoutBody = 0, durationMs, seed } = report;
  const limited = rateLimited === 0 ? '' : `, ${rateLimited} repeated after a rate limit`;
  const omitted =
    withoutBody === 0
      ? ''
      : `, ${withoutBody} omitted because their body is missing or was changed by redaction`;
  const seconds = (durationMs / 1000).toFixed(1);
  const latency = latencyNote(report);
  return [
    {
      kind: 'line',
      line: [{ text: `swapcheck ${version}`, isBold: true }, '  ', formatTarget(report)],
    },
    {
      kind: 'line',
      line: `${counted(requests, 'request')}, ${counted(replies, 'reply', 'replies')} judged${limited}${omitted} in ${seconds} s, seed ${seed}`,
    },
    ...(latency === undefined
      ? []
      : [{ kind: 'line', line: `Reply times: ${latency}` } satisfies Block]),
  ];
}

function summaryTable({ summary }: Report): Block[] {
  return tableOf(
    ['Level', 'Passed', 'Failed', 'Waived', 'Could not run', 'Not applicable', 'Observed'],
    (['must', 'should', 'observe'] as const).map((level) => {
      const { pass, fail, waived, couldNotRun, notApplicable, observed } = summary[level];
      return [
        level,
        String(pass),
        { text: String(fail), tint: fail > 0 ? 'bad' : undefined },
        String(waived),
        { text: String(couldNotRun), tint: couldNotRun > 0 ? 'warn' : undefined },
        String(notApplicable),
        String(observed),
      ];
    }),
  );
}

function notes(report: Report): Item[] {
  const { largestDust: dust, staleWaivers = [] } = report;
  const stale = staleWaivers.map(({ rule, why }) => `Stale waiver: ${rule}: ${why}`);
  const largest = dust && `Largest dust: ${describeDust(dust)}`;
  return [
    ...stale.map((text): Item => ({ line: { text, tint: 'bad' } })),
    ...coverageNotes(report).map((line) => ({ line })),
    ...(largest === undefined ? [] : [{ line: largest }]),
  ];
}

/** A page also lists the rules that the line omits. */
function notJudgedItem(entry: NotJudged): Item {
  const { rules } = entry;
  return {
    line: [{ mark: 'warning' }, ` ${withRules(entry, 3)}`],
    parts: rules.length > 3 ? [['Rules', { draw: () => ruleIdList(rules) }]] : [],
  };
}

function observationItem(rule: RuleResult): Item {
  const { clause, title } = rule;
  return { line: [{ text: clause, isBold: true }, `  ${title}: `, describeObserved(rule) ?? ''] };
}

function sectionList(rules: readonly RuleResult[], where: string): Block[] {
  return listOf(
    groupBySection(rules).map(([section, members]) => sectionItem(section, members)),
    `${counted(rules.length, 'rule')} by section of the specification; ${where}`,
  );
}

/** @example '✓ 2 Resources and their fields: 84 passed, 7 observed' */
function sectionItem(section: string, members: readonly RuleResult[]): Item {
  const counts = outcomeCounts(members);
  const [mark] = OUTCOMES[counts[0]?.outcome ?? 'not-applicable'];
  const words = counts.map((count) => count.words).join(', ');
  return { line: [{ mark }, ` ${sectionName(section)}: ${words}`] };
}

const OUTCOMES: Readonly<Record<RuleResult['outcome'], readonly [mark: Mark, tint?: Tint]>> = {
  pass: ['passed', 'dim'],
  fail: ['failed', 'bad'],
  waived: ['waived', 'warn'],
  'could-not-run': ['warning', 'warn'],
  observed: ['observed', 'dim'],
  'not-applicable': ['left-out', 'dim'],
};

/**
 * Returns all rules by section and clause, with the words of each clause and links to the findings.
 */
function ruleFolds(
  rules: readonly RuleResult[],
  anchors: ReadonlyMap<string, string>,
): readonly Block[] {
  return groupBySection(rules).map(([section, members]) => ({
    kind: 'fold',
    title: [
      sectionName(section),
      ...outcomeCounts(members).flatMap(({ outcome, words }): Span[] => [
        '  ',
        { text: words, tint: OUTCOMES[outcome][1] },
      ]),
    ],
    blocks: groupByClause(members).flatMap(({ clause, words, rules: ofClause }) =>
      listOf(
        ofClause.map((rule) => ruleItem(rule, anchors.get(rule.id))),
        words === undefined ? clause : [clause, dim(words)],
      ),
    ),
  }));
}

function ruleItem(rule: RuleResult, anchor: string | undefined): Item {
  const { id, title, level, outcome, checks } = rule;
  const [mark, tint] = OUTCOMES[outcome];
  const words = outcome === 'pass' ? counted(checks, 'check') : formatOutcome(outcome);
  const text = `${id}: ${title} [${level}, ${words}]`;
  // A separate section lists what `observe` rules observed.
  const remark = rule.why ?? (level === 'observe' ? undefined : describeObserved(rule));
  return {
    line: [
      { mark },
      ' ',
      { text, tint, href: anchor && `#${anchor}` },
      remark === undefined ? '' : ` (${remark})`,
    ],
    attributes: { 'data-rule': id, 'data-verdict': outcome, 'data-level': level },
  };
}
