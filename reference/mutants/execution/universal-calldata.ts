import { concatHex, decodeFunctionData, encodeFunctionData, type Hex, parseAbi, toHex } from 'viem';
import type { SwapResponse } from '../../../conformance/contract/resources.ts';
import type { Change } from '../faults/mutant.ts';
import { encoded } from '../faults/plans.ts';

/** One command of the Universal Router, with its input. */
export type UniversalCommand = { readonly id: number; readonly input: Hex };

const ABI = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
]);

/** Returns a change of the commands of universal-router, where a plan has its calldata. */
export function changeCommands(
  change: (
    commands: readonly UniversalCommand[],
    plan: SwapResponse,
  ) => readonly UniversalCommand[],
): Change<SwapResponse> {
  return encoded('calldata', (calldata, plan) => {
    if (plan.router !== 'universal-router') return undefined;
    const { args } = decodeFunctionData({ abi: ABI, data: calldata as Hex });
    const [ids, inputs, deadline] = args;
    const commands = change(
      inputs.map((input, index) => ({
        id: Number.parseInt(ids.slice(2 + 2 * index, 4 + 2 * index), 16),
        input,
      })),
      plan,
    );
    return encodeFunctionData({
      abi: ABI,
      args: [
        concatHex(commands.map(({ id }) => toHex(id, { size: 1 }))),
        commands.map(({ input }) => input),
        deadline,
      ],
    });
  });
}

/** Returns the 32-byte words of an input. */
export function wordsOf(input: Hex): bigint[] {
  return (input.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

/** Returns the input of some 32-byte words. */
export function hexOf(words: readonly bigint[]): Hex {
  return `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`;
}
