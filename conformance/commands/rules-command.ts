import { Command, Option } from 'commander';

/** Returns `swapcheck rules`, which prints the catalogue. */
export function createRulesCommand(): Command {
  const formats = ['text', 'json', 'markdown'] as const;
  return new Command('rules')
    .addOption(new Option('--format <format>', 'how to print').choices(formats).default('text'))
    .action(async ({ format }: { format: (typeof formats)[number] }) => {
      const { printRules } = await import('./print-rules.ts');
      process.stdout.write(printRules(format));
    });
}
