import type { Command } from 'commander';
import { createCheckCommand } from './commands/check-command.ts';
import { createRulesCommand } from './commands/rules-command.ts';
import type { StartSubject } from './commands/subject.ts';
import { createExecuteCommand, createTestCommand } from './commands/test-command.ts';

/** Returns the commands of the judge; `startSubject` starts what is judged where no BASE_URL is given. */
export function createJudgeCommands(
  version: string,
  startSubject: StartSubject,
): readonly Command[] {
  return [
    createTestCommand(version, startSubject),
    createCheckCommand(version),
    createExecuteCommand(version, startSubject),
    createRulesCommand(),
  ];
}
