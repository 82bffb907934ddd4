import { type BodyToken, type Plan, planIn, type ReferenceId, swapBodyIn } from '../checks/plan.ts';
import { type GraphFaults, inspectGraph } from '../checks/plan-graph.ts';
import { memoize } from '../checks/reply-body.ts';
import type { Reply } from '../client/exchange.ts';
import type { Facts } from '../discovery/facts.ts';
import type { JudgedReply } from '../model/rule.ts';
import { addressesOf, chainAskedFor, usesHexAddresses } from './request-parameters.ts';

/** A plan with its graph, read once for all the rules that judge them. */
export type PlanView = { readonly plan: Plan; readonly graph: GraphFaults };

/** Returns the plan of a `/swap` reply, or undefined where it is too malformed to follow. */
export const planOf: (reply: Reply) => PlanView | undefined = memoize((reply) => {
  const plan = planIn(swapBodyIn(reply));
  return plan === undefined ? undefined : { plan, graph: inspectGraph(plan) };
});

/** Returns the entries of `tokens` in a `/swap` reply. */
export function tokensOf(reply: Reply): readonly BodyToken[] {
  return swapBodyIn(reply)?.tokens ?? [];
}

/** Returns the token entry that a reference of a plan leads to; the first, where several do. */
export function tokenAt(reply: Reply, referenceId: ReferenceId): BodyToken | undefined {
  return planOf(reply)?.plan.tokens.find((token) => token.referenceId === referenceId);
}

/** Returns whether 20-byte hex fits the chain of a `/swap` reply. */
export function isHexChain({ exchange, reply, facts }: JudgedReply): boolean {
  const known = hexChains.get(reply);
  if (known !== undefined && known.facts === facts) return known.isHex;
  const listed = tokensOf(reply).flatMap(({ address }) => address ?? []);
  const isHex = usesHexAddresses([...hexEvidence(facts, chainAskedFor(exchange)), ...listed]);
  hexChains.set(reply, { facts, isHex });
  return isHex;
}

/** Four rules ask of each reply. */
const hexChains = new WeakMap<
  Reply,
  { readonly facts: Facts | undefined; readonly isHex: boolean }
>();
const evidence = new WeakMap<Facts, Map<number | undefined, readonly string[]>>();

/** Gathering a chain's addresses anew for every reply would be most of the judge's work. */
function hexEvidence(facts: Facts | undefined, chainId: number | undefined): readonly string[] {
  if (facts === undefined) return [];
  const byChain = evidence.get(facts) ?? new Map<number | undefined, readonly string[]>();
  evidence.set(facts, byChain);
  const known = byChain.get(chainId) ?? addressesOf(facts, chainId);
  byChain.set(chainId, known);
  return known;
}
