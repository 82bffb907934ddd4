import type { Failure, Report, RuleResult } from '../model/report.ts';
import { escapeText, markupTable } from '../output/markdown.ts';
import { dissectFailure, limitedWords, observations, outcomeWords } from './anatomy.ts';
import { groupByClause } from './by-clause.ts';
import { groupLeftOut, leftOutLine } from './left-out.ts';

/** GitHub refuses a job summary of 1 MiB or more; the rest is for what a step adds of its own. */
const MAX_BYTES = 900_000;

const VERDICT_SIGN = { conforming: '✅', nonconforming: '❌', incomplete: '⚠️' };

/**
 * Returns the report as GitHub-flavoured Markdown that fits a job summary:
 * verdict, failures, behaviour where the specification is silent, rules by
 * clause. Failures that do not fit are counted, never cut in half.
 */
export function writeMarkdown(report: Report): string {
  const head = [headLines(report), summaryTable(report), noteLines(report)].flat();
  const tail = [silenceTable(report), ruleTable(report)].flat();
  const budget = MAX_BYTES - bytes([...head, ...tail].join('\n'));
  return `${[...head, ...failureBlocks(report, budget), ...tail].join('\n')}\n`;
}

function headLines(report: Report): string[] {
  const { verdict, reason, target } = report;
  return [
    `## ${VERDICT_SIGN[verdict]} swapcheck: ${verdict}`,
    '',
    `${escapeText(reason)}`,
    '',
    `${escapeText(target)} · ${report.requests} requests · ${report.replies} replies judged${limitedWords(report)} · ` +
      `${(report.durationMs / 1000).toFixed(1)} s · seed ${report.seed}`,
    '',
  ];
}

function summaryTable({ summary }: Report): string[] {
  return table(
    ['Level', 'Passed', 'Failed', 'Waived', 'Could not run', 'Not applicable', 'Observed'],
    (['must', 'should', 'observe'] as const).map((level) => {
      const { pass, fail, waived, couldNotRun, notApplicable, observed } = summary[level];
      return [level, pass, fail, waived, couldNotRun, notApplicable, observed].map(String);
    }),
  );
}

function noteLines({ largestDust: dust, leftOut = [], staleWaivers = [] }: Report): string[] {
  const notes = [
    ...staleWaivers.map(({ rule, why }) => `Stale waiver: ${rule}: ${why}`),
    ...groupLeftOut(leftOut).map((group) => `Left out: ${leftOutLine(group, 20)}`),
    ...(dust === undefined
      ? []
      : [
          `Largest dust: ${dust.baseUnits} base units of ${dust.token} ` +
            `(${dust.partsPerMillion} parts per million) in request ${dust.exchange}`,
        ]),
  ];
  return notes.length === 0 ? [] : [...notes.map((note) => `- ${escapeText(note)}`), ''];
}

function failureBlocks({ rules }: Report, budget: number): string[] {
  const blocks = groupByClause(rules).flatMap((group) =>
    group.rules.flatMap((rule) => rule.failures.map((failure) => failureBlock(rule, failure))),
  );
  if (blocks.length === 0) return [];
  const shown: string[] = ['### Failures', ''];
  let left = budget - 200;
  for (const [at, block] of blocks.entries()) {
    left -= bytes(block) + 1;
    if (left < 0) {
      shown.push(`${blocks.length - at} more failures are in the JSON report.`, '');
      break;
    }
    shown.push(block);
  }
  return shown;
}

function failureBlock(rule: RuleResult, failure: Failure): string {
  const parts = dissectFailure(failure);
  const label = failure.waiver === undefined ? rule.level : 'waived';
  return [
    `<details><summary><b>${escapeText(rule.clause)}</b> ${escapeText(rule.id)} (${label}): ${escapeText(rule.title)}</summary>`,
    '',
    ...(rule.clauseWords === undefined ? [] : [`> ${escapeText(rule.clauseWords)}`, '']),
    ...parts.flatMap(([name, value]) =>
      name === 'Repeat'
        ? ['', ...fenced(value)]
        : [`- **${name}:** ${name === 'Reply' ? code(value) : escapeText(value)}`],
    ),
    '',
    '</details>',
    '',
  ].join('\n');
}

function silenceTable({ rules }: Report): string[] {
  const seen = observations(rules);
  if (seen.length === 0) return [];
  return [
    '### Where the specification is silent',
    '',
    ...table(
      ['Clause', 'Question', 'What this service does'],
      seen.map(({ clause, title, observed }) => [clause, title, observed ?? '']),
    ),
  ];
}

function ruleTable({ rules }: Report): string[] {
  const rows = groupByClause(rules).flatMap(({ clause, rules: members }) =>
    members.map(({ id, level, outcome, checks, why }) => [
      clause,
      id,
      level,
      outcomeWords(outcome) + (why === undefined ? '' : `: ${why}`),
      String(checks),
    ]),
  );
  return [
    `<details><summary>All ${rules.length} rules</summary>`,
    '',
    ...table(['Clause', 'Rule', 'Level', 'Outcome', 'Checks'], rows),
    '</details>',
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const body = rows.map((cells) => cells.map((each) => escapeText(each, 300)));
  return [markupTable(head, body), ''];
}

function code(text: string): string {
  const fence = '`'.repeat(longestTicks(text) + 1);
  return `${fence} ${text} ${fence}`;
}

function fenced(text: string): string[] {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return [`${fence}sh`, text, fence];
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
