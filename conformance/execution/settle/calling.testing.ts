import type { Hex, Scenario } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import type { Block } from '../scenario/circumstances.ts';

export const SENDER: Address = `0x${'a1'.repeat(20)}`;
export const CONTRACT: Address = `0x${'c1'.repeat(20)}`;
export const COINBASE: Address = `0x${'d1'.repeat(20)}`;
export const PREVRANDAO: Hex = `0x${'5a'.repeat(32)}`;
const CHAIN = 31337;

/** Returns a scenario in which an account sends 9 wei to a contract with the given code. */
export function callingOn(
  { number, timestamp }: Block,
  code: Hex,
  change: Partial<Scenario> = {},
  blocks = 3,
): Scenario {
  return {
    ...{ chainId: CHAIN, block: number, time: timestamp + 15, before: [], gas: 100_000n },
    fields: {
      ...{ number: number + blocks, baseFee: 7n, coinbase: COINBASE, gasLimit: 30_000_000n },
      ...{ prevRandao: PREVRANDAO, parentHash: `0x${'a5'.repeat(32)}` },
      salt: `0x${'3c'.repeat(32)}`,
    },
    overrides: { [SENDER]: { balance: 10n ** 18n }, [CONTRACT]: { code, balance: 1_000n } },
    trade: { from: SENDER, to: CONTRACT, value: 9n, data: '0x' },
    measured: { tokens: [NATIVE_TOKEN], holders: [SENDER, CONTRACT] },
    ...change,
  };
}

/** Returns code that returns the word that its instructions put on the stack. */
export function returning(instructions: string): Hex {
  return `0x${instructions}5f5260205ff3`;
}
