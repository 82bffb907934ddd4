import { counted } from '../contract/counted.ts';
import { describeNotJudged, type NotJudged } from '../model/not-judged.ts';
import type { Report, RuleResult } from '../model/report.ts';
import {
  type Block,
  type Document,
  type Item,
  type List,
  listOf,
  type Mark,
  type Part,
  type Span,
  type Tint,
  tableOf,
} from '../output/document.ts';
import { describeOtherRequest, failureParts } from './failure-parts.ts';
import {
  causeTitle,
  describeConsequences,
  type RootCause,
  rootCausesOf,
  usualMistake,
} from './root-causes.ts';
import { explainCommand } from './rule-page.ts';
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
  const { verdict, own, rules } = report;
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
    { opensText: 'also', blocks: fixFirst(report) },
    { opensText: 'only', blocks: unexecuted(report) },
    { title: 'Not judged', blocks: listOf(report.notJudged.map(notJudgedItem)) },
    { blocks: factLines(report) },
    { blocks: summaryTable(report) },
    { blocks: listOf(notes(report)) },
    { title: 'Failures', blocks: findings(rules) },
    {
      title: 'What this service does where the specification is silent',
      isFolded: true,
      blocks: listOf(observations(rules).map(observationItem)),
      brief: [],
    },
    {
      title: `All ${counted(rules.length, 'rule')}`,
      isFolded: true,
      blocks: groupByClause(rules).flatMap((group) =>
        listOf(group.rules.map(ruleItem), group.clause),
      ),
      brief: sectionsAndWarnings(report, '--verbose lists them, and what was observed'),
      summary: sectionsAndWarnings(report, 'the JSON and HTML reports list them'),
    },
  ];
}

/** Returns the failure to fix first, in a few lines; nothing if each failure is waived. */
export function fixFirst({ rules }: Report): Block[] {
  const [cause] = rootCausesOf(rules);
  if (cause === undefined || cause.isWaived) return [];
  const [rule, ...others] = cause.rules;
  const { belongsTo } = cause.example;
  const further = [
    ...(others.length === 0
      ? []
      : [`${counted(others.length, 'other rule')} failed in the same way`]),
    describeConsequences(cause) ?? [],
  ].flat();
  const name: Span = { text: `Fix first: ${rule?.id ?? ''}`, isBold: true };
  return [
    { kind: 'line', line: [name, `: ${rule?.title ?? ''}`] },
    {
      kind: 'parts',
      parts: [
        ...(belongsTo === undefined ? [] : [['Cause', describeOtherRequest(belongsTo)] as const]),
        ...exampleParts(cause).filter(([label]) => label === 'Expected' || label === 'Actual'),
        ...mistakeParts(cause),
      ],
    },
    ...(further.length === 0 ? [] : [{ kind: 'line', line: further.join('; ') } as const]),
  ];
}

function mistakeParts(cause: RootCause): Part[] {
  const mistake = usualMistake(cause);
  return mistake === undefined ? [] : [['Usual mistake', mistake]];
}

/** Names calldata that was not executed in the first lines, so that a green verdict misleads nobody. */
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

function notJudgedItem(entry: NotJudged): Item {
  return { line: [{ mark: 'warning' }, ` ${withRules(entry, 3)}`] };
}

function findings(rules: readonly RuleResult[]): Block[] {
  return rootCausesOf(rules).map((cause): Block => {
    const [rule, ...others] = cause.rules;
    const command = rule && explainCommand(rule);
    return {
      kind: 'finding',
      heading: [{ mark: cause.isWaived ? 'waived' : 'failed' }, ` ${causeTitle(cause)}`],
      about: others.length > 0 ? ruleLines(cause.rules) : [clauseLine(rule)],
      example: [
        ...exampleParts(cause),
        ...mistakeParts(cause),
        ...(command === undefined ? [] : [['Explain', code(command)] satisfies Part]),
      ],
      variants: cause.variants,
      consequences: consequenceList(cause),
    };
  });
}

/** @example clauseLine(rule) // '2.3 decimals: Decimal places, 0 to 18' */
function clauseLine(rule: RuleResult | undefined): string {
  if (rule === undefined) return '';
  const { clause, clauseWords } = rule;
  return clauseWords === undefined ? clause : `${clause}: ${clauseWords}`;
}

const MAX_RULES = 8;

/** @example 'swap/buy-token [must]: rejects a `buyToken` that is missing or no address' */
function ruleLines(rules: readonly RuleResult[]): string[] {
  const shown = rules
    .slice(0, MAX_RULES)
    .map(({ id, level, title }) => `${id} [${level}]: ${title}`);
  const more = rules.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])];
}

/** Returns the rules whose failures may follow from a cause, or undefined if there are none. */
export function consequenceList(cause: RootCause): List | undefined {
  const { consequences } = cause;
  const shown = consequences.slice(0, MAX_RULES).map(({ rule, failures }): Item => {
    const [first] = failures;
    const times = failures.reduce((sum, { count }) => sum + count, 0);
    return {
      line: `${rule.id} [${rule.level}, ${counted(times, 'time')}]: ${first?.actual ?? ''}`,
    };
  });
  const more = consequences.length - shown.length;
  const items = [...shown, ...(more > 0 ? [{ line: `and ${more} more` }] : [])];
  return listOf(items, describeConsequences(cause))[0];
}

function code(text: string): Span {
  return { text, isCode: true };
}

function exampleParts({ example, count }: RootCause): Part[] {
  return failureParts(example, count).map(([label, text]) => {
    if (label === 'Repeat') return [label, { shell: text }];
    if (label === 'Reply') return [label, { text, isCode: true }];
    return [label, { text, tint: PART_TINTS[label] }];
  });
}

const PART_TINTS: Readonly<Record<string, Tint>> = { Expected: 'good', Actual: 'bad' };

function observationItem(rule: RuleResult): Item {
  const { clause, title } = rule;
  return { line: [{ text: clause, isBold: true }, `  ${title}: `, describeObserved(rule) ?? ''] };
}

/**
 * Lists only reasons that appear neither in the verdict nor in the section on what was not judged.
 */
function sectionsAndWarnings(report: Report, where: string): Block[] {
  const { rules, reason } = report;
  const warnings = couldNotRun(report)
    .filter(({ why }) => !reason.includes(why))
    .map(
      (group): Item => ({
        line: [{ mark: 'warning' }, ` Could not run: ${withRules(group, 3)}`],
      }),
    );
  return listOf(
    [
      ...groupBySection(rules).map(([section, members]) => sectionItem(section, members)),
      ...warnings,
    ],
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
  waived: ['waived'],
  'could-not-run': ['warning'],
  observed: ['observed', 'dim'],
  'not-applicable': ['left-out', 'dim'],
};

function ruleItem({ id, title, level, outcome, checks, why }: RuleResult): Item {
  const [mark, tint] = OUTCOMES[outcome];
  const words = outcome === 'pass' ? counted(checks, 'check') : formatOutcome(outcome);
  const text = `${id}: ${title} [${level}, ${words}]`;
  return { line: [{ mark }, ' ', { text, tint }, why === undefined ? '' : ` (${why})`] };
}
