import { clauseSection } from '../contract/clauses.ts';
import { readSiblingFiles } from '../output/page-style.ts';
import { CATALOG } from './catalog.ts';

/** The text of a rule's page: why the rule exists, the harm to clients, and the usual mistake. */
export type RuleWords = {
  readonly why: string;
  /** Unset for rules that only observe. */
  readonly harm?: string | undefined;
  readonly mistake?: string | undefined;
};

/** Headings on a rule's page and in the files of `words/`. */
export const WORDS_HEADINGS = {
  why: 'Why it matters',
  harm: 'Harm to clients',
  mistake: 'Usual mistake',
} as const satisfies Readonly<Record<keyof RuleWords, string>>;

/**
 * Returns the text of a rule's page; undefined for custom rules. `words/` has a file for each
 * section, with the rule ids as headings.
 */
export function ruleWords(id: string): RuleWords | undefined {
  const rule = CATALOG.find((each) => each.id === id);
  return rule && wordsIn(sectionOf(rule.clause)).get(id);
}

/** The subsections of section 5 share a file. */
function sectionOf(clause: string): string {
  const section = clauseSection(clause);
  return section.startsWith('5.') ? '5' : section;
}

function wordsIn(section: string): ReadonlyMap<string, RuleWords> {
  const [, ...entries] = readSiblingFiles(import.meta.url, `words/${section}.md`).split(/^## /m);
  return new Map(
    entries.map((entry) => {
      const [id = '', ...texts] = entry.split(/^### /m).map((text) => text.trim());
      const textOf = (name: keyof RuleWords) => {
        const heading = `${WORDS_HEADINGS[name]}\n`;
        return texts
          .find((text) => text.startsWith(heading))
          ?.slice(heading.length)
          .trim();
      };
      return [id, { why: textOf('why') ?? '', harm: textOf('harm'), mistake: textOf('mistake') }];
    }),
  );
}
