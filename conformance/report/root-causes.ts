import { counted } from '../contract/counted.ts';
import { groupBy } from '../model/group-by.ts';
import type { Failure, RuleResult } from '../model/report.ts';
import { SPECIFIED_STATUSES } from '../rule-kit/specified-replies.ts';
import { ruleWords } from '../rules/rule-words.ts';

/** Failures that appear to share a root cause, judging by the replies. */
export type RootCause = {
  /** Rules that fail because of this cause. The first has the highest level and names the cause. */
  readonly rules: readonly RuleResult[];
  /** The first rule's most frequent failure. */
  readonly example: Failure;
  /** The other distinct failures with this cause, as text. */
  readonly variants: readonly string[];
  /** Sum of the counts of all failures with this cause. */
  readonly count: number;
  /** Later failures in the same replies, which this cause may explain. */
  readonly consequences: readonly Consequence[];
  readonly isWaived: boolean;
};

/** The failures of one rule that a root cause may explain. */
export type Consequence = { readonly rule: RuleResult; readonly failures: readonly Failure[] };

type Member = { readonly rule: RuleResult; readonly failure: Failure };

/**
 * Groups a run's failures by root cause, the one to fix first at the beginning. Failures with the
 * same symptom in several rules share a cause: a wrong status or an error page breaks many rules. A
 * rule's remaining failures form one cause. Failures that follow from another are its consequences.
 */
export function rootCausesOf(rules: readonly RuleResult[]): readonly RootCause[] {
  const all = rules.flatMap((rule) => rule.failures.map((failure) => ({ rule, failure })));
  // Each cause and its consequences, by the cause.
  const byCause = new Map(
    all.map((member) => [keyOf(member.rule.id, member.failure.cause), member]),
  );
  const byOrigin = groupBy(all, (member) => originOf(member, byCause));
  const members = all.filter((member) => byOrigin.has(member));
  const [waived, pending] = [true, false].map((isWaived) =>
    members.filter(({ failure }) => (failure.waiver !== undefined) === isWaived),
  );
  return [...groupsOf(pending ?? []), ...groupsOf(waived ?? [])]
    .map((group) => {
      const following = group.flatMap(
        (member) => byOrigin.get(member)?.filter((each) => each !== member) ?? [],
      );
      return { ...toRootCause(group), consequences: consequencesOf(following) };
    })
    .sort(byUrgency);
}

/**
 * Returns the first failure of the chain that leads to a failure. Returns the failure itself if it
 * follows from none, or if the chain is a cycle.
 */
function originOf(member: Member, byCause: ReadonlyMap<string, Member>): Member {
  const chain = [member];
  for (let last = member; ; ) {
    const { followsFrom } = last.failure;
    const earlier = followsFrom && byCause.get(keyOf(followsFrom.rule, followsFrom.cause));
    if (earlier === undefined) return last;
    if (chain.includes(earlier)) return member;
    chain.push(earlier);
    last = earlier;
  }
}

function keyOf(rule: string, cause: string): string {
  return `${rule} ${cause}`;
}

function consequencesOf(members: readonly Member[]): readonly Consequence[] {
  return [...groupBy(members, ({ rule }) => rule.id).values()]
    .flatMap((group): Consequence[] => {
      const [first] = group;
      return first ? [{ rule: first.rule, failures: group.map(({ failure }) => failure) }] : [];
    })
    .sort((a, b) => rankOf(a.rule) - rankOf(b.rule));
}

/**
 * Returns the usual mistake behind a cause, as one sentence or a few. Returns undefined for the
 * user's own rules, and if the failure itself names its cause.
 */
export function usualMistake({ rules: [rule, ...others], example }: RootCause): string | undefined {
  if (example.belongsTo !== undefined) return undefined;
  if (example.exchange.status === 500 && others.length > 0) {
    return 'The service does not validate a parameter before it uses it, so that an exception results in 500.';
  }
  return rule && ruleWords(rule.id)?.mistake;
}

/** @example describeConsequences(cause) // '12 execution failures may follow from this' */
export function describeConsequences({ consequences }: RootCause): string | undefined {
  if (consequences.length === 0) return undefined;
  const count = consequences.reduce((sum, { failures }) => sum + failures.length, 0);
  const areExecution = consequences.every(({ rule }) => rule.id.startsWith('execution/'));
  const what = areExecution
    ? counted(count, 'execution failure')
    : `${counted(count, 'failure')} of ${counted(consequences.length, 'other rule')}`;
  return `${what} may follow from this`;
}

