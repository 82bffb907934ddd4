import { NATIVE_TOKEN, type UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import type { Transfer } from '../rule-kit/transfers.ts';
import { transfersIn } from './call-trace.ts';
import { BLOCK_GAS_LIMIT } from './fork.ts';
import { balanceOf } from './funding.ts';
import { quantity, type Rpc } from './json-rpc.ts';
import { type MinedCall, mineAll, mineCall } from './send.ts';

/** A trade that is made on a fork, with what its maker calls before. */
export type TradeOnFork = {
  readonly user: Address;
  readonly earlier: readonly UserCall[];
  readonly trade: UserCall;
  readonly gas: bigint;
  /** Unix time in seconds of its block: a second after the block before at the soonest. */
  readonly timestamp: number;
  readonly tokens: readonly Address[];
  readonly holders: readonly Address[];
};

/** What came of it. */
export type Made = MinedCall & {
  /** Those of the earlier calls that failed. */
  readonly failedEarlier: readonly UserCall[];
  readonly timestamp: number;
  /** How each balance changed; what cannot be read is absent. */
  readonly changes: readonly {
    readonly account: Address;
    readonly token: Address;
    readonly amount: bigint;
  }[];
  readonly transfers: readonly Transfer[];
};

/** Makes a trade in a block of its own, and tells all that it did. Undo it by `isolated`. */
export async function makeTrade(rpc: Rpc, trade: TradeOnFork): Promise<Made> {
  const { user, earlier, gas, tokens, holders } = trade;
  // What undoes something or copies the chain anew takes the limit of the chain's own blocks.
  await rpc('evm_setBlockGasLimit', [quantity(BLOCK_GAS_LIMIT)]);
  const failedEarlier =
    earlier.length === 0 ? [] : await mineAll(rpc, user, earlier, gas / BigInt(earlier.length));
  const latest = await rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
  const timestamp = Math.max(trade.timestamp, Number(latest.timestamp) + 1);
  const before = await measure(rpc, tokens, holders);
  const made = await mineCall(rpc, user, trade.trade, { gasLimit: gas, timestamp });
  const after = await measure(rpc, tokens, holders);
  const changes = before.flatMap(({ account, token, held }, index) => {
    const now = after[index]?.held;
    return held === undefined || now === undefined ? [] : [{ account, token, amount: now - held }];
  });
  const transfers = made.calls ? transfersIn(made.calls) : [];
  return { ...made, failedEarlier, timestamp, changes, transfers };
}

async function measure(rpc: Rpc, tokens: readonly Address[], holders: readonly Address[]) {
  const wanted = holders.flatMap((account) => tokens.map((token) => ({ account, token })));
  return Promise.all(
    wanted.map(async ({ account, token }) => ({
      account,
      token,
      held:
        token === NATIVE_TOKEN
          ? BigInt(await rpc<string>('eth_getBalance', [account, 'latest']))
          : await balanceOf(rpc, token, account),
    })),
  );
}
