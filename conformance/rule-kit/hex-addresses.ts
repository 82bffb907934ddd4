import { isHexAddress } from '../checks/hex.ts';
import { hexMajority } from '../discovery/known-chain.ts';
import type { JudgedReply } from '../model/judged-reply.ts';
import { words } from '../model/statement.ts';
import { each, type Judge, when } from './reply-judges.ts';
import { type Find, planAddresses } from './reply-values.ts';

/**
 * Returns a condition that holds for replies about chains with 20-byte hex addresses. The majority
 * decides, among the known addresses and those in the reply.
 */
export function onHexChain(addresses: Find<string>): (input: JudgedReply) => boolean {
  return (input) => {
    const inReply = addresses(input).map(({ value }) => value);
    return (input.chain?.hexMajority ?? 0) + hexMajority(inReply) > 0;
  };
}

/** Holds for plans on a chain with 20-byte hex addresses. */
export const isHexPlan = onHexChain(planAddresses);

/** Returns a judge that holds if every address found is 20 bytes of hex. */
export function hexAddresses(
  find: Find<string>,
  applies: (input: JudgedReply) => boolean = isHexPlan,
): Judge {
  return when(applies, each(find, isHexAddress, 'not-hex', words`\`0x\` and 40 hex digits`));
}
