import { Command, Option } from 'commander';
import {
  CLAUSES,
  type Clause,
  clauseSection,
  clauseSubject,
  compareClauses,
  SECTIONS,
} from '../contract/clauses.ts';
import type { Rule } from '../model/rule.ts';
import { CATALOG } from '../rules/catalog.ts';

const FORMATS = { text: asText, json: asJson, markdown: asMarkdown } as const;

/** Returns `swapcheck rules`, which prints the catalog. */
export function createRulesCommand(): Command {
  const format = new Option('--format <format>', 'print in this format');
  return new Command('rules')
    .addOption(format.choices(Object.keys(FORMATS)).default('text'))
    .action((flags: { format: keyof typeof FORMATS }) => {
      process.stdout.write(printRules(flags.format));
    });
}

/** Returns the catalog and the clauses that no rule can test, as text, JSON or a Markdown page. */
export function printRules(format: keyof typeof FORMATS): string {
  return FORMATS[format]();
}

function asText(): string {
  const width = Math.max(...CATALOG.map(({ id }) => id.length));
  const clauseWidth = Math.max(...CATALOG.map(({ clause }) => clause.length));
  const lines = byClause().map(
    ({ id, clause, level, title }) =>
      `${clause.padEnd(clauseWidth)}  ${level.padEnd(7)}  ${id.padEnd(width)}  ${title}`,
  );
  return `${lines.join('\n')}\n`;
}

function asJson(): string {
  const rules = byClause().map(({ id, clause, level, title, kind, because }) => ({
    id,
    clause,
    level,
    title,
    kind,
    ...(because !== undefined && { because }),
  }));
  return `${JSON.stringify({ rules, clauses: CLAUSES }, undefined, 2)}\n`;
}

function asMarkdown(): string {
  const rules = byClause();
  const count = (level: Rule['level']) => rules.filter((rule) => rule.level === level).length;
  const untestable = CLAUSES.filter(
    (clause): clause is Extract<Clause, { level: 'untestable' }> => clause.level === 'untestable',
  );
  return [
    '# Rules',
    '',
    `${rules.length} rules: ${count('must')} \`must\` (stated in the specification), ${count('should')} \`should\` (follows from the specification, or protects clients from harm: see [why](#why-each-should)), ${count('observe')} \`observe\` (records behavior that the specification leaves open, and never fails). \`npm run docs:rules\` writes this page and the pages of the rules.`,
    '',
    ...sectionTables(rules),
    '## Why each `should`',
    '',
    '| Rule | Because |',
    '| --- | --- |',
    ...rules.flatMap(({ id, because }) =>
      because === undefined ? [] : [`| ${link(id)} | ${cell(because)} |`],
    ),
    '',
    '## Clauses that no rule tests',
    '',
    '| Clause | Words | Why not |',
    '| --- | --- | --- |',
    ...untestable.map(({ id, words, why }) => `| ${cell(id)} | ${cell(words)} | ${cell(why)} |`),
    '',
  ].join('\n');
}

const SUBSECTION_TITLES: Readonly<Record<string, string>> = {
  '1.1': 'Routing plan',
  '1.2': 'Encoding',
  '1.3': 'Calldata',
  '1.4': 'Lookups',
  '1.5': 'Read-only operations',
  '2.1': 'SwapResponse',
  '2.2': 'TradeToken',
  '2.3': 'Token',
  '2.4': 'Route',
  '2.5': 'RouteToken',
  '2.6': 'TokenInfo',
  '2.7': 'Chain',
  '2.8': 'ChainInfo',
  '2.9': 'RouterInfo',
  '2.10': 'Error',
  '4.1': '/swap',
  '4.2': '/tokens',
  '4.3': '/chains',
  '4.4': '/chainInfo',
  '5.1': 'API key',
  '5.3': 'Missing or invalid keys',
};

function sectionTables(rules: readonly Rule[]): readonly string[] {
  const sectionOf = ({ clause }: Rule) => clauseSection(clause);
  return [...new Set(rules.map(sectionOf))].flatMap((section) => [
    `## ${section} ${SUBSECTION_TITLES[section] ?? SECTIONS[Math.floor(Number(section))]}`,
    '',
    '| Rule | Level | Clause | A conforming service |',
    '| --- | --- | --- | --- |',
    ...rules
      .filter((rule) => sectionOf(rule) === section)
      .map(
        ({ id, clause, level, title }) =>
          `| ${link(id)} | ${level} | ${cell(clauseSubject(clause))} | ${cell(title)} |`,
      ),
    '',
  ]);
}

function byClause(): readonly Rule[] {
  return CATALOG.toSorted((a, b) => compareClauses(a.clause, b.clause));
}

function link(id: string): string {
  return `\`${id}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
