import type { Endpoint } from '../contract/paths.ts';
import type { ProbeRule, ReplyRule, SettlementRule } from '../model/rule.ts';
import type { EvidenceKind } from '../model/settlement.ts';

/** Rules by their ids, each without what the list says once for all. */
type ById<Body> = Readonly<Record<string, Body>>;

/** A rule's level with its title: what the service must do, or should, or what is recorded. */
type Demand =
  | { readonly must: string }
  | { readonly should: string; readonly because: string }
  | { readonly observes: string };

/** What a rule is made of here, and what its demand and its list say of it. */
type Body<Own> = Demand & Omit<Own, 'kind' | 'id' | 'level' | 'title' | 'because'>;

/** A rule on replies, without what stands beside it in a list. */
export type ReplyRuleBody = Body<Omit<ReplyRule, 'endpoint' | 'ofErrors'>>;

/** The same of a rule that sends requests. */
export type ProbeRuleBody = Body<ProbeRule>;

/** Returns rules on replies of one operation, of `any`, or on `errors` of any. */
export function replyRules(
  of: Endpoint | 'any' | 'errors',
  rules: ById<ReplyRuleBody>,
): readonly ReplyRule[] {
  const asked =
    of === 'any' ? {} : of === 'errors' ? { ofErrors: true as const } : { endpoint: of };
  return withIds({ kind: 'reply' as const, ...asked }, rules);
}

/** Returns rules that send requests of their own. */
export function probeRules(rules: ById<ProbeRuleBody>): readonly ProbeRule[] {
  return withIds({ kind: 'probe' as const }, rules);
}

/** Returns rules on what holds between replies to requests of their own. */
export function relationRules(rules: ById<ProbeRuleBody>): readonly ProbeRule[] {
  return withIds({ kind: 'relation' as const }, rules);
}

/** Returns rules on plans that came to be executed in one way. */
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
