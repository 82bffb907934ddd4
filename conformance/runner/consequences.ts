import type { Failure, RuleResult } from '../model/report.ts';

/**
 * Rules whose failures can explain later failures in the same reply, in the order in which a plan is
 * read and executed: its fields, then its tokens, its amounts, the flow between them, and who is paid.
 * A failure of one stage can explain those of every later stage. All of these rules are `must`.
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

/** Rules outside of execution that judge what a plan is worth, so that any stage can explain them. */
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

/** A failure, and the ids of the exchanges that show it; undefined if there are too many. */
type Shown = {
  readonly rule: RuleResult;
  readonly failure: Failure;
  readonly exchanges: ReadonlySet<number> | undefined;
};

/**
 * Returns the rules with `followsFrom` in each failure that an earlier failure may explain: every
 * reply that shows it also fails a rule of an earlier stage. Such a failure still counts. Waived
 * failures neither explain nor follow.
 *
 * @param exchangesOf - Ids of the exchanges that show a failure; undefined if there are too many.
 */
export function withConsequences(
  rules: readonly RuleResult[],
  exchangesOf: (failure: Failure) => ReadonlySet<number> | undefined,
): RuleResult[] {
  const shown = rules.flatMap((rule): Shown[] =>
    rule.level === 'observe'
      ? []
      : rule.failures
          .filter(({ waiver }) => waiver === undefined)
          .map((failure) => ({ rule, failure, exchanges: exchangesOf(failure) })),
  );
  return rules.map((rule) => ({
    ...rule,
    failures: rule.failures.map((failure) => {
      const cause = causeOf(rule, failure, { shown, exchanges: exchangesOf(failure) });
      return cause === undefined ? failure : { ...failure, followsFrom: cause };
    }),
  }));
}

function causeOf(
  { id }: RuleResult,
  { waiver }: Failure,
  { shown, exchanges }: Pick<Shown, 'exchanges'> & { readonly shown: readonly Shown[] },
): Failure['followsFrom'] {
  const stage = stageOf(id);
  if (stage === undefined || waiver !== undefined || exchanges === undefined) return undefined;
  const earlier = STAGES.slice(0, stage)
    .flat()
    .flatMap((rule) => shown.filter((each) => each.rule.id === rule))
    .map((each) => ({ ...each, shared: countShared(exchanges, each.exchanges) }))
    .filter(({ shared }) => shared > 0);
  const isExplained = [...exchanges].every((exchange) =>
    earlier.some((each) => each.exchanges?.has(exchange)),
  );
  if (!isExplained) return undefined;
  // Sorting is stable, so the earliest stage wins a tie.
  const [most] = earlier.sort((a, b) => b.shared - a.shared);
  return most && { rule: most.rule.id, cause: most.failure.cause };
}

function countShared(
  exchanges: ReadonlySet<number>,
  others: ReadonlySet<number> | undefined,
): number {
  return others === undefined
    ? 0
    : [...exchanges].filter((exchange) => others.has(exchange)).length;
}
