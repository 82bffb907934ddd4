import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RuleResult } from '../model/report.ts';
import { OWN_CLAUSE } from '../model/rule.ts';

const require = createRequire(import.meta.url);
const { homepage } = require('#package') as { homepage?: string };

/** Returns the command that prints a rule's page, wherever swapcheck is installed; rules of a team's own have none. */
export function explainCommand({
  id,
  clause,
}: Pick<RuleResult, 'id' | 'clause'>): string | undefined {
  return clause === OWN_CLAUSE ? undefined : `swapcheck explain ${id}`;
}

/**
 * Returns the address of a rule's page on the site of the documentation, or
 * undefined where the package names none: a report links to nothing that is not there.
 *
 * @param site - Default: the `homepage` of the package.
 * @example rulePageUrl('plan/acyclic', 'https://docs.example.org/') // 'https://docs.example.org/rules/plan/acyclic.html'
 */
export function rulePageUrl(ruleId: string, site = homepage): string | undefined {
  return site === undefined ? undefined : new URL(`rules/${ruleId}.html`, site).href;
}

/** Returns where a rule's page is: on the site, else the file in the package that runs; undefined where it has none. */
export function ruleHelpUri(ruleId: string): string | undefined {
  const file = pageFile(ruleId);
  return file && (rulePageUrl(ruleId) ?? pathToFileURL(file).href);
}

function pageFile(ruleId: string): string | undefined {
  const file = join(dirname(require.resolve('#package')), 'docs/rules', `${ruleId}.md`);
  return existsSync(file) ? file : undefined;
}

/** Returns the page of a rule as Markdown, and the folder that its links start from; undefined where it has none. */
export function rulePage(
  ruleId: string,
): { readonly markdown: string; readonly folder: string } | undefined {
  const file = pageFile(ruleId);
  if (file === undefined) return undefined;
  const page = readFileSync(file, 'utf8');
  return { markdown: page.replace(/\n\[All rules\]\(.*\)\n$/, ''), folder: dirname(file) };
}
