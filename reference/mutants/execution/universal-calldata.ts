import { concatHex, decodeFunctionData, encodeFunctionData, type Hex, parseAbi, toHex } from 'viem';

/** One command of the Universal Router, with its input. */
export type UniversalCommand = { readonly id: number; readonly input: Hex };

const ABI = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
]);

/** Returns calldata of the Universal Router with its commands changed. */
export function changeCommands(
  calldata: string,
  change: (commands: readonly UniversalCommand[]) => readonly UniversalCommand[],
): Hex {
  const { args } = decodeFunctionData({ abi: ABI, data: calldata as Hex });
  const [ids, inputs, deadline] = args;
  const commands = change(
    inputs.map((input, index) => ({
      id: Number.parseInt(ids.slice(2 + 2 * index, 4 + 2 * index), 16),
      input,
    })),
  );
  return encodeFunctionData({
    abi: ABI,
    args: [
      concatHex(commands.map(({ id }) => toHex(id, { size: 1 }))),
      commands.map(({ input }) => input),
      deadline,
    ],
  });
}
