import type { Hex } from 'viem';
import type { UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { bytecodeOf } from './bytecode.ts';
import { JsonRpcError, quantity, type Rpc } from './json-rpc.ts';
import { unlessLost } from './node-losses.ts';
import { encodeReplay, readEarlierFailure, readOutcome } from './replayer-abi.ts';

/** A trade to repeat in an `eth_call`. */
export type ReplayRequest = {
  readonly user: Address;
  /** Made first, and must succeed; their effects are not measured. */
  readonly earlier?: readonly UserCall[];
  readonly trade: UserCall;
  /** Tokens to measure; `NATIVE_TOKEN` is native. */
  readonly tokens: readonly Address[];
  /** Accounts to measure. */
  readonly holders: readonly Address[];
  /** Unix time in seconds of the block it happens in; default that of the latest block. */
  readonly timestamp?: number;
  /** Code that stands in for that of other accounts. */
  readonly code?: Readonly<Record<Address, Hex>> | undefined;
};

/** What came of a repeated trade. */
export type Replay =
  | {
      readonly kind: 'replayed';
      readonly success: boolean;
      /** What the trade returned, or reverted with. */
      readonly returned: Hex;
      /** Gas of the trade alone, without the transaction around it. */
      readonly gasUsed: bigint;
      /** How a balance changed, in base units; undefined where it cannot be read. */
      readonly change: (token: Address, holder: Address) => bigint | undefined;
    }
  | {
      /** An earlier call failed: the trade was not made. */
      readonly kind: 'not-reached';
      readonly index: number;
      readonly returned: Hex;
    };

const UNREADABLE = (1n << 256n) - 1n;

const REPLAYER_CODE = bytecodeOf('replayer');

/** Gas of one call: far more than any trade needs, so that only its limit can bind it. */
const CALL_GAS = quantity(1_900_000_000);

/**
 * Repeats a trade on the latest block, in one call that keeps nothing: the
 * replayer's code stands in for the user's, so that the user is the sender.
 * The user must hold what it sells.
 */
export async function replay(rpc: Rpc, request: ReplayRequest): Promise<Replay> {
  const { user, earlier = [], trade, tokens, holders, timestamp, code = {} } = request;
  const data = encodeReplay(earlier, trade, tokens, holders);
  const call = { from: user, to: user, data, gas: CALL_GAS };
  const codes = Object.entries({ ...code, [user]: REPLAYER_CODE });
  const override = Object.fromEntries(codes.map(([account, each]) => [account, { code: each }]));
  const block = timestamp === undefined ? [] : [{ time: quantity(timestamp) }];
  try {
    const returned = await rpc<Hex>('eth_call', [call, 'latest', override, ...block]);
    return readReplay(returned, tokens, holders);
  } catch (error) {
    const failed = earlierFailure(error) ?? exhaustion(error);
    if (failed === undefined) throw error;
    return failed;
  }
}

/** A trade that leaves no gas to tell of it, as one that returns more than memory holds, has failed. */
function exhaustion(error: unknown): Replay | undefined {
  if (!(error instanceof JsonRpcError) || !/EVM error/.test(error.message)) return undefined;
  const gasUsed = BigInt(CALL_GAS);
  return { kind: 'replayed', success: false, returned: '0x', gasUsed, change: () => undefined };
}

/**
 * Repeats many trades, so many at once; results stand in the order of the
 * requests, undefined where there is none, or the node did not give what a trade reads.
 */
export async function replayAll(
  rpc: Rpc,
  requests: readonly (ReplayRequest | undefined)[],
  concurrency = 16,
): Promise<readonly (Replay | undefined)[]> {
  const results: (Replay | undefined)[] = new Array(requests.length);
  const queue = requests.entries();
  const work = async (): Promise<void> => {
    for (const [index, request] of queue) {
      results[index] = request && (await unlessLost(() => replay(rpc, request)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, requests.length) }, work));
  return results;
}

function readReplay(data: Hex, tokens: readonly Address[], holders: readonly Address[]): Replay {
  const { success, gasUsed, returned, held } = readOutcome(data);
  const count = tokens.length * holders.length;
  const change = (token: Address, holder: Address): bigint | undefined => {
    const [row, column] = [indexOf(tokens, token), indexOf(holders, holder)];
    if (row < 0 || column < 0) throw new NotMeasuredError(token, holder);
    const at = row * holders.length + column;
    const [before, after] = [held(at), held(at + count)];
    return before === UNREADABLE || after === UNREADABLE ? undefined : after - before;
  };
  return { kind: 'replayed', success, gasUsed, returned, change };
}

function indexOf(addresses: readonly Address[], wanted: Address): number {
  const key = wanted.toLowerCase();
  return addresses.findIndex((address) => address.toLowerCase() === key);
}

function earlierFailure(error: unknown): Replay | undefined {
  if (!(error instanceof JsonRpcError) || typeof error.data !== 'string') return undefined;
  const failure = readEarlierFailure(error.data);
  return failure && { kind: 'not-reached', ...failure };
}

/** Thrown for a balance that was not asked for. */
export class NotMeasuredError extends Error {
  override readonly name = 'NotMeasuredError';

  constructor(token: Address, holder: Address) {
    super(`the balance of ${holder} in ${token} was not measured`);
  }
}
