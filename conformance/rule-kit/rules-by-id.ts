import type { Endpoint } from '../contract/paths.ts';
import type { ProbeRule, ReplyRule, SettlementRule } from '../model/rule.ts';
import type { EvidenceKind } from '../model/settlement.ts';

type ById<Body> = Readonly<Record<string, Body>>;

type LevelWithTitle =
  | { readonly must: string }
  | { readonly should: string; readonly because: string }
  | { readonly observes: string };

/** A rule without the fields that follow from its id, its list and its level. */
type Body<Own> = LevelWithTitle & Omit<Own, 'kind' | 'id' | 'level' | 'title' | 'because'>;

export type ReplyRuleBody = Body<Omit<ReplyRule, 'endpoint' | 'ofErrors'>>;

export type ProbeRuleBody = Body<ProbeRule>;

/**
 * Returns rules on replies to one operation, to `any` operation, or on `errors` of any operation.
 */
export function replyRules(
  of: Endpoint | 'any' | 'errors',
  rules: ById<ReplyRuleBody>,
): readonly ReplyRule[] {
  const requested =
    of === 'any' ? {} : of === 'errors' ? { ofErrors: true as const } : { endpoint: of };
  return withIds({ kind: 'reply' as const, ...requested }, rules);
}

/** Returns rules that send requests. */
export function probeRules(rules: ById<ProbeRuleBody>): readonly ProbeRule[] {
  return withIds({ kind: 'probe' as const }, rules);
}

/** Returns rules that compare replies to related requests. */
export function relationRules(rules: ById<ProbeRuleBody>): readonly ProbeRule[] {
  return withIds({ kind: 'relation' as const }, rules);
}

/** Returns rules on plans that are executed in the given way. */
export function settlementRules<Kind extends EvidenceKind>(
  evidence: Kind,
  rules: ById<Body<Omit<SettlementRule<Kind>, 'evidence'>>>,
): readonly SettlementRule<Kind>[] {
  return withIds({ kind: 'settlement' as const, evidence }, rules);
}

function withIds<Common, Own extends LevelWithTitle>(common: Common, rules: ById<Own>) {
  return Object.entries(rules).map(([id, rule]) => ({
    ...common,
    id,
    ...rule,
    ...identityOf(rule),
  }));
}

function identityOf(demand: LevelWithTitle) {
  if ('must' in demand) return { level: 'must' as const, title: demand.must };
  if ('should' in demand) return { level: 'should' as const, title: demand.should };
  return { level: 'observe' as const, title: demand.observes };
}
