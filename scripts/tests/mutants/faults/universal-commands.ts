import { concatHex, decodeFunctionData, type Hex, toHex } from 'viem';
import type { SwapResponse } from '../../../../conformance/contract/resources.ts';
import { encodeCall, ROUTER_ABI } from '../../../../reference/encoding/router-abi.ts';
import type { Change } from './mutant.ts';
import { encoded } from './plans.ts';

export const TAKE_BY_PERMIT2 = 0x02;
export const SWEEP = 0x04;
export const TRANSFER = 0x05;
export const PAY_PORTION = 0x06;
export const UNWRAP = 0x0c;
/**
 * Commands for exact-input swaps of V3 and V2, keyed by the corresponding exact-output commands.
 */
export const EXACT_INPUTS = { 1: 0x00, 9: 0x08 } as const;
export const SWAPS = new Set([0x00, 0x01, 0x08, 0x09]);
/** Addresses by which commands refer to the sender and to the router itself. */
export const SENDER = 1n;
export const ROUTER = 2n;

export type UniversalCommand = { readonly id: number; readonly input: Hex };

/** Returns a fault that changes the commands in calldata for universal-router. */
export function changeCommands(
  change: (
    commands: readonly UniversalCommand[],
    plan: SwapResponse,
    query: URLSearchParams,
  ) => readonly UniversalCommand[],
): Change<SwapResponse> {
  return encoded('calldata', (calldata, plan, query) => {
    if (plan.router !== 'universal-router') return undefined;
    const call = decodeFunctionData({ abi: ROUTER_ABI, data: calldata as Hex });
    if (call.functionName !== 'execute') return undefined;
    const [ids, inputs, deadline] = call.args;
    const commands = change(
      inputs.map((input, index) => ({
        id: Number.parseInt(ids.slice(2 + 2 * index, 4 + 2 * index), 16),
        input,
      })),
      plan,
      query,
    );
    return encodeCall('execute', [
      concatHex(commands.map(({ id }) => toHex(id, { size: 1 }))),
      commands.map(({ input }) => input),
      deadline,
    ]);
  });
}

/** Returns the 32-byte words of an input. */
export function wordsOf(input: Hex): bigint[] {
  return (input.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

/** Returns the input that consists of the given 32-byte words. */
export function hexOf(words: readonly bigint[]): Hex {
  return `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`;
}
