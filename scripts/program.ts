import { createRequire } from 'node:module';
import { Command } from 'commander';
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

const { version } = createRequire(import.meta.url)('#package') as { version: string };

/** Returns the program with all of its commands. */
export function createProgram(): Command {
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
  return program;
}
