import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  toHex,
  zeroAddress,
} from 'viem';
import type { SwapPlan, SwapStep, TokenAmount } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import {
  AMOUNT_TO,
  currencyOf,
  type LockedHop,
  lockedSwap,
  poolIdOf,
  readPoolKey,
  stateSlotOf,
} from './encode-locked.ts';
import { type Rpc, undefinedIfRejected } from './json-rpc.ts';

/** The trade to encode. */
export type UniversalTrade = {
  /** The router, from which the manager of Uniswap V4's pools is read; required to encode these pools. */
  readonly router: Address | undefined;
  readonly plan: SwapPlan;
  readonly sellNative: boolean;
  readonly buyNative: boolean;
  /** Minimum amount to receive, in base units. */
  readonly leastBought: bigint;
  /** Unix time in seconds. */
  readonly deadline: number;
};

/** A step that the Universal Router can take: one pool, one token in and one out. */
type Hop = PathHop | LockedHop;

type PathHop = {
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
  'function poolManager() view returns (address)',
  'function extsload(bytes32) view returns (bytes32)',
  'function SPOKE_POOL() view returns (address)',
]);
const COMMANDS = {
  v3: 0x00,
  takeFromUser: 0x02,
  sweep: 0x04,
  v2: 0x08,
  wrap: 0x0b,
  unwrap: 0x0c,
  v4: 0x10,
} as const;
/** Constants for the sender, for the router itself, and for its whole balance. */
const SENDER: Address = '0x0000000000000000000000000000000000000001';
const ROUTER: Address = '0x0000000000000000000000000000000000000002';
const WHOLE_BALANCE = 1n << 255n;

/**
 * Returns the calldata with which Uniswap's Universal Router settles a plan as exact input: one
 * command per step, in topological order. Each takes its amount of the plan, and the last one for a
 * token takes the remainder. A text is the reason why a plan cannot be encoded.
 *
 * Only pools of Uniswap are supported. A V2 or V3 pool must name its factory, and the factory the
 * pool. A V4 pool must exist in the router's manager under the key in the step's `details`.
 *
 * @see https://github.com/Uniswap/universal-router/blob/main/contracts/base/Dispatcher.sol
 */
