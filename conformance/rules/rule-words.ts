import { readSiblingFiles } from '../output/page-style.ts';
import { CATALOG } from './catalog.ts';

/** The text of a rule's page: why the rule exists, the harm to clients, and the usual mistake. */
export type RuleWords = {
  readonly why: string;
  /** Unset for rules that only observe. */
  readonly harm?: string | undefined;
  readonly mistake?: string | undefined;
};

/**
 * Returns the text of a rule's page; undefined for custom rules. Each section has a file in
 * `words/`: below the id of a rule are three paragraphs, in the order of `RuleWords`.
 */
export function ruleWords(id: string): RuleWords | undefined {
  const rule = CATALOG.find((each) => each.id === id);
  return rule && wordsIn(sectionOf(rule.clause)).get(id);
}

/** The subsections of section 5 share a file. */
function sectionOf(clause: string): string {
  const [section = ''] = clause.split(' ');
  return section.startsWith('5.') ? '5' : section;
}

/** Returns the texts of a section's rules by their ids. */
function wordsIn(section: string): ReadonlyMap<string, RuleWords> {
  const [, ...entries] = readSiblingFiles(import.meta.url, `words/${section}.md`).split(/^## /m);
  return new Map(
    entries.map((entry) => {
      const [id = '', why = '', harm, mistake] = entry.trim().split(/\n{2,}/);
      return [id, { why, harm, mistake }];
    }),
  );
}
