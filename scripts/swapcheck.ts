#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import type { RouterNames } from '../conformance/client/router-names.ts';
import { createJudgeCommands } from '../conformance/commands/judge-commands.ts';
import type { Facts } from '../conformance/discovery/facts.ts';
import type { ReportText } from '../conformance/report/comparison-document.ts';
import { createCompareCommand } from '../load/commands/compare-command.ts';
import { createLoadCommand } from '../load/commands/load-command.ts';
import type { KnownToJudge } from '../load/play/play-service.ts';
import { createRouteCommand } from '../reference/commands/route-command.ts';
import { createServeCommand } from '../reference/commands/serve-command.ts';
import { createStudyCommand } from '../study/commands/study-command.ts';
import { builtInChain } from './built-in-chain.ts';
import { startEmbeddedReference } from './embedded-reference.ts';
import { startSubject } from './load-subject.ts';

/* The one place that knows both the judge and the reference. */

// Loaded only when load needs them: the other commands start without the rules.
const loadDeps = {
  prepareJudge: async (facts: Facts, routerNames?: RouterNames) =>
    (await import('./load-judge.ts')).prepareJudge(facts, routerNames),
  judgeInThreads: async (known: KnownToJudge) =>
    (await import('./load-judge.ts')).judgeInThreads(known),
  compareReports: async (base: ReportText, head: ReportText) => {
    const { compareReportTexts } = await import('../conformance/report/comparison-document.ts');
    return compareReportTexts(base, head);
  },
};

// A key that was given as an argument stands in no list of processes.
process.title = 'swapcheck';

const { version } = createRequire(import.meta.url)('#package') as { version: string };

const program = new Command('swapcheck')
  .description("tells whether a swap aggregation service keeps its interface's promises")
  .version(version)
  .addHelpText(
    'after',
    '\nExit codes: 0 conforming, 1 not conforming, 2 used wrongly, 3 incomplete.\n',
  );

for (const command of [
  createServeCommand(async (sources) => (await import('./page/open-page.ts')).openPage(sources)),
  ...createJudgeCommands(version, startEmbeddedReference, builtInChain),
  createRouteCommand(async (drawing) =>
    (await import('../conformance/drawing/plan-file.ts')).planFile(drawing),
  ),
  createLoadCommand({ version, startSubject, ...loadDeps }),
  createCompareCommand({ version, ...loadDeps }),
  createStudyCommand({
    version,
    createOptimiser: async (file) =>
      (await import('./study-optimiser.ts')).createStudyOptimiser(file),
  }),
]) {
  program.addCommand(command);
}
for (const command of [program, ...program.commands]) {
  const name = command === program ? '' : `${command.name()} `;
  command.exitOverride().showHelpAfterError(`See swapcheck ${name}--help.`);
}

guardStandardStreams();
/** A call of a node that hangs keeps no process that is done. */
const LAST_WAIT_MS = 1_000;
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeFor(error);
}
// The service that `serve` started is what is still under way.
if (program.args[0] !== 'serve') setTimeout(() => process.exit(), LAST_WAIT_MS).unref();

/** Commander has printed what it threw for; everything else gets one plain line. */
function exitCodeFor(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`error: ${message}\n`);
  return error instanceof Error && error.name === 'UsageError' ? 2 : 3;
}

/**
 * Whatever could not be written to standard output is lost: one sentence says
 * so, and the exit code is 3. Nobody can be told of standard error.
 */
function guardStandardStreams(): void {
  let isLost = false;
  process.stdout.on('error', ({ message }) => {
    if (!isLost) process.stderr.write(`error: could not write to standard output: ${message}\n`);
    isLost = true;
  });
  process.stderr.on('error', () => undefined);
  process.on('exit', () => {
    if (isLost) process.exitCode = 3;
  });
}