export async function encodeUniversal(rpc: Rpc, trade: UniversalTrade): Promise<Hex | string> {
  const { router, plan, sellNative, buyNative, leastBought, deadline } = trade;
  const ordered = orderSteps(plan);
  if (ordered === undefined) return 'its swaps form a cycle';
  const hops: Hop[] = [];
  for (const step of ordered) {
    const hop = await readHop(rpc, router, step);
    if (typeof hop === 'string') return hop;
    hops.push(hop);
  }
  const commands: Command[] = [];
  if (sellNative) commands.push([COMMANDS.wrap, pay(ROUTER, WHOLE_BALANCE)]);
  for (const [index, hop] of hops.entries()) {
    const { token } = hop.from;
    const isPayerUser = token === plan.sell.token && !sellNative;
    const isLast = !hops.slice(index + 1).some((later) => later.from.token === token);
    const amount = isLast && !isPayerUser ? WHOLE_BALANCE : hop.from.amount;
    commands.push(
      ...(hop.family === 'v4'
        ? lockedCommands(hop, amount, isPayerUser)
        : [[COMMANDS[hop.family], swapInput(hop, amount, isPayerUser)] as const]),
    );
  }
  commands.push(
    buyNative
      ? [COMMANDS.unwrap, pay(SENDER, leastBought)]
      : [COMMANDS.sweep, transfer(plan.buy.token, SENDER, leastBought)],
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

type Command = readonly [id: number, input: Hex];

/** Unwraps the router's whole balance before a pool is paid in native, and wraps the rest afterwards. */
function lockedCommands(hop: LockedHop, amount: bigint, isPayerUser: boolean): readonly Command[] {
  const { soldAs, boughtAs, from } = hop;
  const isNativeSold = soldAs === zeroAddress;
  const before: Command[] = isNativeSold ? [[COMMANDS.unwrap, pay(ROUTER, 0n)]] : [];
  if (isNativeSold && isPayerUser) {
    before.unshift([COMMANDS.takeFromUser, transfer(from.token, ROUTER, from.amount)]);
  }
  const input = lockedSwap(hop, amount, isPayerUser && !isNativeSold, ROUTER);
  const after: Command[] =
    isNativeSold || boughtAs === zeroAddress ? [[COMMANDS.wrap, pay(ROUTER, WHOLE_BALANCE)]] : [];
  return [...before, [COMMANDS.v4, input], ...after];
}

/** Returns the steps in topological order; undefined if they form a cycle. */
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

/** Returns a step in the router's form, or the reason why the router cannot take it. */
async function readHop(
  rpc: Rpc,
  router: Address | undefined,
  step: SwapStep,
): Promise<Hop | string> {
  const { pool, source, from, to } = step;
  const [sold, bought] = [from[0], to[0]];
  if (sold === undefined || bought === undefined || from.length > 1 || to.length > 1) {
    return `a step through ${JSON.stringify(source)} has more than two tokens`;
  }
  const family = /^uniswap[ _-]?v([234])$/i.exec(source)?.[1];
  if (family === undefined) return `the source ${JSON.stringify(source)} is not known here`;
  if (family === '4') return readLockedHop(rpc, router, step, sold, bought);
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

async function readLockedHop(
  rpc: Rpc,
  router: Address | undefined,
  step: SwapStep,
  from: TokenAmount,
  to: TokenAmount,
): Promise<LockedHop | string> {
  if (router === undefined) return 'pools of Uniswap V4 are found through the router: name it';
  const key = readPoolKey(step);
  if (typeof key === 'string') return key;
  const manager = await read<Address>(rpc, router, 'poolManager');
  if (manager === undefined || manager === zeroAddress) {
    return 'the router reaches no pools of Uniswap V4: it names no manager';
  }
  const id = poolIdOf(key);
  if (step.pool !== manager && step.pool !== id) {
    return `${JSON.stringify(step.pool)} is neither the router's manager nor the pool of its key`;
  }
  const state = await read<Hex>(rpc, manager, 'extsload', [stateSlotOf(id)]);
  if (state === undefined || BigInt(state) === 0n) return `the manager has no pool ${id}`;
  const [soldAs, boughtAs] = [currencyOf(key, from.token), currencyOf(key, to.token)];
  // A function of version 2.1; no function returns the version itself.
  const isPriced = (await read<Address>(rpc, router, 'SPOKE_POOL')) !== undefined;
  return { family: 'v4', key, isPriced, soldAs, boughtAs, from, to };
}

async function read<Result>(
  rpc: Rpc,
  to: string,
  functionName: (typeof POOL)[number]['name'],
  args: readonly unknown[] = [],
): Promise<Result | undefined> {
  const data = encodeFunctionData({ abi: POOL, functionName, args } as never);
  const returned = await undefinedIfRejected(rpc<Hex>('eth_call', [{ to, data }, 'latest']));
  if (returned?.length !== 66) return undefined;
  if (functionName === 'extsload') return returned as Result;
  return (functionName === 'fee' ? Number(returned) : `0x${returned.slice(26)}`) as Result;
}

const SWAP = {
  v2: parseAbiParameters('address, uint256, uint256, address[], bool'),
  v3: parseAbiParameters('address, uint256, uint256, bytes, bool'),
} as const;

function swapInput({ family, fee, from, to }: PathHop, amount: bigint, isPayerUser: boolean): Hex {
  if (family === 'v2') {
    const path = [from.token, to.token];
    return encodeAbiParameters(SWAP.v2, [ROUTER, amount, 0n, path, isPayerUser]);
  }
  const path = concatHex([from.token, toHex(fee, { size: 3 }), to.token]);
  return encodeAbiParameters(SWAP.v3, [ROUTER, amount, 0n, path, isPayerUser]);
}

function pay(to: Address, amount: bigint): Hex {
  return encodeAbiParameters(parseAbiParameters('address, uint256'), [to, amount]);
}

/** Parameters of `SWEEP` and `PERMIT2_TRANSFER_FROM`: a token, a recipient and an amount. */
function transfer(token: Address, to: Address, amount: bigint): Hex {
  return encodeAbiParameters(AMOUNT_TO, [token, to, amount]);
}
