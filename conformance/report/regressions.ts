import { KEY_PLACEHOLDER, readQuery } from '../client/request.ts';
import type { Failure, Report, RuleResult } from '../model/report.ts';
import { OWN_CLAUSE } from '../model/rule.ts';
import { CATALOG } from '../rules/catalog.ts';

/** What shows whether a failure is there again. */
export type Regression = {
  readonly rule: string;
  readonly title: string;
  readonly expected: string;
  readonly actual: string;
  /** Path and query, the key as `$SWAPCHECK_API_KEY`; unset where the rule sends requests of its own. */
  readonly request?: string;
  /** The chain that the request names; a rule that asks by itself looks at all. */
  readonly chain?: number;
  /** Whether the rule needs a node, to settle plans on a fork. */
  readonly settles: boolean;
};

/** Returns a regression for each failure of a reply, and for each rule that failed by requests of its own. */
export function regressionsOf({ rules, target }: Report) {
  const failed = rules.filter(({ outcome }) => outcome === 'fail');
  const found = failed.map((rule) => ({ rule, regressions: ofRule(rule) }));
  return {
    regressions: found.flatMap(({ regressions }) => regressions),
    /** Failures that no request to a service shows: those of captured bodies alone, and of rules that the report does not hold. */
    leftOut: found.flatMap(({ rule, regressions }) => (regressions.length === 0 ? [rule.id] : [])),
    /** The root of the service; empty where captured replies were judged. */
    url: URL.canParse(target) ? target : '',
  };
}

function ofRule({ id, clause, title, failures }: RuleResult): readonly Regression[] {
  const rule = CATALOG.find((each) => each.id === id);
  const [first] = failures;
  if (rule === undefined || clause === OWN_CLAUSE || first === undefined) return [];
  const settles = rule.kind === 'settlement';
  const wordsOf = ({ expected, actual }: Failure) => ({
    rule: id,
    title,
    expected,
    actual,
    settles,
  });
  if (rule.kind !== 'reply' && rule.kind !== 'exchange') return [wordsOf(first)];
  return failures
    .filter(({ exchange, waiver }) => waiver === undefined && exchange.target.startsWith('/'))
    .map((failure) => {
      const request = failure.exchange.target;
      const chain = Number(readQuery(request).find(([name]) => name === 'chainId')?.[1]);
      const isNamed = Number.isSafeInteger(chain) && chain > 0;
      return { ...wordsOf(failure), request, ...(isNamed && { chain }) };
    });
}

/** Said in each file, so that nobody looks for a key in it. */
export const KEY_NOTE = `The key is read from the environment: ${KEY_PLACEHOLDER.slice(1)}.`;
