import {
  type Abi,
  concatHex,
  decodeDeployData,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  encodePacked,
  type Hex,
  keccak256,
  parseAbi,
  toHex,
} from 'viem';
import { parseAddress } from '../../planner/domain/address.ts';
import { CALL_RESULTS, READ_CALLS } from './node-client.ts';
import { READ_TICKS, TICKS_RESULT } from './read-ticks.ts';
import {
  CHAIN_ID,
  GAS_PRICE_WEI,
  type SimulatedBlock,
  type SimulatedChain,
  TICK_SPACING,
  TOKENS,
} from './simulated-chain.testing.ts';

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };

export type RpcReply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message?: string } };

const ABI: Abi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function fee() view returns (uint24)',
  'function tickSpacing() view returns (int24)',
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function slot0() view returns (uint160, int24)',
  'function liquidity() view returns (uint128)',
]);

/** Returns a `fetch` that responds to each call with the result of `respond`. */
export function fetchOf(respond: (call: RpcCall) => RpcReply): typeof fetch {
  return async (_input, init) => responseOf(respond(callOf(init)));
}

export function callOf(init: RequestInit | undefined): RpcCall {
  return JSON.parse(String(init?.body));
}

export function responseOf(reply: RpcReply): Response {
  return new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, ...reply }));
}

/** Returns the reply of a node whose latest block is `head`. */
export function replyAt(
  chain: SimulatedChain,
  { method, params }: RpcCall,
  head: SimulatedBlock = chain.head,
): RpcReply {
  switch (method) {
    case 'eth_chainId':
      return { result: toHex(CHAIN_ID) };
    case 'eth_gasPrice':
      return { result: toHex(GAS_PRICE_WEI) };
    case 'eth_getBlockByNumber': {
      const block = params[0] === 'latest' ? head : blockAt(chain, head, Number(params[0]));
      return { result: block === undefined ? null : headerOf(block) };
    }
    case 'eth_call': {
      const [{ data }, at] = params as [{ data: Hex }, { blockHash: Hex } | Hex];
      const block =
        typeof at === 'string' ? blockAt(chain, head, Number(at)) : chain.blocks.get(at.blockHash);
      return block === undefined || block.number > head.number
        ? { error: { code: -32000, message: 'unknown block' } }
        : { result: callAt(block, data) };
    }
    default:
      return { error: { code: -32601, message: 'no such method' } };
  }
}

function blockAt(
  chain: SimulatedChain,
  head: SimulatedBlock,
  number: number,
): SimulatedBlock | undefined {
  return number > head.number ? undefined : chain.before(head, head.number - number);
}

function headerOf({ hash, parentHash, number, timestamp }: SimulatedBlock) {
  return { hash, parentHash, number: toHex(number), timestamp: toHex(timestamp) };
}

/** Executes `ReadCalls` or `ReadTicks`. No other code is ever sent. */
function callAt(block: SimulatedBlock, data: Hex): Hex {
  return data.startsWith(READ_TICKS.bytecode) ? ticksAt(block, data) : callsAt(block, data);
}

function ticksAt(block: SimulatedBlock, data: Hex): Hex {
  const { args } = decodeDeployData({ ...READ_TICKS, data });
  const [{ target }, firstWord, endWord, knownHash] = args as unknown as readonly [
    { readonly target: Hex },
    bigint,
    bigint,
    Hex,
  ];
  const pool = poolAt(block, target);
  const inRange = (pool?.family === 'concentrated' ? pool.ticks : [])
    .map((tick) => ({ ...tick, word: Math.floor(tick.index / TICK_SPACING / 256) }))
    .filter(({ word }) => word >= firstWord && word < endWord);
  const [first] = inRange;
  const end = first === undefined ? endWord : BigInt(first.word + 1);
  const packed = concatHex(
    inRange
      .filter(({ word }) => word < end)
      .map(({ index, liquidityNet, liquidityGross }) =>
        encodePacked(['int24', 'int128', 'uint128'], [index, liquidityNet, liquidityGross]),
      ),
  );
  const isKnown = keccak256(packed) === knownHash;
  const seen = [BigInt(block.number), BigInt(block.timestamp)] as const;
  return encodeAbiParameters(TICKS_RESULT, [...seen, isKnown, end, isKnown ? '0x' : packed]);
}

function callsAt(block: SimulatedBlock, data: Hex): Hex {
  const { args } = decodeDeployData({ ...READ_CALLS, data });
  const [calls] = args as unknown as [readonly { readonly target: Hex; readonly data: Hex }[]];
  const results = calls.map((call) => {
    const { functionName } = decodeFunctionData({ abi: ABI, data: call.data });
    const result = viewsAt(block, call.target)[functionName];
    if (result === undefined) return { success: false, data: '0x' as const };
    const encoded = encodeFunctionResult({ abi: ABI, functionName, result } as never);
    return { success: true, data: encoded };
  });
  return encodeAbiParameters(CALL_RESULTS, [
    BigInt(block.number),
    BigInt(block.timestamp),
    results,
  ]);
}

function viewsAt(block: SimulatedBlock, target: Hex): Readonly<Record<string, unknown>> {
  const token = TOKENS.get(parseAddress(target));
  if (token !== undefined) return token;
  const pool = poolAt(block, target);
  if (pool === undefined) return {};
  const { token0, token1 } = pool;
  if (pool.family === 'constant-product') {
    return { token0, token1, getReserves: [pool.reserve0, pool.reserve1, block.timestamp] };
  }
  const { feePips: fee, tickSpacing, liquidity, sqrtPriceX96, tick } = pool;
  return { token0, token1, fee, tickSpacing, liquidity, slot0: [sqrtPriceX96, tick] };
}

function poolAt({ pools }: SimulatedBlock, target: Hex) {
  return pools.find(({ address }) => address === target.toLowerCase());
}
