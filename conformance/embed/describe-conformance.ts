import { beforeAll, describe, type TestContext, test } from 'vitest';
import { catalogWith } from '../library/own-rules.ts';
import { type ConformanceOptions, runConformance } from '../library/run-conformance.ts';
import type { Report, RuleResult } from '../model/report.ts';
import { formatFailure } from '../report/failure-parts.ts';
import { selectRules } from '../runner/select-rules.ts';

export type EmbedOptions = ConformanceOptions & {
  /** Maximum time of the run before the first test, in milliseconds. Default: 120,000. */
  readonly runTimeoutMs?: number;
};

/**
 * Adds a vitest suite for a service, with one test for each rule. All tests share one run.
 *
 * @example
 * describeConformance('my service', { service: { listener: app.callback() }, apiKey: 'test' });
 */
export function describeConformance(name: string, options: EmbedOptions): void {
  const { runTimeoutMs = 120_000, ...given } = options;
  const { only, level, rules, kinds } = given;
  const { selected } = selectRules(catalogWith(rules, kinds), { only, level });
  describe(name, () => {
    let report: Report | undefined;
    beforeAll(async () => {
      report = await runConformance(given);
    }, runTimeoutMs);
    for (const { id, clause, title } of selected) {
      test(`${clause}: ${title} (${id})`, (context) => {
        const result = report?.rules.find((each) => each.id === id);
        if (result === undefined) throw new Error(`the run did not judge ${id}`);
        assertPassedOrSkip(result, level ?? 'must', context);
      });
    }
  });
}

function assertPassedOrSkip(
  result: RuleResult,
  gate: 'must' | 'should',
  context: TestContext,
): void {
  const counts = result.level === 'must' || (gate === 'should' && result.level === 'should');
  const { outcome, why } = result;
  if (outcome === 'pass' || outcome === 'observed') return;
  if (counts && (outcome === 'fail' || outcome === 'could-not-run')) {
    throw new BrokenRuleError(result);
  }
  context.skip(why ?? describeFailures(result));
}

function describeFailures({ why = '', failures }: RuleResult): string {
  return failures.length === 0 ? why : failures.slice(0, 3).map(formatFailure).join('\n\n');
}

/** A rule failed or could not run. */
export class BrokenRuleError extends Error {
  override readonly name = 'BrokenRuleError';

  constructor(result: RuleResult) {
    const { level, clause, clauseWords = result.title, outcome } = result;
    super(`${level} of ${clause}: "${clauseWords}" [${outcome}]\n${describeFailures(result)}`);
  }
}
