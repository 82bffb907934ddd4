import { writeFileSync } from 'node:fs';
import { planGraph } from '../../conformance/drawing/plan-graph.ts';
import { createExecutor } from '../../conformance/execution/executor.ts';
import { createRpc, type Rpc } from '../../conformance/execution/json-rpc.ts';
import { isolated } from '../../conformance/execution/send.ts';
import type { Executor, OpenExecutor } from '../../conformance/model/executor.ts';
import type { Failure, RuleResult } from '../../conformance/model/report.ts';
import type { Rule } from '../../conformance/model/rule.ts';
import { printable } from '../../conformance/output/printable.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { selectRules } from '../../conformance/runner/select-rules.ts';
import { middlewareOf } from '../../reference/mutants/faults/middleware.ts';
import type { Mutant } from '../../reference/mutants/faults/mutant.ts';
import { mineNextBlock, whileMoving } from '../tests/helpers/moving-chain.testing.ts';
import { judgeMutant, type MutantRun } from '../tests/helpers/mutant-run.testing.ts';
import {
  type ReferenceBench,
  startReferenceBench,
} from '../tests/helpers/reference-bench.testing.ts';
import { mutantsOf, RULE_PAGES, writePage } from './rule-pages.ts';
import { captionOf, type Pictured, pictureOf } from './rule-pictures.ts';

/*
 * Judges a mutant of every rule and writes what came of it into the rule's page,
 * once: `npm run docs:failures`, or `npm run docs:failures plan/acyclic 2.4`.
 */

type Service = Parameters<OpenExecutor>[0];

const SEED = 1;
const CHAIN = 31338;
const PLANS = 36;
/** A service started by `swapcheck serve` listens there. */
const ADDRESS = 'http://127.0.0.1:8080';
const MOST_CHARACTERS = 300;

/** From the fewest requests to the default run. */
const WAYS: readonly Partial<MutantRun>[] = [
  { alone: { maxRequests: 400 }, chains: [CHAIN] },
  { alone: { maxRequests: 400 } },
  { alone: {} },
  {},
];

/** On a chain that stands still, then on one that makes blocks meanwhile. */
function settlementWays(bench: ReferenceBench, rpc: Rpc): readonly Partial<MutantRun>[] {
  const way = (open: (service: Service) => Executor): Partial<MutantRun> => ({
    alone: {},
    chains: [CHAIN],
    keepEvidence: () => 'evidence.json',
    openExecutor: async (service) => open(service),
  });
  return [
    way((service) => createExecutor({ forks: bench.sources, plans: PLANS }, service)),
    way((still) => {
      const { service, clock } = whileMoving(still, () => mineNextBlock(rpc));
      return createExecutor({ forks: bench.sources, plans: PLANS, clock }, service);
    }),
  ];
}

async function judgeRule(rule: Rule, mutant: Mutant | undefined, bench: ReferenceBench) {
  const rpc = createRpc(bench.sources[0]?.rpcUrl ?? '');
  let result: RuleResult | undefined;
  for (const way of rule.kind === 'settlement' ? settlementWays(bench, rpc) : WAYS) {
    const { report } = await isolated(rpc, () =>
      judgeMutant({
        ...way,
        ...(mutant && { middleware: () => middlewareOf(mutant) }),
        seed: SEED,
        until: rule.id,
        isWhole: true,
      }),
    );
    result = report.rules.find(({ id }) => id === rule.id);
    if (result?.failures.length || result?.outcome === 'observed') break;
  }
  return result;
}

/** Writes the first failure that a mutant of the rule shows, drawn where it is in a plan. */
async function writeFailure(rule: Rule, bench: ReferenceBench): Promise<void> {
  for (const mutant of mutantsOf(rule)) {
    const result = await judgeRule(rule, mutant, bench);
    const failure = result?.failures.find(({ plan }) => plan) ?? result?.failures[0];
    if (failure === undefined) continue;
    const pictured = picturedOf(rule, failure);
    if (pictured) writeFileSync(new URL(`${rule.id}.svg`, RULE_PAGES), pictureOf(pictured));
    const name = rule.id.split('/')[1];
    writePage(
      rule,
      [
        `The mutant \`${mutant.id}\`: ${mutant.title}.`,
        fenced('text', failureLines(failure)),
        ...(pictured ? [`![${captionOf(pictured)}](${name}.svg)`] : []),
        'To repeat it:',
        fenced('sh', failure.curl.replace(/http:\/\/127\.0\.0\.1:\d+/, ADDRESS)),
      ].join('\n\n'),
    );
    return;
  }
  process.exitCode = 1;
  process.stderr.write(`${rule.id}: no mutant showed a failure\n`);
}

async function writeObserved(rule: Rule, bench: ReferenceBench): Promise<void> {
  const result = await judgeRule(rule, undefined, bench);
  const { observed, why, outcome } = result ?? {};
  writePage(rule, fenced('text', printable(observed ?? why ?? String(outcome), 1_000)));
}

function failureLines({ expected, actual, pointer, exchange }: Failure): string {
  const { status, excerpt } = exchange;
  const reply = status === undefined ? 'none' : `HTTP ${status}`;
  const lines = [
    ['Expected', expected],
    // The time of day at which the plan ended would be another each time.
    ['Actual', actual?.replace(/\bExpired\(\d+\)/, 'Expired(deadline)')],
    ['Where', pointer === '' ? 'the whole body' : pointer],
    ['Reply', `${reply}: ${excerpt}`],
  ] as const;
  return lines
    .flatMap(([label, value]) =>
      value === undefined ? [] : [`${`${label}:`.padEnd(9)} ${printable(value, MOST_CHARACTERS)}`],
    )
    .join('\n');
}

/** Who paid whom in a settlement; a plan where something in it is wrong. */
function picturedOf(rule: Rule, { plan, pointer, money }: Failure): Pictured | undefined {
  if (money?.length) return { money };
  if (plan === undefined) return undefined;
  const { nodes, edges } = planGraph(plan, pointer);
  const isInPlan = [...nodes, ...edges].some(({ marked }) => marked);
  if (!isInPlan && !/^(plan|relation|execution)\//.test(rule.id)) return undefined;
  return { plan, ...(pointer !== undefined && { pointer }) };
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

const only = process.argv.slice(2);
const { selected } = selectRules(CATALOG, { only });
const bench = await startReferenceBench([CHAIN]);
for (const rule of selected) {
  process.stderr.write(`${rule.id}\n`);
  await (rule.level === 'observe' ? writeObserved(rule, bench) : writeFailure(rule, bench));
}
await bench.stop();
// Requests that a mutant never answers are left to the process.
process.exit();
