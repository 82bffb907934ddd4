import { isHexAddress } from '../checks/hex.ts';
import type { Reply } from '../client/exchange.ts';
import type { Facts } from '../discovery/facts.ts';
import type { JudgedReply } from '../model/rule.ts';
import { addressesOf, usesHexAddresses } from './known-chains.ts';
import { each, type Judge, when } from './reply-judges.ts';
import { type Find, planTokens, strings } from './reply-values.ts';
import { chainAskedFor } from './request-parameters.ts';

/**
 * Returns a condition that holds for replies of chains with addresses of 20
 * bytes in hex: most of what discovery learned of the chain are, and of the
 * addresses of the reply itself.
 */
export function onHexChain(addresses: Find<string>): (input: JudgedReply) => boolean {
  const known = new WeakMap<
    Reply,
    { readonly facts: Facts | undefined; readonly holds: boolean }
  >();
  return ({ exchange, reply, facts }) => {
    const found = known.get(reply);
    if (found !== undefined && found.facts === facts) return found.holds;
    const own = addresses({ reply }).map(({ value }) => value);
    const holds = usesHexAddresses([...learned(facts, chainAskedFor(exchange)), ...own]);
    known.set(reply, { facts, holds });
    return holds;
  };
}

/** Holds for plans on a chain with addresses of 20 bytes in hex. */
export const isHexPlan = onHexChain(strings(planTokens, 'address'));

/** Returns a judge that holds where every address found is 20 bytes of hex; it applies to replies that satisfy a condition. */
export function hexAddresses(
  find: Find<string>,
  applies: (input: JudgedReply) => boolean = isHexPlan,
): Judge {
  return when(applies, each(find, isHexAddress, '`0x` and 40 hex digits'));
}

const learnedOf = new WeakMap<Facts, Map<number | undefined, readonly string[]>>();

/** Gathering a chain's addresses anew for every reply would be most of the judge's work. */
function learned(facts: Facts | undefined, chainId: number | undefined): readonly string[] {
  if (facts === undefined) return [];
  const byChain = learnedOf.get(facts) ?? new Map<number | undefined, readonly string[]>();
  learnedOf.set(facts, byChain);
  const known = byChain.get(chainId) ?? addressesOf(facts, chainId);
  byChain.set(chainId, known);
  return known;
}
