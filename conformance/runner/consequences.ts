import type { Failure, RuleResult } from '../model/report.ts';

/**
 * Rules whose failures can explain later failures in the same reply, in the order in which a plan
 * is read and executed: its fields, then its tokens, its amounts, the flow between them, and who is
 * paid. A failure of one stage can explain those of every later stage. All of these rules are
 * `must`.
 */
const STAGES: readonly (readonly string[])[] = [
  [
    'swap-response/sell',
    'swap-response/buy',
    'swap-response/tokens',
    'swap-response/routes',
    'trade-token/reference-id',
    'trade-token/amount',
    'token/reference-id',
    'token/address',
    'token/address-hex',
    'route/from-tokens',
    'route/to-tokens',
    'route-token/reference-id',
    'route-token/amount',
    'limits/amounts-decimal',
  ],
  [
    'token/reference-unique',
    'trade-token/reference-resolves',
    'route-token/reference-resolves',
    'swap/sell-token-echoed',
    'swap/buy-token-echoed',
    'swap/router-echoed',
  ],
  ['swap/sell-amount-echoed', 'swap/buy-amount-reached', 'swap/buy-amount-echoed'],
  [
    'plan/acyclic',
    'plan/no-self-loop',
    'plan/sell-reaches-buy',
    'plan/routes-on-path',
    'plan/nothing-into-sell',
    'plan/nothing-out-of-buy',
    'plan/conserves-sell',
    'plan/conserves-buy',
    'plan/conserves-between',
  ],
  ['execution/settles'],
  // A recipient who is not paid also receives too little.
  ['execution/pays-recipient'],
];

/**
 * Rules outside of execution that judge what a plan is worth, so that any stage can explain them.
 */
const JUDGING_VALUES = ['swap/usd-values-agree', 'swap/price-at-size'];

/** Returns the rules whose failures can explain others, in order. */
export function explainingRules(): readonly string[] {
  return STAGES.flat();
}

/** Returns the stage of a rule; undefined if its failures neither explain nor follow. */
function stageOf(ruleId: string): number | undefined {
  const stage = STAGES.findIndex((rules) => rules.includes(ruleId));
  if (stage >= 0) return stage;
  const isLast = ruleId.startsWith('execution/') || JUDGING_VALUES.includes(ruleId);
  return isLast ? STAGES.length : undefined;
}

/** A failure that can explain those of later stages. */
type Explaining = {
  readonly rule: string;
  readonly failure: Failure;
  readonly stage: number;
  /** Its position in the list of all such failures. */
  readonly at: number;
};

/**
 * Maximum number of exchanges in which a failure is compared with those that may explain it, to
 * find the one that most of them show. Without it, a service whose every reply fails most rules in
 * several ways would delay the report by many seconds.
 */
const MAX_COMPARED = 64;

/**
 * Returns the rules with `followsFrom` in each failure that an earlier failure may explain: every
 * reply that shows it also fails a rule of an earlier stage. Such a failure still counts. Waived
 * failures neither explain nor follow.
 *
 * @param exchangesOf - Ids of the exchanges that show a failure; undefined if there are too many.
 */
export function withConsequences(
  rules: readonly RuleResult[],
  exchangesOf: (failure: Failure) => readonly number[] | undefined,
): RuleResult[] {
  const explaining = STAGES.flatMap((ids, stage) =>
    ids.flatMap((id) => {
      const failures = rules.find((rule) => rule.id === id)?.failures ?? [];
      return failures.filter(({ waiver }) => !waiver).map((failure) => ({ id, stage, failure }));
    }),
  ).map(({ id: rule, ...others }, at): Explaining => ({ rule, ...others, at }));
  // The failures that each exchange shows, in the order of their stages.
  const shownBy = new Map<number, Explaining[]>();
  for (const each of explaining) {
    for (const id of exchangesOf(each.failure) ?? []) {
      const known = shownBy.get(id);
      if (known === undefined) shownBy.set(id, [each]);
      else if (known.at(-1) !== each) known.push(each);
    }
  }
  const explain = (failure: Failure, stage: number): Failure => {
    const lists = (exchangesOf(failure) ?? []).map((id) => shownBy.get(id) ?? []);
    const isExplained = lists.every(([first]) => first !== undefined && first.stage < stage);
    if (failure.waiver !== undefined || lists.length === 0 || !isExplained) return failure;
    const cause = mostFrequent(explaining, lists.slice(0, MAX_COMPARED), stage);
    return cause === undefined
      ? failure
      : { ...failure, followsFrom: { rule: cause.rule, cause: cause.failure.cause } };
  };
  return rules.map((rule) => {
    const stage = stageOf(rule.id);
    if (stage === undefined) return rule;
    return { ...rule, failures: rule.failures.map((failure) => explain(failure, stage)) };
  });
}

/**
 * Returns the failure before the given stage that is in most of the lists; the first of several.
 */
function mostFrequent(
  explaining: readonly Explaining[],
  lists: readonly (readonly Explaining[])[],
  stage: number,
): Explaining | undefined {
  const times = new Uint32Array(explaining.length);
  for (const list of lists) {
    for (const each of list) {
      if (each.stage >= stage) break;
      times[each.at] = (times[each.at] ?? 0) + 1;
    }
  }
  return explaining[times.indexOf(times.reduce((a, b) => Math.max(a, b), 0))];
}
