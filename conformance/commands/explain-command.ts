import { Command } from 'commander';
import { renderPage } from '../output/markdown-text.ts';
import { type TerminalVariables, wantsColor } from '../output/terminal.ts';
import { UsageError } from '../output/usage-error.ts';
import { rulePage } from '../report/rule-page.ts';
import { CATALOG } from '../rules/catalog.ts';
import { selectRules, UnknownRuleError } from '../runner/select-rules.ts';

const MAX_PAGE_WIDTH = 100;
const DEFAULT_PAGE_WIDTH = 80;

/** Returns `swapcheck explain`, which prints the page of a rule. */
export function createExplainCommand(): Command {
  return new Command('explain')
    .argument('<RULE>', 'id of a rule, as in reports; if several match, they are listed')
    .action((name: string) => {
      process.stdout.write(explain(name, process.stdout, process.env));
    });
}

type PageStream = { readonly isTTY?: boolean; readonly columns?: number };

/**
 * Returns the page of the rule with the given name, fitted to the terminal's width. If several
 * rules match, returns one line for each.
 *
 * @throws {UsageError} for a name that matches no rule and no clause.
 */
export function explain(name: string, stream: PageStream, variables: TerminalVariables): string {
  const [rule, ...others] = matching(name);
  if (rule === undefined || others.length > 0) {
    const rules = rule === undefined ? [] : [rule, ...others];
    const width = Math.max(...rules.map(({ id }) => id.length));
    return `${rules.map(({ id, title }) => `${id.padEnd(width)}  ${title}`).join('\n')}\n`;
  }
  return renderPage(rulePage(rule.id) ?? '', {
    color: wantsColor(stream, variables),
    width: Math.min(MAX_PAGE_WIDTH, stream.columns ?? DEFAULT_PAGE_WIDTH),
    locate: (link) => link,
  });
}

function matching(name: string) {
  try {
    return selectRules(CATALOG, { only: [name] }).selected;
  } catch (error) {
    throw error instanceof UnknownRuleError ? new UsageError(error.message) : error;
  }
}
