import { mkdirSync, writeFileSync } from 'node:fs';
import { CATALOG } from '../../../conformance/rules/catalog.ts';
import { middlewareOf } from './faults/middleware.ts';
import type { Mutant } from './faults/mutant.ts';
import { judgeMutant, type MutantResult, type MutantRun } from './mutant-run.testing.ts';

/**
 * Rules for faults that no router of the fixtures can have.
 * `conformance/execution/odd-markets.test.ts` tests these rules.
 */
export const CAUGHT_IN_ODD_MARKETS: readonly string[] = [
  'execution/takes-only-from-user',
  'execution/takes-from-sender',
  'execution/serves-accounts-with-code',
  'execution/takes-from-caller',
];

type Way = Pick<MutantRun, 'alone' | 'chains' | 'maxRequests' | 'profile'>;

const SMALLEST = { chains: [31338] } as const;
const FEW = { maxRequests: 400 } as const;
/**
 * Ways to judge a mutant, quickest first. Starts with only the mutant's rule, and enough requests
 * for most faults. Ends with all rules, because a reply rule may need the requests of a probe.
 */
export const QUICK_FIRST: readonly Way[] = [
  { alone: {}, profile: 'quick', ...SMALLEST },
  { alone: FEW, ...SMALLEST },
  { alone: FEW },
  {},
];
/**
 * Ways to judge a mutant: first with few requests, against its rule and then against all rules;
 * last with as many requests as its rule can use.
 */
export const THOROUGH: readonly Way[] = [
  { alone: FEW, ...SMALLEST },
  { alone: FEW },
  { ...FEW, ...SMALLEST },
  { alone: {}, ...SMALLEST },
  { alone: {} },
  {},
];

/** Result of judging one mutant. */
export type Row = {
  readonly mutant: Mutant;
  readonly seed: number;
  readonly isCaught: boolean;
  /** Number of requests sent before the mutant's rule failed; undefined if it did not fail. */
  readonly caughtAfter: number | undefined;
  /** Rules that had failed when the run ended. */
  readonly failed: readonly string[];
  readonly durationMs: number;
};

/** Judges a mutant in one way after another until its rule fails. */
export async function catchMutant(
  mutant: Mutant,
  seed: number,
  ways: readonly Way[],
): Promise<Row> {
  const startedAt = performance.now();
  const { caughtBy } = mutant;
  const run: MutantRun = {
    middleware: () => middlewareOf(mutant),
    seed,
    until: caughtBy,
    // A mutant that does not respond needs a real connection.
    ...(caughtBy !== 'endpoint/answers' && { inProcess: true }),
  };
  let judged: MutantResult | undefined;
  for (const way of ways) {
    if (!judged?.failed.length) judged = await judgeMutant({ ...run, ...way });
  }
  const { caughtAfter, failed = [] } = judged ?? {};
  const durationMs = performance.now() - startedAt;
  return {
    mutant,
    seed,
    isCaught: failed.includes(caughtBy),
    caughtAfter,
    failed,
    durationMs,
  };
}

/**
 * Writes the matrix of mutants and rules as Markdown, and a summary to standard output. The summary
 * has one line per rule: the mutants that the rule must catch, then other mutants that it caught.
 */
export function writeMatrix(name: string, rows: readonly Row[]): void {
  const rules = [...new Set(rows.flatMap(({ mutant, failed }) => [mutant.caughtBy, ...failed]))];
  const lines = rules.sort().map((rule) => {
    const own = rows.filter(({ mutant }) => mutant.caughtBy === rule);
    const caught = own.filter(({ isCaught }) => isCaught).length;
    const others = rows.filter(
      ({ mutant, failed }) => mutant.caughtBy !== rule && failed.includes(rule),
    );
    return `${rule.padEnd(44)} ${String(caught).padStart(3)}/${String(own.length).padEnd(3)} and ${others.length} of others`;
  });
  const seconds = rows.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000;
  const missed = rows.filter(({ isCaught }) => !isCaught);
  const sum = `${rows.length - missed.length} of ${rows.length} runs caught, ${seconds.toFixed(0)} s`;
  process.stdout.write(
    `\nMutants, ${name}: rule, caught by its own rule\n${lines.join('\n')}\n${sum}\n`,
  );
  mkdirSync('reports', { recursive: true });
  writeFileSync(`reports/mutants-${name}.md`, `${matrixMarkdown(rows)}\n\n${sum}\n`);
}

function matrixMarkdown(rows: readonly Row[]): string {
  const clauses = new Map(CATALOG.map(({ id, clause }) => [id, clause]));
  const cells = rows.map(({ mutant, seed, isCaught, caughtAfter, failed, durationMs }) => {
    const others = failed.filter((rule) => rule !== mutant.caughtBy);
    const own = isCaught
      ? `**${mutant.caughtBy}** (${caughtAfter})`
      : `missed by ${mutant.caughtBy}`;
    return `| ${mutant.id} | ${clauses.get(mutant.caughtBy)} | ${seed} | ${own} | ${others.join(', ')} | ${durationMs.toFixed(0)} |`;
  });
  return [
    '| mutant | clause | seed | caught by (after requests) | also failed by then | ms |',
    '| --- | --- | --- | --- | --- | --- |',
    ...cells,
  ].join('\n');
}
