import { Command } from 'commander';
import { markdownText } from '../output/markdown-text.ts';
import { type TerminalVariables, wantsColour } from '../output/terminal.ts';
import { UsageError } from '../output/usage-error.ts';
import { rulePage } from '../report/rule-page.ts';
import { CATALOG } from '../rules/catalog.ts';
import { selectRules, UnknownRuleError } from '../runner/select-rules.ts';

/** Lines beyond are hard to read. */
const WIDEST = 100;
/** Where nothing tells a width. */
const USUAL_WIDTH = 80;

/** Returns `swapcheck explain`, which prints the page of a rule. */
export function createExplainCommand(): Command {
  return new Command('explain')
    .argument('<RULE>', 'id of a rule, as reports spell it; of several that match, a list')
    .action((name: string) => {
      process.stdout.write(explain(name, process.stdout, process.env));
    });
}

/** Where a page is printed: usually standard output. */
type PageStream = { readonly isTTY?: boolean; readonly columns?: number };

/**
 * Returns the page of the rule that a name stands for, as wide as the terminal;
 * where several rules match, a line for each.
 *
 * @throws {UsageError} for a name that no rule and no clause has.
 */
export function explain(name: string, stream: PageStream, variables: TerminalVariables): string {
  const [rule, ...others] = matching(name);
  if (rule === undefined || others.length > 0) {
    const rules = rule === undefined ? [] : [rule, ...others];
    const width = Math.max(...rules.map(({ id }) => id.length));
    return `${rules.map(({ id, title }) => `${id.padEnd(width)}  ${title}`).join('\n')}\n`;
  }
  return markdownText(rulePage(rule.id) ?? '', {
    colour: wantsColour(stream, variables),
    width: Math.min(WIDEST, stream.columns ?? USUAL_WIDTH),
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
