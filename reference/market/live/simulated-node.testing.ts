import {
  type Abi,
  decodeDeployData,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  parseAbi,
  toHex,
} from 'viem';
import { sqrtRatioAtTick } from '../../planner/pools/tick-math.ts';
import { CALL_RESULTS, READ_CALLS } from './node-client.ts';
import {
  CHAIN_ID,
  FEE_PIPS,
  filterOf,
  GAS_PRICE_WEI,
  liquidityOf,
  type SimulatedBlock,
  type SimulatedChain,
  TICK_SPACING,
  TOKENS,
} from './simulated-chain.testing.ts';

/** One part of a batch of JSON-RPC. */
export type Part = {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
};

/** What a part is answered with. */
export type PartReply = { readonly id: number; readonly jsonrpc: '2.0' } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
);

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
  'function tickBitmap(int16) view returns (uint256)',
  'function ticks(int24) view returns (uint128, int128)',
]);

/** Returns the parts that a request asks for. */
export function partsOf(init: RequestInit | undefined): readonly Part[] {
  return JSON.parse(String(init?.body));
}

/** Returns a `fetch` that answers each part of a batch as told. */
export function fetchOf(answer: (part: Part) => PartReply): typeof fetch {
  return async (_input, init) => new Response(JSON.stringify(partsOf(init).map(answer)));
}

/** Returns what a node of the chain answers whose head is this; blocks after it are unknown to it. */
export function answerAt(
  chain: SimulatedChain,
  { id, method, params }: Part,
  head: SimulatedBlock = chain.head,
): PartReply {
  const known = (hash: unknown) => {
    const block = chain.blocks.get(hash as Hex);
    return block !== undefined && block.number <= head.number ? block : undefined;
  };
  const reply = (result: unknown): PartReply => ({ jsonrpc: '2.0', id, result });
  const unknownBlock: PartReply = {
    jsonrpc: '2.0',
    id,
    error: { code: -32000, message: 'unknown block' },
  };
  switch (method) {
    case 'eth_chainId':
      return reply(toHex(CHAIN_ID));
    case 'eth_gasPrice':
      return reply(toHex(GAS_PRICE_WEI));
    case 'eth_getBlockByNumber':
      return reply(headerOf(head));
    case 'eth_getBlockByHash': {
      const block = known(params[0]);
      return reply(block === undefined ? null : headerOf(block));
    }
    case 'eth_getLogs': {
      const block = known((params[0] as { blockHash?: Hex }).blockHash);
      return block === undefined ? unknownBlock : reply(logsOf(block));
    }
    case 'eth_call': {
      const [{ data }, { blockHash }] = params as [{ data: Hex }, { blockHash: Hex }];
      const block = known(blockHash);
      return block === undefined ? unknownBlock : reply(callAt(block, data));
    }
    default:
      return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } };
  }
}

function headerOf(block: SimulatedBlock) {
  const { hash, parentHash } = block;
  return {
    ...{ hash, parentHash },
    number: toHex(block.number),
    timestamp: toHex(block.timestamp),
    logsBloom: toHex(filterOf(block), { size: 256 }),
    transactions: block.logs.map((_, i) => toHex(i, { size: 32 })),
  };
}

/** Returns the logs of a block as a node tells them. */
export function logsOf(block: SimulatedBlock) {
  return block.logs.map((log, i) => ({
    ...log,
    ...{ data: '0x', blockHash: block.hash, blockNumber: toHex(block.number) },
    logIndex: toHex(i),
    transactionIndex: toHex(i),
    transactionHash: toHex(i, { size: 32 }),
    removed: false,
  }));
}

/** Runs `ReadCalls`, which is all that is ever called. */
function callAt(block: SimulatedBlock, data: Hex): Hex {
  const { args } = decodeDeployData({ ...READ_CALLS, data });
  const [calls] = args as unknown as [readonly { readonly target: Hex; readonly data: Hex }[]];
  const results = calls.map((call) => {
    const { functionName, args: its = [] } = decodeFunctionData({ abi: ABI, data: call.data });
    const result = resultAt(block, call.target.toLowerCase() as Hex, functionName, Number(its[0]));
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

/** Returns what a function of a token or a pool returns; undefined where it reverts. */
function resultAt(block: SimulatedBlock, target: Hex, name: string, argument: number): unknown {
  if (TOKENS.some((token) => token === target)) {
    return { name: 'Token', symbol: 'TKN', decimals: 18 }[name];
  }
  const pool = block.pools.get(target);
  if (pool === undefined) return undefined;
  if (name === 'token0') return TOKENS[0];
  if (name === 'token1') return TOKENS[1];
  if (pool.family === 'constant-product') {
    return name === 'getReserves' ? [pool.reserve0, pool.reserve1, block.timestamp] : undefined;
  }
  switch (name) {
    case 'fee':
      return FEE_PIPS;
    case 'tickSpacing':
      return TICK_SPACING;
    case 'slot0':
      return [sqrtRatioAtTick(pool.tick), pool.tick];
    case 'liquidity':
      return liquidityOf(pool);
    case 'tickBitmap': {
      const bits = [...pool.ticks.keys()].map((tick) => tick / TICK_SPACING - argument * 256);
      return bits
        .filter((bit) => bit >= 0 && bit < 256)
        .reduce((word, bit) => word | (1n << BigInt(bit)), 0n);
    }
    case 'ticks': {
      const { gross, net } = pool.ticks.get(argument) ?? { gross: 0n, net: 0n };
      return [gross, net];
    }
    default:
      return undefined;
  }
}
