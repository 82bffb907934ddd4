import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from '../../contract/schema.ts';
import type { Hex } from '../../model/scenario.ts';
import { createRpc, JsonRpcError, quantity, type Rpc } from './json-rpc.ts';
import { serveRpc } from './rpc-server.ts';

/** Limits of a strict node. Default: those of geth. */
export type StrictNodeOptions = {
  /** Gas of all calls of a simulation together. */
  readonly gasCap?: bigint;
  readonly maxCallsPerBlock?: number;
  readonly maxBlocks?: number;
  /** True if senders pay the base fee without the tip, as on Arbitrum. */
  readonly ignoresTips?: boolean;
  /** If it returns an error, the node returns that error instead of a result. */
  readonly errorOf?: (method: string, params: readonly unknown[]) => NodeFault | undefined;
};

type NodeFault = { readonly code?: number; readonly message: string };

const SECONDS_BETWEEN_FILLED_BLOCKS = 12;
const strict = { additionalProperties: false } as const;
const hex = Type.String({ pattern: '^0x[0-9a-f]*$' });
const quantityHex = Type.String({ pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' });
const word = Type.String({ pattern: '^0x[0-9a-f]{64}$' });
const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' });
const tag = Type.String({ pattern: '^(0x(0|[1-9a-f][0-9a-f]*)|latest|earliest)$' });

const TransactionSchema = Type.Partial(
  Type.Object(
    {
      ...{ from: address, to: address, input: hex, value: quantityHex, gas: quantityHex },
      ...{ maxFeePerGas: quantityHex, maxPriorityFeePerGas: quantityHex, nonce: quantityHex },
      // Every node also accepts this older name of `input`.
      data: hex,
    },
    strict,
  ),
);
const BlockSchema = Type.Partial(
  Type.Object(
    {
      ...{ number: quantityHex, time: quantityHex, gasLimit: quantityHex },
      ...{ feeRecipient: address, prevRandao: word, baseFeePerGas: quantityHex },
    },
    strict,
  ),
);
const StateSchema = Type.Record(
  address,
  Type.Partial(
    Type.Object(
      { balance: quantityHex, nonce: quantityHex, code: hex, stateDiff: Type.Record(word, word) },
      strict,
    ),
  ),
);
const SimulationSchema = Type.Object(
  {
    blockStateCalls: Type.Array(
      Type.Object(
        {
          blockOverrides: Type.Optional(BlockSchema),
          stateOverrides: Type.Optional(StateSchema),
          calls: Type.Optional(Type.Array(TransactionSchema)),
        },
        strict,
      ),
    ),
    validation: Type.Optional(Type.Boolean()),
    traceTransfers: Type.Optional(Type.Boolean()),
  },
  strict,
);
const tuple = (...schemas: readonly object[]) => ({
  ...{ type: 'array', prefixItems: schemas, items: false, minItems: 1, maxItems: schemas.length },
});

/** Parameters of methods in the execution API. */
const PARAMS: Readonly<Record<string, object>> = {
  eth_blockNumber: { type: 'array', maxItems: 0 },
  eth_call: tuple(TransactionSchema, tag, StateSchema, BlockSchema),
  eth_chainId: { type: 'array', maxItems: 0 },
  eth_createAccessList: tuple(TransactionSchema, tag),
  eth_estimateGas: tuple(TransactionSchema, tag),
  eth_getBalance: tuple(address, tag),
  eth_getBlockByNumber: tuple(tag, Type.Boolean()),
  eth_getCode: tuple(address, tag),
  eth_getStorageAt: tuple(address, hex, tag),
  eth_getTransactionCount: tuple(address, tag),
  eth_simulateV1: tuple(SimulationSchema, tag),
};

const ajv = new Ajv2020({ strictTuples: false });
const validators = new Map(
  Object.entries(PARAMS).map(([method, schema]) => [method, ajv.compile(schema)]),
);

type Call = { gas: Hex; maxPriorityFeePerGas: Hex };
type Block = { blockOverrides: { number: Hex; time: Hex }; calls: Call[] };
type Simulated = {
  readonly calls: readonly { gasUsed: Hex; status: Hex; returnData: string; error?: object }[];
};

/**
 * Starts a node that is as strict as geth, Besu and providers together, in front of an Anvil. It
 * rejects every key that the execution API does not specify, fills gaps between block numbers,
 * returns revert data only in the error, and limits gas, calls and blocks of simulations.
 */
export async function startStrictNode(anvilUrl: string, options: StrictNodeOptions = {}) {
  const anvil = createRpc(anvilUrl);
  const calls: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  const rpc: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    calls.push({ method, params });
    const error = options.errorOf?.(method, params) ?? findParamFault(method, params);
    if (error !== undefined) throw new JsonRpcError(method, error);
    if (method === 'debug_traceCall') return anvil<Result>(method, withKnownFields(params));
    if (method !== 'eth_simulateV1') return anvil<Result>(method, params);
    return (await simulateStrictly(anvil, params, options)) as Result;
  };
  const describe = (error: unknown) => (error as Error).message.replace(/^\w+: /, '');
  return { ...(await serveRpc(rpc, { describe })), calls };
}

function findParamFault(method: string, params: readonly unknown[]): NodeFault | undefined {
  if (method === 'debug_traceCall') return undefined;
  const validate = validators.get(method);
  if (validate === undefined) {
    return { code: -32_601, message: `the method ${method} does not exist` };
  }
  if (validate(params)) return undefined;
  const [fault] = validate.errors ?? [];
  const key = JSON.stringify(fault?.params ?? {});
  return {
    code: -32_602,
    message: `invalid argument: ${fault?.instancePath} ${fault?.message} ${key}`,
  };
}

/** As geth does, ignores block fields of other names. */
function withKnownFields([transaction, block, options]: readonly unknown[]): readonly unknown[] {
  const { blockOverrides = {}, ...rest } = options as { blockOverrides?: object };
  const known = Object.entries(blockOverrides).filter(([name]) => name in BlockSchema.properties);
  return [transaction, block, { ...rest, blockOverrides: Object.fromEntries(known) }];
}

async function simulateStrictly(
  anvil: Rpc,
  params: readonly unknown[],
  {
    gasCap = 50_000_000n,
    maxCallsPerBlock = 1_000,
    maxBlocks = 256,
    ignoresTips = false,
  }: StrictNodeOptions,
): Promise<readonly Simulated[]> {
  const [{ blockStateCalls, ...rest }, tag] = params as [{ blockStateCalls: Block[] }, Hex];
  const fail = (code: number, message: string): never => {
    throw new JsonRpcError('eth_simulateV1', { code, message });
  };
  const parent = await anvil<{ number: Hex; timestamp: Hex }>('eth_getBlockByNumber', [tag, false]);
  const blocks = withFilledGaps(structuredClone(blockStateCalls), parent, fail);
  if (blocks.length > maxBlocks) fail(-38_026, 'too many blocks');
  if (blocks.some(({ calls }) => calls.length > maxCallsPerBlock)) {
    fail(-32_602, `at most ${maxCallsPerBlock} calls are allowed in a block`);
  }
  if (ignoresTips) {
    for (const call of blocks.flatMap(({ calls }) => calls)) call.maxPriorityFeePerGas = '0x0';
  }
  const run = () =>
    anvil<readonly Simulated[]>('eth_simulateV1', [{ blockStateCalls: blocks, ...rest }, tag]);
  let simulated = await run();
  let lowered = lowerGas(blocks, simulated, gasCap);
  while (lowered) {
    simulated = await run();
    lowered = lowerGas(blocks, simulated, gasCap);
  }
  return simulated.map((block) => ({ calls: block.calls.map(withDataInError) }));
}

function withFilledGaps(
  blocks: readonly Block[],
  parent: { readonly number: Hex; readonly timestamp: Hex },
  fail: (code: number, message: string) => never,
): readonly Block[] {
  const filled: Block[] = [];
  let [number, time] = [Number(parent.number), Number(parent.timestamp)];
  for (const { blockOverrides = {} as Block['blockOverrides'], calls = [], ...rest } of blocks) {
    const wanted = Number(blockOverrides.number ?? number + 1);
    if (wanted <= number) fail(-38_020, 'block numbers must be in order');
    for (number += 1; number < wanted; number += 1) {
      time += SECONDS_BETWEEN_FILLED_BLOCKS;
      filled.push({
        blockOverrides: { number: quantity(number), time: quantity(time) },
        calls: [],
      });
    }
    const at = Number(blockOverrides.time ?? time + SECONDS_BETWEEN_FILLED_BLOCKS);
    if (at <= time) fail(-38_021, 'block timestamps must be in order');
    time = at;
    const fields = { ...blockOverrides, number: quantity(number), time: quantity(time) };
    filled.push({ ...rest, blockOverrides: fields, calls });
  }
  return filled;
}

/** Lowers the gas of the first call that exceeds what remains of the cap. */
function lowerGas(blocks: readonly Block[], simulated: readonly Simulated[], cap: bigint): boolean {
  let left = cap;
  for (const [at, { calls }] of blocks.entries()) {
    for (const [index, call] of calls.entries()) {
      if (BigInt(call.gas) > left) {
        call.gas = quantity(left);
        return true;
      }
      left -= BigInt(simulated[at]?.calls[index]?.gasUsed ?? 0);
    }
  }
  return false;
}

function withDataInError(call: Simulated['calls'][number]) {
  if (call.status === '0x1' || call.returnData === '0x') return call;
  const error = { code: 3, message: 'execution reverted', data: call.returnData };
  return { ...call, returnData: '0x', error };
}
