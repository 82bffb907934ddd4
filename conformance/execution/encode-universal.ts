import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  toHex,
} from 'viem';
import type { SwapPlan, SwapStep, TokenAmount } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { JsonRpcError, type Rpc } from './json-rpc.ts';

/** What to encode. */
export type UniversalTrade = {
  readonly plan: SwapPlan;
  readonly sellNative: boolean;
  readonly buyNative: boolean;
  /** The least that is to be received, in base units. */
  readonly leastBought: bigint;
  /** Unix time in seconds. */
  readonly deadline: number;
};

/** A step that the Universal Router can take: one pool, one token in and one out. */
type Hop = {
  readonly family: 'v2' | 'v3';
  readonly fee: number;
  readonly from: TokenAmount;
  readonly to: TokenAmount;
};

const EXECUTE = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
]);
const POOL = parseAbi([
  'function factory() view returns (address)',
  'function fee() view returns (uint24)',
  'function getPool(address, address, uint24) view returns (address)',
  'function getPair(address, address) view returns (address)',
]);
const COMMANDS = { v3: 0x00, sweep: 0x04, v2: 0x08, wrap: 0x0b, unwrap: 0x0c } as const;
/** What stands for the sender, for the router itself, and for all that it holds. */
const SENDER: Address = '0x0000000000000000000000000000000000000001';
const ROUTER: Address = '0x0000000000000000000000000000000000000002';
const WHOLE_BALANCE = 1n << 255n;

/**
 * Returns the calldata by which Uniswap's Universal Router settles a plan as
 * exact input: one command a step, in topological order, each taking its part
 * of the plan, and the last of a token all that is left of it. A text says why
 * a plan cannot be encoded.
 *
 * Only sources that are Uniswap's own are: every pool is asked for its factory,
 * and the factory for the pool, before it is trusted with a fee.
 *
 * @see https://github.com/Uniswap/universal-router/blob/main/contracts/base/Dispatcher.sol
 */
export async function encodeUniversal(rpc: Rpc, trade: UniversalTrade): Promise<Hex | string> {
  const { plan, sellNative, buyNative, leastBought, deadline } = trade;
  const ordered = orderSteps(plan);
  if (ordered === undefined) return 'its swaps form a cycle';
  const hops: Hop[] = [];
  for (const step of ordered) {
    const hop = await readHop(rpc, step);
    if (typeof hop === 'string') return hop;
    hops.push(hop);
  }
  const commands: [id: number, input: Hex][] = [];
  if (sellNative) commands.push([COMMANDS.wrap, pay(ROUTER, WHOLE_BALANCE)]);
  for (const [index, hop] of hops.entries()) {
    const { token } = hop.from;
    const isPayerUser = token === plan.sell.token && !sellNative;
    const isLast = !hops.slice(index + 1).some((later) => later.from.token === token);
    const amount = isLast && !isPayerUser ? WHOLE_BALANCE : hop.from.amount;
    commands.push([COMMANDS[hop.family], swapInput(hop, amount, isPayerUser)]);
  }
  commands.push(
    buyNative
      ? [COMMANDS.unwrap, pay(SENDER, leastBought)]
      : [COMMANDS.sweep, sweep(plan.buy.token, leastBought)],
  );
  return encodeFunctionData({
    abi: EXECUTE,
    args: [
      concatHex(commands.map(([id]) => toHex(id, { size: 1 }))),
      commands.map(([, input]) => input),
      BigInt(deadline),
    ],
  });
}

/** Returns the steps, each after all that give what it takes; undefined where that is impossible. */
export function orderSteps({ steps }: SwapPlan): readonly SwapStep[] | undefined {
  const ordered: SwapStep[] = [];
  let waiting = steps;
  while (waiting.length > 0) {
    const pending = new Set(waiting.flatMap(({ to }) => to.map(({ token }) => token)));
    const ready = waiting.filter(({ from }) => !from.some(({ token }) => pending.has(token)));
    if (ready.length === 0) return undefined;
    ordered.push(...ready);
    waiting = waiting.filter((step) => !ready.includes(step));
  }
  return ordered;
}

/** Reads a step, or says why the router cannot take it. */
async function readHop(rpc: Rpc, { pool, source, from, to }: SwapStep): Promise<Hop | string> {
  const [sold, bought] = [from[0], to[0]];
  if (sold === undefined || bought === undefined || from.length > 1 || to.length > 1) {
    return `a step through ${JSON.stringify(source)} has more than two tokens`;
  }
  const family = /^uniswap[ _-]?v([23])$/i.exec(source)?.[1];
  if (family === undefined) return `the source ${JSON.stringify(source)} is not known here`;
  const factory = await read<Address>(rpc, pool, 'factory');
  if (factory === undefined) return `${JSON.stringify(pool)} is not a pool of Uniswap`;
  const tokens = [sold.token, bought.token] as const;
  if (family === '2') {
    const pair = await read<Address>(rpc, factory, 'getPair', tokens);
    return pair?.toLowerCase() === pool
      ? { family: 'v2', fee: 3000, from: sold, to: bought }
      : `${JSON.stringify(pool)} is not a pair of its factory`;
  }
  const fee = await read<number>(rpc, pool, 'fee');
  if (fee === undefined) return `${JSON.stringify(pool)} has no fee, as a pool of Uniswap V3 has`;
  const found = await read<Address>(rpc, factory, 'getPool', [...tokens, fee]);
  return found?.toLowerCase() === pool
    ? { family: 'v3', fee, from: sold, to: bought }
    : `${JSON.stringify(pool)} is not a pool of its factory`;
}

async function read<Result>(
  rpc: Rpc,
  to: string,
  functionName: 'factory' | 'fee' | 'getPool' | 'getPair',
  args: readonly unknown[] = [],
): Promise<Result | undefined> {
  const data = encodeFunctionData({ abi: POOL, functionName, args } as never);
  try {
    const returned = await rpc<Hex>('eth_call', [{ to, data }, 'latest']);
    if (returned.length !== 66) return undefined;
    return (functionName === 'fee' ? Number(returned) : `0x${returned.slice(26)}`) as Result;
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined;
    throw error;
  }
}

function swapInput({ family, fee, from, to }: Hop, amount: bigint, isPayerUser: boolean): Hex {
  if (family === 'v3') {
    const path = concatHex([from.token, toHex(fee, { size: 3 }), to.token]);
    return encodeAbiParameters(
      [
        { type: 'address' },
        { type: 'uint256' },
        { type: 'uint256' },
        { type: 'bytes' },
        { type: 'bool' },
      ],
      [ROUTER, amount, 0n, path, isPayerUser],
    );
  }
  return encodeAbiParameters(
    [
      { type: 'address' },
      { type: 'uint256' },
      { type: 'uint256' },
      { type: 'address[]' },
      { type: 'bool' },
    ],
    [ROUTER, amount, 0n, [from.token, to.token], isPayerUser],
  );
}

function pay(to: Address, amount: bigint): Hex {
  return encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [to, amount]);
}

function sweep(token: Address, least: bigint): Hex {
  return encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }],
    [token, SENDER, least],
  );
}
