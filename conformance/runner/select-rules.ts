import { clauseSection } from '../contract/clauses.ts';
import type { Rule } from '../model/rule.ts';
import { nearestOf } from '../output/nearest.ts';
import type { Gate } from './verdict.ts';

/** The participating rules. The report lists the others. */
export type Selection = {
  readonly selected: readonly Rule[];
  readonly omitted: readonly OmittedRule[];
};

export type OmittedRule = { readonly id: string; readonly why: string; readonly needs?: string };

/**
 * Selects rules from the catalog.
 *
 * @throws {UnknownRuleError} if an entry of `only` matches nothing.
 */
export function selectRules(
  rules: readonly Rule[],
  {
    only = [],
    level,
  }: { readonly only?: readonly string[] | undefined; readonly level?: Gate | undefined },
): Selection {
  const named = only.map((name) => {
    const isNamed = matcherOfName(name);
    if (!rules.some(isNamed)) throw new UnknownRuleError(name, rules);
    return isNamed;
  });
  const whyNot = (rule: Rule): string | undefined => {
    if (only.length > 0 && !named.some((isNamed) => isNamed(rule))) return 'not selected by --only';
    return level === 'must' && rule.level !== 'must' ? 'excluded by --level must' : undefined;
  };
  return {
    selected: rules.filter((rule) => whyNot(rule) === undefined),
    omitted: rules.flatMap((rule) => {
      const why = whyNot(rule);
      return why === undefined ? [] : [{ id: rule.id, why }];
    }),
  };
}

/** `4.1` matches every clause of section 4.1, and `4` every clause of section 4. */
function matcherOfName(name: string): (rule: Rule) => boolean {
  const matches = wildcardMatcher(junitName(name.replace(/^swapcheck\./, '')));
  return ({ id, clause }) =>
    [id, clause].some((each) => matches(junitName(each))) ||
    clause.startsWith(`${name} `) ||
    clause.startsWith(`${name}.`);
}

function wildcardMatcher(pattern: string): (text: string) => boolean {
  const [first = '', ...middle] = pattern.split(/\*+/);
  const last = middle.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of middle) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}

function junitName(name: string): string {
  return name.replace(/[^A-Za-z0-9._*-]+/g, '-');
}

/** Minimum length of a part that identifies a name. Shorter parts appear in many names. */
const MIN_PART_LENGTH = 4;

/** No rule or clause has the given name. */
export class UnknownRuleError extends Error {
  override readonly name = 'UnknownRuleError';

  constructor(name: string, rules: readonly Rule[]) {
    const names = rules.flatMap(({ id, clause }) => [id, clause, clauseSection(clause)]);
    const isPart = name.length >= MIN_PART_LENGTH;
    const whole = isPart ? names.find((each) => each.includes(name)) : undefined;
    const nearest = whole ?? nearestOf(name, [...new Set(names)]);
    const hint = nearest === undefined ? 'see swapcheck rules' : `did you mean "${nearest}"?`;
    super(`no rule and no clause is called "${name}": ${hint}`);
  }
}