/**
 * Returns the heading of a cause: the rule that names it, and the number of other rules.
 *
 * @example 'swap/token-decimals [must]: decimals is an integer from 0 to 18'
 * @example 'endpoint/json [must]: sends a JSON body, and 13 more'
 */
export function causeTitle({ rules, example }: RootCause): string {
  const [first, ...others] = rules;
  if (first === undefined) return example.actual;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return `${first.id} [${first.level}]: ${first.title}${more}`;
}

function groupsOf(members: readonly Member[]): readonly (readonly Member[])[] {
  const bySymptom = [...groupBy(members, (member) => symptomOf(member, members)).values()];
  const isShared = (group: readonly Member[]) => new Set(group.map(({ rule }) => rule.id)).size > 1;
  const single = bySymptom.filter((group) => !isShared(group)).flat();
  return [...bySymptom.filter(isShared), ...groupBy(single, ({ rule }) => rule.id).values()];
}

/** Clause of the rules that name a fault in the body of a 400. */
const ERROR_CLAUSE = '2.10 ';

function symptomOf({ rule, failure }: Member, members: readonly Member[]): string {
  const { fault, exchange, symptom, belongsTo } = failure;
  // A cache whose key lacks a parameter breaks any rule.
  if (belongsTo !== undefined) return `ignores ${belongsTo.ignored.join(' and ')}`;
  const { status, excerpt } = exchange;
  if (status === undefined || !SPECIFIED_STATUSES.includes(status)) return symptom;
  if (!/^\s*(?:[[{"0-9-]|true|false|null)/.test(excerpt)) return `status=${status} without JSON`;
  const naming =
    fault === 'no-error' && !rule.clause.startsWith(ERROR_CLAUSE)
      ? members.find(
          (other) =>
            other.rule.clause.startsWith(ERROR_CLAUSE) && other.failure.exchange.status === status,
        )
      : undefined;
  return naming === undefined ? symptom : symptomOf(naming, members);
}

/**
 * Rules that describe a fault of the whole reply, ending with the most specific. If none of them
 * fails, the most frequent failure names the cause.
 */
const NAMING_RULES = ['endpoint/status', 'endpoint/json'];

/**
 * Returns whether the fault is a 500 itself. If it is, a body without JSON only follows from it.
 */
function names500({ failure: { actual, exchange } }: Member): boolean {
  return exchange.status === 500 && /\b500\b(?!:)/.test(actual);
}

function toRootCause(members: readonly Member[]): Omit<RootCause, 'consequences'> {
  const ranked = members.toSorted(
    (a, b) =>
      rankOf(a.rule) - rankOf(b.rule) ||
      Number(names500(b)) - Number(names500(a)) ||
      NAMING_RULES.indexOf(b.rule.id) - NAMING_RULES.indexOf(a.rule.id) ||
      b.failure.count - a.failure.count,
  );
  const [first] = ranked;
  if (first === undefined) throw new Error('a root cause has at least one failure');
  const variants = new Set(ranked.map(({ failure }) => describeVariant(failure, first.failure)));
  variants.delete(first.failure.actual);
  return {
    rules: [...new Set(ranked.map(({ rule }) => rule))],
    example: first.failure,
    variants: [...variants],
    count: members.reduce((sum, { failure }) => sum + failure.count, 0),
    isWaived: first.failure.waiver !== undefined,
  };
}

/** @example 'expected 400 for `sellAmount` zero, got 200' */
function describeVariant({ expected, actual }: Failure, example: Failure): string {
  return expected === example.expected ? actual : `expected ${expected}, got ${actual}`;
}

/**
 * Rules that prove that a reply belongs to another request. Their failures come first, because
 * every other rule may have judged such a reply.
 */
const PROVING_A_WRONG_CACHE_KEY = ['relation/chains-distinct', 'relation/rfq-distinct'];

/**
 * Sorts causes by level, then by the number of rules that they break or may explain. Waived causes
 * come last.
 */
function byUrgency(a: RootCause, b: RootCause): number {
  const reach = ({ rules, consequences }: RootCause) => rules.length + consequences.length;
  const isOfCache = ({ rules, example }: RootCause) =>
    example.belongsTo !== undefined ||
    rules.some(({ id }) => PROVING_A_WRONG_CACHE_KEY.includes(id));
  return (
    Number(a.isWaived) - Number(b.isWaived) ||
    rankOf(a.rules[0]) - rankOf(b.rules[0]) ||
    Number(isOfCache(b)) - Number(isOfCache(a)) ||
    reach(b) - reach(a)
  );
}

function rankOf(rule: RuleResult | undefined): number {
  return ['must', 'should', 'observe'].indexOf(rule?.level ?? 'observe');
}
