import type { Plan } from '../routing/plan.ts';
import { swapGas } from './swap-gas.ts';
import type { Command } from './universal-commands.ts';

/** What a command costs beside its swaps, by code: payment through Permit2 or by transfer, balances read. */
const COMMAND_GAS: Readonly<Record<string, number>> = {
  '00': 60_000,
  '01': 60_000,
  '08': 60_000,
  '09': 60_000,
  '0b': 35_000,
  '0c': 40_000,
  '04': 40_000,
};

export function gasLimitOf(plan: Plan, commands: readonly Command[], calldata: string): bigint {
  const swaps = plan.swaps.reduce((sum, swap) => sum + swapGas(swap), 0);
  const dispatch = commands.reduce((sum, { code }) => sum + (COMMAND_GAS[code] ?? 0), 0);
  return BigInt(21_000 + 16 * (calldata.length / 2) + swaps + dispatch);
}
