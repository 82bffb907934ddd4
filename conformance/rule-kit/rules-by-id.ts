import type { Endpoint } from '../contract/paths.ts';
import type { ProbeRule, ReplyRule, SettlementRule } from '../model/rule.ts';
import type { EvidenceKind } from '../model/settlement.ts';

/** Rules by their ids, each without what the list says once for all. */
type ById<Body> = Readonly<Record<string, Body>>;

/** A rule on replies, without what stands beside it in a list. */
export type ReplyRuleBody = Omit<ReplyRule, 'kind' | 'id' | 'endpoint'>;

/** The same of a rule that sends requests. */
export type ProbeRuleBody = Omit<ProbeRule, 'kind' | 'id'>;

/** Returns rules on replies of one operation, or of `any`. */
export function replyRules(
  endpoint: Endpoint | 'any',
  rules: ById<ReplyRuleBody>,
): readonly ReplyRule[] {
  const asked = endpoint === 'any' ? {} : { endpoint };
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
  rules: ById<Omit<SettlementRule<Kind>, 'kind' | 'id' | 'evidence'>>,
): readonly SettlementRule<Kind>[] {
  return withIds({ kind: 'settlement' as const, evidence }, rules);
}

function withIds<Common, Body>(
  common: Common,
  rules: ById<Body>,
): readonly (Common & { readonly id: string } & Body)[] {
  return Object.entries(rules).map(([id, body]) => ({ ...common, id, ...body }));
}
