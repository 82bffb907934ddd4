import { Command } from 'commander';

/** Returns `swapcheck explain`, which prints the page of a rule. */
export function createExplainCommand(): Command {
  return new Command('explain')
    .argument('<RULE>', 'id of a rule, as reports spell it; of several that match, a list')
    .action(async (name: string) => {
      const { explain } = await import('./explain.ts');
      process.stdout.write(explain(name, process.stdout, process.env));
    });
}
