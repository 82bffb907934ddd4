import type { Endpoint } from '../contract/paths.ts';
import type { ProbeRule, ReplyRule, SettlementRule } from '../model/rule.ts';
import type { EvidenceKind } from '../model/settlement.ts';

/** Rules by their ids, without the fields that the whole list shares. */
type ById<Body> = Readonly<Record<string, Body>>;

/** The title of a rule under its level. */
type Demand =
  | { readonly must: string }
  | { readonly should: string; readonly because: string }
  | { readonly observes: string };

/** A rule without the fields that follow from its demand and its list. */
type Body<Own> = Demand & Omit<Own, 'kind' | 'id' | 'level' | 'title' | 'because'>;

export type ReplyRuleBody = Body<Omit<ReplyRule, 'endpoint' | 'ofErrors'>>;

export type ProbeRuleBody = Body<ProbeRule>;

/** Returns rules on replies of one operation, of `any`, or on `errors` of any. */
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

/** Returns rules on plans that are executed in one way. */
export function settlementRules<Kind extends EvidenceKind>(
  evidence: Kind,
  rules: ById<Body<Omit<SettlementRule<Kind>, 'evidence'>>>,
): readonly SettlementRule<Kind>[] {
  return withIds({ kind: 'settlement' as const, evidence }, rules);
}

function withIds<Common, Own extends Demand>(common: Common, rules: ById<Own>) {
  return Object.entries(rules).map(([id, rule]) => ({
    ...common,
    id,
    ...rule,
    ...identityOf(rule),
  }));
}

function identityOf(demand: Demand) {
  if ('must' in demand) return { level: 'must' as const, title: demand.must };
  if ('should' in demand) return { level: 'should' as const, title: demand.should };
  return { level: 'observe' as const, title: demand.observes };
}
