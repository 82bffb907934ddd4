import type { Command } from 'commander';
import { createCheckCommand } from './check-command.ts';
import { createRulesCommand } from './rules-command.ts';
import type { StartSubject } from './subject.ts';
import { createExecuteCommand, createTestCommand } from './test-command.ts';

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
