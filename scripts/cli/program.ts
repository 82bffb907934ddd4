import { Command } from 'commander';
import { PACKAGE_VERSION } from '../../conformance/client/package-version.ts';
import type { RouterNames } from '../../conformance/client/router-names.ts';
import type { Facts } from '../../conformance/discovery/facts.ts';
import type { ReportText } from '../../conformance/report/comparison-document.ts';
import { builtInChain } from '../../fixtures/chains/built-in-chain.ts';
import { startBuiltInReference } from './built-in-reference.ts';

/* The only file that imports both the judge and the reference. */

// Load these modules only when needed, so that other commands start without loading the rules.
const loadDeps = {
  prepareJudge: async (facts: Facts, routerNames?: RouterNames) =>
    (await import('./load-judge.ts')).prepareJudge(facts, routerNames),
  compareReports: async (base: ReportText, head: ReportText) => {
    const { compareReportTexts } = await import('../../conformance/report/comparison-document.ts');
    return compareReportTexts(base, head);
  },
};

/** All commands. The definition of a command is loaded only when needed. */
const COMMANDS: Readonly<
  Record<string, readonly [description: string, load: () => Promise<Command>]>
> = {
  test: [
    'judge a service against every rule (without BASE_URL, the reference service)',
    async () =>
      (await import('../../conformance/commands/test-command.ts')).createTestCommand(
        startBuiltInReference,
      ),
  ],
  check: [
    'judge captured replies, without a service',
    async () => (await import('../../conformance/commands/check-command.ts')).createCheckCommand(),
  ],
  execute: [
    'judge a service only by executing its plans on forked chains (without BASE_URL, the reference service)',
    async () =>
      (await import('../../conformance/commands/test-command.ts')).createExecuteCommand(
        startBuiltInReference,
      ),
  ],
  replay: [
    'repeat a failed settlement on a fork of the same block',
    async () =>
      (await import('../../conformance/commands/replay-command.ts')).createReplayCommand(
        builtInChain,
      ),
  ],
  rules: [
    'print every rule with its clause and level',
    async () => (await import('../../conformance/commands/rules-command.ts')).createRulesCommand(),
  ],
  explain: [
    'explain a rule: its requirement, its reason, and the usual mistake',
    async () =>
      (await import('../../conformance/commands/explain-command.ts')).createExplainCommand(),
  ],
  doctor: [
    'check for everything that a run needs, and show how to fix what is missing',
    async () =>
      (await import('../../conformance/commands/doctor-command.ts')).createDoctorCommand(),
  ],
  init: [
    'write swapcheck.yaml, and a CI job that judges your service with it',
    async () => (await import('../../conformance/commands/init-command.ts')).createInitCommand(),
  ],
  load: [
    'load-test a service and judge its replies during the run',
    async () =>
      (await import('../../load/commands/load-command.ts')).createLoadCommand({
        startSubject: startBuiltInReference,
        ...loadDeps,
      }),
  ],
  compare: [
    'compare two load results or two conformance reports, or two services in turns',
    async () =>
      (await import('../../load/commands/compare-command.ts')).createCompareCommand({
        ...loadDeps,
      }),
  ],
  study: [
    'measure the quality of quotes by settling their plans on forks',
    async () =>
      (await import('../../study/commands/study-command.ts')).createStudyCommand({
        startSubject: startBuiltInReference,
        createOptimizer: async (file) =>
          (await import('./study-optimizer.ts')).createStudyOptimizer(file),
      }),
  ],
  serve: [
    'start the reference service',
    async () =>
      (await import('../../reference/commands/serve-command.ts')).createServeCommand(async () =>
        (await import('./reference-page.ts')).pageFiles(),
      ),
  ],
  route: [
    'plan one trade over a market file, offline',
    async () =>
      (await import('../../reference/commands/route-command.ts')).createRouteCommand(
        async (drawing) =>
          (await import('../../conformance/drawing/plan-file.ts')).planFile(drawing),
      ),
  ],
};

/**
 * Returns the program. Only the commands that occur in `words` have their options. The other
 * commands have only a name and a description.
 */
export async function createProgram(
  words: readonly string[] = Object.keys(COMMANDS),
): Promise<Command> {
  const program = new Command('swapcheck')
    .description('tests whether a swap aggregation service conforms to its interface specification')
    .version(PACKAGE_VERSION)
    .addHelpText(
      'after',
      '\nExit codes: 0 conforming, 1 not conforming, 2 usage error, 3 incomplete.\n',
    );
  for (const [name, [description, load]] of Object.entries(COMMANDS)) {
    const command = words.includes(name) ? await load() : new Command(name);
    program.addCommand(command.description(description));
  }
  return program;
}
