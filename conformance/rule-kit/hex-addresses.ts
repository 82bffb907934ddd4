import { isHexAddress } from '../checks/hex.ts';
import { hexMajority } from '../discovery/known-chain.ts';
import type { JudgedReply } from '../model/judged-reply.ts';
import { words } from '../model/statement.ts';
import { each, type Judge, when } from './reply-judges.ts';
import { type Find, planAddresses } from './reply-values.ts';

/**
 * Returns a condition that holds for replies of chains with addresses of 20
 * bytes in hex: the majority of the addresses known before, and of those in the
 * reply, decides.
 */
export function onHexChain(addresses: Find<string>): (input: JudgedReply) => boolean {
  return (input) => {
    const inReply = addresses(input).map(({ value }) => value);
    return (input.chain?.hexMajority ?? 0) + hexMajority(inReply) > 0;
  };
}

/** Holds for plans on a chain with addresses of 20 bytes in hex. */
export const isHexPlan = onHexChain(planAddresses);

/** Returns a judge that holds if every address found is 20 bytes of hex; it applies to replies that satisfy a condition. */
export function hexAddresses(
  find: Find<string>,
  applies: (input: JudgedReply) => boolean = isHexPlan,
): Judge {
  return when(applies, each(find, isHexAddress, words`\`0x\` and 40 hex digits`));
}
