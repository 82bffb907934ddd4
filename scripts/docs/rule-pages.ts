import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { printRules } from '../../conformance/commands/rules-command.ts';
import { findClause } from '../../conformance/contract/clauses.ts';
import type { Rule } from '../../conformance/model/rule.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { MOVING_MUTANTS, MUTANTS, SETTLEMENT_MUTANTS } from '../../reference/mutants/catalog.ts';
import type { Mutant } from '../../reference/mutants/faults/mutant.ts';

/** Where the pages of rules are. */
export const RULE_PAGES = new URL('../../docs/rules/', import.meta.url);

/** Sections that people write, in the page itself; a rule that only observes has the first alone. */
const WRITTEN = ['Why it matters', 'What a client suffers', 'How services get it wrong'];
/** The sections that `npm run docs:failures` writes. */
const SHOWN = { failure: 'A real failure', observed: 'What the reference service does' };

/** The sections of a page that are not written from the catalogue, by their headings. */
type Sections = ReadonlyMap<string, string>;

const ALL_MUTANTS = [...MUTANTS, ...SETTLEMENT_MUTANTS, ...MOVING_MUTANTS];

/** Returns the mutants that a rule must catch. */
export function mutantsOf({ id }: Pick<Rule, 'id'>): readonly Mutant[] {
  return ALL_MUTANTS.filter(({ caughtBy }) => caughtBy === id);
}

/** Returns the heading of the section that shows what a run of the rule showed. */
function headingShown({ level }: Pick<Rule, 'level'>): string {
  return level === 'observe' ? SHOWN.observed : SHOWN.failure;
}

/** Returns the page of a rule: what the catalogue and the mutants say of it, and the sections given. */
function pageOf(rule: Rule, sections: Sections): string {
  const section = (heading: string) => `## ${heading}\n\n${sections.get(heading) ?? ''}`.trim();
  const faults = mutantsOf(rule).map(({ title }) => `- ${title}`);
  return `${[
    `# \`${rule.id}\``,
    sentence(rule.title),
    clauseOf(rule),
    levelOf(rule),
    `${judgedBy(rule)} To judge it alone: \`swapcheck test URL --only ${rule.id}\`.`,
    ...headingsWritten(rule).map(section),
    ...(faults.length === 0
      ? []
      : [
          '## Faults that it is tested with',
          'Each is a mutant of the reference service that this rule must fail.',
          faults.join('\n'),
        ]),
    section(headingShown(rule)),
    '[All rules](../../rules.md)',
  ].join('\n\n')}\n`;
}

function headingsWritten({ level }: Rule): readonly string[] {
  return level === 'observe' ? WRITTEN.slice(0, 1) : WRITTEN;
}

function sentence(title: string): string {
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}.`;
}

/** The words of the specification: a row of one of its tables, or a sentence. */
function clauseOf({ clause }: Rule): string {
  const words = findClause(clause)?.words ?? '';
  const cells = words.split(' | ');
  const quoted =
    cells.length === 1
      ? `> ${words}`
      : `| ${cells.join(' | ')} |\n|${' --- |'.repeat(cells.length)}`;
  return `Specification, ${clause}:\n\n${quoted}`;
}

function levelOf({ level, because }: Rule): string {
  switch (level) {
    case 'must':
      return 'Level `must`: the specification says it.';
    case 'should':
      return `Level \`should\`: it follows from words of the specification, or a client is harmed. ${because}`;
    case 'observe':
      return 'Level `observe`: the specification leaves it open. What a service does is recorded, and never fails.';
  }
}

function judgedBy(rule: Rule): string {
  switch (rule.kind) {
    case 'reply': {
      const replies =
        rule.endpoint === undefined
          ? 'every reply'
          : `every reply of \`/${rule.endpoint}\` with status 200`;
      return `Judged in ${replies}: asked for by swapcheck, captured, or sampled under load.`;
    }
    case 'exchange':
      return 'Judged in every request that is sent.';
    case 'probe':
      return 'Judged by requests of its own.';
    case 'relation':
      return 'Judged by comparing the replies to requests of its own.';
    case 'settlement':
      return `Judged by executing plans on a forked chain (\`--fork\`). It needs ${rule.needs}.`;
  }
}

/** Returns the sections of a rule's page; of a page that is not there, none. */
function readSections(id: string): Sections {
  const parts = (readPage(id) ?? '').split(/^## (.+)\n/m).slice(1);
  const pairs = parts.flatMap((heading, at) =>
    at % 2 === 0
      ? [[heading, (parts[at + 1] ?? '').replace(/\[All rules\]\(.*\)\s*$/, '').trim()] as const]
      : [],
  );
  return new Map(pairs);
}

function readPage(id: string): string | undefined {
  const file = new URL(`${id}.md`, RULE_PAGES);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Writes the page of a rule anew; what people and runs have put into it stays. */
export function writePage(rule: Rule, shown?: string): void {
  const sections = new Map(readSections(rule.id));
  if (shown !== undefined) sections.set(headingShown(rule), shown);
  const file = new URL(`${rule.id}.md`, RULE_PAGES);
  mkdirSync(dirname(file.pathname), { recursive: true });
  writeFileSync(file, pageOf(rule, sections));
}

/** Returns what is wrong with the pages, each in a sentence that says how to mend it. */
export function problemsOf(rules: readonly Rule[]): readonly string[] {
  const files = readdirSync(RULE_PAGES, { recursive: true, encoding: 'utf8' });
  const ids = new Set(rules.map(({ id }) => id));
  const astray = files.filter(
    (file) => /\.\w+$/.test(file) && !ids.has(file.replace(/\.\w+$/, '')),
  );
  return [
    ...astray.map((file) => `docs/rules/${file}: no rule has that id, so delete the file`),
    ...rules.flatMap(problemsOfPage),
  ];
}

function problemsOfPage(rule: Rule): readonly string[] {
  const name = `docs/rules/${rule.id}.md`;
  const page = readPage(rule.id);
  if (page === undefined) {
    return [`${name} is missing: run \`npm run docs:rules\`, then write its sections`];
  }
  const sections = readSections(rule.id);
  const shown = sections.get(headingShown(rule)) ?? '';
  const [, shownMutant] = /mutant `([^`]+)`/.exec(shown) ?? [];
  const isShown =
    rule.level === 'observe'
      ? shown !== ''
      : mutantsOf(rule).some(({ id }) => id === shownMutant) && shown.includes('curl ');
  return [
    ...headingsWritten(rule)
      .filter((heading) => !sections.get(heading))
      .map((heading) => `${name}: write a sentence or two below "${heading}"`),
    ...(isShown
      ? []
      : [
          `${name}: "${headingShown(rule)}" is not of today's mutants: run \`npm run docs:failures ${rule.id}\``,
        ]),
    ...(page === pageOf(rule, sections)
      ? []
      : [`${name} is not what the catalogue says: run \`npm run docs:rules\``]),
  ];
}

if (import.meta.filename === process.argv[1]) {
  for (const rule of CATALOG) writePage(rule);
  writeFileSync(new URL('../rules.md', RULE_PAGES), printRules('markdown'));
}
