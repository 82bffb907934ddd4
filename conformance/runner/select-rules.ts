import type { Rule } from '../model/rule.ts';
import type { Gate } from './verdict.ts';

/** Which rules take part; what is left out is named in the report. */
export type Selection = {
  readonly selected: readonly Rule[];
  readonly leftOut: readonly { readonly id: string; readonly why: string }[];
};

export type SelectionOptions = {
  /** Rule ids, clause ids or sections; empty and unset, all. */
  readonly only?: readonly string[] | undefined;
  /** `must` leaves out all other rules. Unset and `should`, all take part. */
  readonly level?: Gate | undefined;
};

/**
 * Narrows the catalogue.
 *
 * @throws {UnknownRuleError} when an entry of `only` names nothing.
 */
export function selectRules(
  rules: readonly Rule[],
  { only = [], level }: SelectionOptions,
): Selection {
  const unknown = only.find((name) => !rules.some((rule) => isNamed(rule, name)));
  if (unknown !== undefined) throw new UnknownRuleError(unknown);
  const whyNot = (rule: Rule): string | undefined => {
    if (only.length > 0 && !only.some((name) => isNamed(rule, name))) return 'not in --only';
    return level === 'must' && rule.level !== 'must' ? 'not a must, as --level says' : undefined;
  };
  return {
    selected: rules.filter((rule) => whyNot(rule) === undefined),
    leftOut: rules.flatMap((rule) => {
      const why = whyNot(rule);
      return why === undefined ? [] : [{ id: rule.id, why }];
    }),
  };
}

/** `4.1` names every clause of section 4.1, and `4` those of all of section 4. */
function isNamed({ id, clause }: Rule, name: string): boolean {
  return (
    [id, clause].includes(name) || clause.startsWith(`${name} `) || clause.startsWith(`${name}.`)
  );
}

/** Nothing in the catalogue has that name. */
export class UnknownRuleError extends Error {
  override readonly name = 'UnknownRuleError';

  constructor(name: string) {
    super(`no rule and no clause is called "${name}": see swapcheck rules`);
  }
}
