import { createRequire } from 'node:module';
import { balanceOf } from '../../../conformance/execution/funding.ts';
import { JsonRpcError, quantity, type Rpc } from '../../../conformance/execution/json-rpc.ts';
import { mine, mineAll } from '../../../conformance/execution/send.ts';
import type { Session } from '../../../conformance/model/session.ts';
import type { Address } from '../../../conformance/model/trade-request.ts';

type Market = {
  readonly pools: readonly {
    readonly family: string;
    readonly address: Address;
    readonly token0: Address;
    readonly token1: Address;
  }[];
};

const require = createRequire(import.meta.url);
const BLOCK_S = 12;
const REQUESTS_PER_BLOCK = 16;
const TRADER: Address = '0x00000000000000000000000000000000000000aa';
/** Selector of `sync()`. */
const SYNC = '0xfff6cae9';

/**
 * Returns a service whose chain advances while it responds, and a clock with which
 * a fork requests the new block at most once in two seconds.
 */
export function whileMoving<Service extends Pick<Session, 'get'>>(
  service: Service,
  move: () => Promise<void>,
): { readonly service: Service; readonly clock: () => number } {
  let requests = 0;
  let moved = Promise.resolve();
  const get: Session['get'] = async (target) => {
    requests += 1;
    if (requests % REQUESTS_PER_BLOCK === 0) moved = moved.then(move);
    await moved;
    return service.get(target);
  };
  return { service: { ...service, get }, clock: () => Date.now() + requests * 1_000 };
}

/** Mines a block 12 s after the last. */
export async function mineNextBlock(rpc: Rpc): Promise<void> {
  await rpc('evm_increaseTime', [BLOCK_S]);
  await mine(rpc);
}

/** Raises a pair's balance of a token by a thousandth, and returns whether that worked: balances in shares cannot be set. */
async function payInto(rpc: Rpc, pair: Address, token: Address): Promise<boolean> {
  const held = (await balanceOf(rpc, token, pair)) ?? 0n;
  const amount = (held * 1_001n) / 1_000n;
  try {
    await rpc('anvil_dealERC20', [pair, token, quantity(amount)]);
    return (await balanceOf(rpc, token, pair)) === amount;
  } catch (error) {
    if (error instanceof JsonRpcError) return false;
    throw error;
  }
}

/** Moves the price of every pair of a fixture chain by a thousandth, alternately up and down. */
export async function tradeOnPairs(rpc: Rpc, chainId: number): Promise<void> {
  const { pools } = require(`#fixtures/markets/${chainId}.json`) as Market;
  const pairs = pools.filter(({ family }) => family === 'constant-product');
  for (const [index, { address, token0, token1 }] of pairs.entries()) {
    const [first, second] = index % 2 === 0 ? [token0, token1] : [token1, token0];
    const paid = (await payInto(rpc, address, first)) || (await payInto(rpc, address, second));
    if (!paid) throw new Error(`could not raise a balance of ${address}`);
  }
  await rpc('anvil_impersonateAccount', [TRADER]);
  await mineAll(
    rpc,
    TRADER,
    pairs.map(({ address }) => ({ to: address, value: 0n, data: SYNC })),
  );
  await rpc('anvil_stopImpersonatingAccount', [TRADER]);
}
