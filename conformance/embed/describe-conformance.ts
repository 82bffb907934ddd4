import type { RequestListener } from 'node:http';
import { beforeAll, describe, type TestContext, test } from 'vitest';
import { createHttpTransport } from '../client/http-transport.ts';
import type { OwnRule } from '../library/define-rule.ts';
import { judgeOver } from '../library/judge-over.ts';
import { readOwnRules } from '../library/own-rules.ts';
import type { Report, RuleResult } from '../model/report.ts';
import { failureText } from '../report/failure-parts.ts';
import { CATALOG } from '../rules/catalog.ts';
import type { RunOptions } from '../runner/run-options.ts';
import { selectRules } from '../runner/select-rules.ts';
import { createListenerTransport } from './supertest-transport.ts';

export type EmbedOptions = Pick<
  RunOptions,
  | 'chains'
  | 'only'
  | 'level'
  | 'seed'
  | 'maxRequests'
  | 'maxTimeMs'
  | 'rate'
  | 'concurrency'
  | 'tolerancePpm'
  | 'frozen'
  | 'waivers'
> & {
  /** The service: a listener such as Koa's `callback()`, asked through supertest, or a base URL. */
  readonly service: { readonly listener: RequestListener } | { readonly url: string };
  readonly apiKey: string;
  /** Rules of your own: a test each, too. */
  readonly rules?: readonly OwnRule[];
  /** Of the whole run, which comes before the first test. Default 120,000. */
  readonly runTimeoutMs?: number;
};

/**
 * Describes a service in a vitest suite: one test a rule, all of one run.
 *
 * @example
 * describeConformance('my service', { service: { listener: app.callback() }, apiKey: 'test' });
 */
export function describeConformance(name: string, options: EmbedOptions): void {
  const { service, apiKey, runTimeoutMs = 120_000, rules = [], ...given } = options;
  const ownRules = readOwnRules(rules);
  const { selected } = selectRules([...CATALOG, ...ownRules], {
    only: given.only ?? [],
    level: given.level,
  });
  describe(name, () => {
    let report: Report | undefined;
    beforeAll(async () => {
      const transport =
        'url' in service
          ? createHttpTransport(new URL(service.url))
          : await createListenerTransport(service.listener);
      const target = 'url' in service ? service.url : 'http://localhost';
      report = await judgeOver({
        ...given,
        ...{ transport, apiKey, target, ownRules, version: 'embedded' },
      });
    }, runTimeoutMs);
    for (const { id, clause, title } of selected) {
      test(`${clause}: ${title} (${id})`, (context) => {
        const result = report?.rules.find((each) => each.id === id);
        if (result === undefined) throw new Error(`the run did not judge ${id}`);
        assertKept(result, given.level ?? 'must', context);
      });
    }
  });
}

/** Fails the test where the rule is broken; skips it, saying why, where it says nothing. */
function assertKept(result: RuleResult, gate: 'must' | 'should', context: TestContext): void {
  const counts = result.level === 'must' || (gate === 'should' && result.level === 'should');
  const { outcome, why } = result;
  if (outcome === 'pass' || outcome === 'observed') return;
  if (counts && (outcome === 'fail' || outcome === 'could-not-run')) {
    throw new BrokenRuleError(result);
  }
  context.skip(why ?? describeFailures(result));
}

function describeFailures({ why = '', failures }: RuleResult): string {
  return failures.length === 0 ? why : failures.slice(0, 3).map(failureText).join('\n\n');
}

/** A service breaks a rule, or kept it from being judged. */
export class BrokenRuleError extends Error {
  override readonly name = 'BrokenRuleError';

  constructor(result: RuleResult) {
    const { level, clause, clauseWords = result.title, outcome } = result;
    super(`${level} of ${clause}: "${clauseWords}" [${outcome}]\n${describeFailures(result)}`);
  }
}
