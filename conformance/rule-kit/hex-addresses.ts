import { isHexAddress } from '../checks/hex.ts';
import { keptWith } from '../checks/kept-with.ts';
import type { Facts } from '../discovery/facts.ts';
import type { JudgedReply } from '../model/rule.ts';
import { words } from '../model/statement.ts';
import { addressesOf, hexMajority, memoizeAsked } from './known-chains.ts';
import { each, type Judge, when } from './reply-judges.ts';
import { type Find, planAddresses } from './reply-values.ts';
import { chainAskedFor } from './request-parameters.ts';

/**
 * Returns a condition that holds for replies of chains with addresses of 20
 * bytes in hex: most of what discovery learned of the chain are, and of the
 * addresses of the reply itself.
 */
export function onHexChain(addresses: Find<string>): (input: JudgedReply) => boolean {
  return memoizeAsked(({ exchange, reply, facts }) => {
    let majority = learned(facts, chainAskedFor(exchange));
    for (const { value } of addresses({ reply })) majority += isHexAddress(value) ? 1 : -1;
    return majority > 0;
  });
}

/** Holds for plans on a chain with addresses of 20 bytes in hex. */
export const isHexPlan = onHexChain(planAddresses);

/** Returns a judge that holds where every address found is 20 bytes of hex; it applies to replies that satisfy a condition. */
export function hexAddresses(
  find: Find<string>,
  applies: (input: JudgedReply) => boolean = isHexPlan,
): Judge {
  return when(applies, each(find, isHexAddress, words`\`0x\` and 40 hex digits`));
}

const learnedOf = keptWith((_: Facts) => new Map<number | undefined, number>());

/** Gathering a chain's addresses anew for every reply would be most of the judge's work. */
function learned(facts: Facts | undefined, chainId: number | undefined): number {
  if (facts === undefined) return 0;
  const byChain = learnedOf(facts);
  const known = byChain.get(chainId) ?? hexMajority(addressesOf(facts, chainId));
  byChain.set(chainId, known);
  return known;
}
