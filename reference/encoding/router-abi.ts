import {
  type AbiParameter,
  type ContractFunctionArgs,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  IntegerOutOfRangeError,
  parseAbi,
  parseAbiParameters,
  prepareEncodeFunctionData,
} from 'viem';
import { PlanTooLargeError } from './encoder.ts';

const ORDER =
  '(uint256 sellAmount, uint256 buyAmount, address recipient, uint256 deadline, bool unwrap) order';
const PROGRAM = 'address[] tokens, (uint256 hop, uint256 share)[] swaps';

/**
 * Functions that settle plans: `execute` of the Universal Router, and the functions of our routers.
 */
export const ROUTER_ABI = parseAbi([
  `function sellExactly(${ORDER}, ${PROGRAM})`,
  `function buyExactly(${ORDER}, ${PROGRAM})`,
  `function sellWithQuotes(${ORDER}, ${PROGRAM}, bytes[] quotes)`,
  `function buyWithQuotes(${ORDER}, ${PROGRAM}, bytes[] quotes)`,
  'function execute(bytes commands, bytes[] inputs, uint256 deadline)',
]);

type Name = (typeof ROUTER_ABI)[number]['name'];

const PREPARED = Object.fromEntries(
  ROUTER_ABI.map(({ name }) => [
    name,
    prepareEncodeFunctionData({ abi: ROUTER_ABI, functionName: name }),
  ]),
) as Record<Name, object>;

/**
 * Returns calldata that calls one of these functions.
 * @throws {PlanTooLargeError} if an amount does not fit into its field
 */
export function encodeCall<Called extends Name>(
  name: Called,
  args: ContractFunctionArgs<typeof ROUTER_ABI, 'nonpayable', Called>,
): Hex {
  return fitting(() => encodeFunctionData({ ...PREPARED[name], args } as never));
}

/**
 * A command of the Universal Router or an action inside a command, with its byte and parameters.
 */
export type CommandAbi = { readonly code: Hex; readonly inputs: readonly AbiParameter[] };

const RANGE_SWAP = parseAbiParameters(
  'address recipient, uint256 amount, uint256 limit, bytes path, bool payerIsUser',
);
const PAIR_SWAP = parseAbiParameters(
  'address recipient, uint256 amount, uint256 limit, address[] path, bool payerIsUser',
);

/** @see https://github.com/Uniswap/universal-router/blob/main/contracts/libraries/Commands.sol */
export const COMMANDS = {
  V3_SWAP_EXACT_IN: { code: '0x00', inputs: RANGE_SWAP },
  V3_SWAP_EXACT_OUT: { code: '0x01', inputs: RANGE_SWAP },
  PERMIT2_TRANSFER_FROM: {
    code: '0x02',
    inputs: parseAbiParameters('address token, address recipient, uint160 amount'),
  },
  SWEEP: {
    code: '0x04',
    inputs: parseAbiParameters('address token, address recipient, uint256 minimum'),
  },
  V2_SWAP_EXACT_IN: { code: '0x08', inputs: PAIR_SWAP },
  V2_SWAP_EXACT_OUT: { code: '0x09', inputs: PAIR_SWAP },
  WRAP_ETH: { code: '0x0b', inputs: parseAbiParameters('address recipient, uint256 amount') },
  UNWRAP_WETH: { code: '0x0c', inputs: parseAbiParameters('address recipient, uint256 minimum') },
  /** The input is a list of actions. */
  V4_SWAP: { code: '0x10', inputs: parseAbiParameters('bytes actions, bytes[] parameters') },
} as const satisfies Readonly<Record<string, CommandAbi>>;

const HOP =
  'struct Hop { address currency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }';

/**
 * Actions while the lock of Uniswap V4's manager is open. Single hops have no minimum price.
 *
 * @see https://github.com/Uniswap/v4-periphery/blob/main/src/libraries/Actions.sol
 */
export const ACTIONS = {
  SWAP_EXACT_IN: {
    code: '0x07',
    inputs: parseAbiParameters([
      'Swap swap',
      'struct Swap { address currencyIn; Hop[] path; uint256[] minHopPriceX36; uint128 amountIn; uint128 minimum; }',
      HOP,
    ]),
  },
  SWAP_EXACT_OUT: {
    code: '0x09',
    inputs: parseAbiParameters([
      'Swap swap',
      'struct Swap { address currencyOut; Hop[] path; uint256[] minHopPriceX36; uint128 amountOut; uint128 maximum; }',
      HOP,
    ]),
  },
  SETTLE: {
    code: '0x0b',
    inputs: parseAbiParameters('address currency, uint256 amount, bool payerIsUser'),
  },
  TAKE: {
    code: '0x0e',
    inputs: parseAbiParameters('address currency, address recipient, uint256 amount'),
  },
} as const satisfies Readonly<Record<string, CommandAbi>>;

/** An encoded command. */
export type Command = { readonly code: Hex; readonly input: Hex };

/**
 * Returns an encoded command or action.
 * @throws {PlanTooLargeError} if an amount does not fit into its field
 */
export function commandOf<const Inputs extends readonly AbiParameter[]>(
  { code, inputs }: { readonly code: Hex; readonly inputs: Inputs },
  values: Parameters<typeof encodeAbiParameters<Inputs>>[1],
): Command {
  return { code, input: fitting(() => encodeAbiParameters(inputs, values)) };
}

function fitting(encode: () => Hex): Hex {
  try {
    return encode();
  } catch (error) {
    if (!(error instanceof IntegerOutOfRangeError)) throw error;
    throw new PlanTooLargeError('an amount', 'one that fits into its field of the calldata');
  }
}
