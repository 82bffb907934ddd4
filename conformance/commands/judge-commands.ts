import { Command, Option } from 'commander';
import { createCheckCommand } from './check-command.ts';
import { createDoctorCommand } from './doctor-command.ts';
import { createExplainCommand } from './explain-command.ts';
import { createInitCommand } from './init-command.ts';
import { createRecordCommand } from './record-command.ts';
import { type BuiltInChain, createReplayCommand } from './replay-command.ts';
import type { StartSubject } from './subject.ts';
import { createExecuteCommand, createTestCommand } from './test-command.ts';

/** Returns the commands of the judge; `startSubject` starts what is judged where no BASE_URL is given, `builtInChain` a chain where no node is named. */
export function createJudgeCommands(
  version: string,
  startSubject: StartSubject,
  builtInChain: BuiltInChain,
): readonly Command[] {
  return [
    createTestCommand(version, startSubject),
    createCheckCommand(version),
    createRecordCommand(version),
    createExecuteCommand(version, startSubject),
    createReplayCommand(builtInChain),
    createRulesCommand(),
    createExplainCommand(),
    createDoctorCommand(),
    createInitCommand(version),
  ];
}

/** Returns `swapcheck rules`, which prints the catalogue. */
function createRulesCommand(): Command {
  const formats = ['text', 'json', 'markdown'] as const;
  return new Command('rules')
    .description('print every rule with its clause and level')
    .addOption(new Option('--format <format>', 'how to print').choices(formats).default('text'))
    .action(async ({ format }: { format: (typeof formats)[number] }) => {
      const { printRules } = await import('./print-rules.ts');
      process.stdout.write(printRules(format));
    });
}
