import { createRequire } from 'node:module';
import { findClause } from '../contract/clauses.ts';
import { formatQuoted } from '../model/format-statement.ts';
import type { RuleResult } from '../model/report.ts';
import { OWN_CLAUSE, type Rule } from '../model/rule.ts';
import { CATALOG } from '../rules/catalog.ts';
import { ruleWords, WORDS_HEADINGS } from '../rules/rule-words.ts';

const require = createRequire(import.meta.url);
const { homepage } = require('#package') as { homepage?: string };

/**
 * Returns the command that prints a rule's page. Returns undefined for a team's own rules, which
 * have no page.
 */
export function explainCommand({
  id,
  clause,
}: Pick<RuleResult, 'id' | 'clause'>): string | undefined {
  return clause === OWN_CLAUSE ? undefined : `swapcheck explain ${id}`;
}

/**
 * Returns the address of a rule's page on the documentation site. Returns undefined for a team's
 * own rules, or if the package names no site.
 *
 * @param site - Default: the `homepage` of the package.
 * @example
 * rulePageUrl('plan/acyclic', 'https://docs.example.org/')
 * // 'https://docs.example.org/rules/plan/acyclic.html'
 */
export function rulePageUrl(ruleId: string, site = homepage): string | undefined {
  if (site === undefined || ruleById(ruleId) === undefined) return undefined;
  return new URL(`rules/${ruleId}.html`, site).href;
}

function ruleById(id: string): Rule | undefined {
  return CATALOG.find((rule) => rule.id === id);
}

/** Returns the page of a rule as Markdown; undefined for rules that are not in the catalog. */
export function rulePage(ruleId: string): string | undefined {
  const rule = ruleById(ruleId);
  const words = ruleWords(ruleId);
  if (rule === undefined || words === undefined) return undefined;
  const { why, harm, mistake } = words;
  const sections = [
    [WORDS_HEADINGS.why, why],
    [WORDS_HEADINGS.harm, harm],
    [WORDS_HEADINGS.mistake, mistake],
    ['Tested faults', listBreaks(rule)],
  ] as const;
  return `${[
    `# \`${rule.id}\``,
    `${rule.title.charAt(0).toUpperCase()}${rule.title.slice(1)}.`,
    formatClause(rule),
    describeLevel(rule),
    `${describeJudging(rule)} To repeat its failures in a report: \`swapcheck test URL --last-failed REPORT\`; to judge only this rule: \`--only ${rule.id}\`.`,
    ...sections.flatMap(([heading, text]) => (text ? [`## ${heading}`, text] : [])),
  ].join('\n\n')}\n`;
}

/** For a probe, lists only the findings: the changes to the service are code. */
function listBreaks(rule: Rule): string | undefined {
  if (!('breaks' in rule) || rule.level === 'observe') return undefined;
  if (rule.kind === 'probe' || rule.kind === 'relation') {
    const finds = (rule.breaks ?? []).flat().filter((each) => typeof each === 'string');
    return [...new Set(finds)].map((find) => `- ${find}`).join('\n');
  }
  const lines = (rule.breaks ?? []).flatMap(([change, ...rest]) => {
    const [found] = rest.filter((each) => typeof each === 'string');
    if (typeof change === 'function' || found === undefined) return [];
    const changes = (rule.kind === 'settlement' ? leavesOf(change) : Object.entries(change)).map(
      ([place, value]) => {
        const name = place === '' ? 'the body' : `\`${place}\``;
        const text = typeof value === 'bigint' ? String(value) : formatQuoted(value);
        return value === undefined ? `${name} is missing` : `${name} is \`${text}\``;
      },
    );
    return changes.length === 0 ? [] : [`- ${changes.join(', ')}: found ${found}`];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}

function leavesOf(value: object, path: readonly string[] = []): readonly [string, unknown][] {
  return Object.entries(value).flatMap(([key, each]): readonly [string, unknown][] =>
    typeof each === 'object' && each !== null
      ? leavesOf(each, [...path, key])
      : [[[...path, key].join('.'), each]],
  );
}

function formatClause({ clause }: Rule): string {
  const quoted = findClause(clause)?.quoted ?? '';
  const text =
    typeof quoted === 'string'
      ? `> ${quoted}`
      : `| ${quoted.join(' | ')} |\n|${' --- |'.repeat(quoted.length)}`;
  return `Specification, ${clause}:\n\n${text}`;
}

function describeLevel({ level, because }: Rule): string {
  switch (level) {
    case 'must':
      return 'Level `must`: the specification states it.';
    case 'should':
      return `Level \`should\`: it follows from the specification, or protects clients from harm. ${because}`;
    case 'observe':
      return 'Level `observe`: the specification leaves it open. The behavior is recorded, and never fails.';
  }
}

function describeJudging(rule: Rule): string {
  switch (rule.kind) {
    case 'reply': {
      if (rule.checkMissing !== undefined) return 'Judged in every request that is sent.';
      const replies =
        rule.endpoint === undefined
          ? 'every reply'
          : `every reply of \`/${rule.endpoint}\` with status 200`;
      return `Judged in ${replies}: requested by swapcheck, captured, or sampled under load.`;
    }
    case 'probe':
      return 'Judged by separate requests.';
    case 'relation':
      return 'Judged by comparing the replies to separate requests.';
    case 'settlement':
      return `Judged by executing plans on a forked chain (\`--fork\`). It needs ${rule.needs}.`;
  }
}
