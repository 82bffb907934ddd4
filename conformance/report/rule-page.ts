import { createRequire } from 'node:module';

const { homepage } = createRequire(import.meta.url)('#package') as { homepage?: string };

/** Returns the command that prints a rule's page, wherever swapcheck is installed. */
export function explainCommand(ruleId: string): string {
  return `swapcheck explain ${ruleId}`;
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
