import {
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  prepareEncodeFunctionData,
} from 'viem';
import type { Call } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { quantity, undefinedIfRejected } from '../node/json-rpc.ts';
import type { PoolTrade } from './pool-trader.ts';
import type { Provision } from './provision.ts';
import { gasOfEach, type StateSource, stateOf, transactionOf } from './simulate.ts';

const ABI = parseAbi([
  'struct Swap { address pool; address from; address to; uint256 amount; bool takesRest; }',
  'struct Plan { Swap[] swaps; uint256 millionths; address router; uint256 value; bytes data; address sold; address bought; address payee; uint256 maxSold; }',
  'struct Search { uint256 first; uint256 last; uint256 nearness; bool rises; uint256[] limits; }',
  'struct Market { uint256 moved; uint256 yielded; }',
  'function marketsAround(Swap[] moving, Plan plan, Search search) returns (Market[])',
]);
const MARKETS_AROUND = prepareEncodeFunctionData({ abi: ABI });

/** A trade whose yield is measured: swaps of the trader, or calldata for a router. */
export type MeasuredTrade =
  | { readonly trade: PoolTrade; readonly millionths: bigint }
  | {
      readonly call: Call;
      readonly sold: Address;
      readonly bought: Address;
      readonly payee: Address;
      /**
       * If not 0, the yield is scaled to a sale of this number of base units of `sold`, at the
       * price of the call.
       */
      readonly maxSold: bigint;
    };

/**
 * Market moves to try: first growing moves, until one passes all limits; then moves around each
 * limit.
 */
export type MarketSearch = {
  /** Range of moves. The unit is a millionth of the moving trade, or one repetition. */
  readonly first: bigint;
  readonly last: bigint;
  /**
   * The search at a limit ends once the moves on both sides of the limit differ by less than this
   * many millionths.
   */
  readonly nearness: bigint;
  /** True if moves increase the yield of the measured trade. */
  readonly rises: boolean;
  /** Yields around which markets are searched. */
  readonly limits: readonly bigint[];
};

/** A market after a move, and the yield of a trade there. The current market has the move 0. */
export type FoundMarket = { readonly move: bigint; readonly received: bigint };

/**
 * Searches for markets around the given limits, in one request that changes nothing. Returns the
 * markets in which the measured trade settles, ordered by their moves. If there is no moving trade,
 * repeats the measured trade. `provision` must give the trader's code to `account`, which makes
 * both.
 */
export async function searchMarkets(
  source: StateSource,
  {
    account,
    provision,
    moving,
    measured,
    search,
  }: {
    readonly account: Address;
    readonly provision: Provision;
    readonly moving?: PoolTrade | undefined;
    readonly measured: MeasuredTrade;
    readonly search: MarketSearch;
  },
): Promise<readonly FoundMarket[]> {
  const args = [moving?.swaps ?? [], encodedMeasured(measured, account), search] as const;
  const data = encodeFunctionData({ ...MARKETS_AROUND, args });
  const call = { from: account, to: account, value: 0n, data };
  const { overrides, before } = provision;
  const count = before.length + 1;
  // Nodes do not apply EIP-7825 to calls without validation.
  const gas = gasOfEach(source, count, source.maxBlockGas);
  const calls = [...before, call].map((each) => transactionOf(each, gas));
  const gasLimit = quantity(gas * BigInt(count));
  const blockOverrides = { gasLimit, baseFeePerGas: '0x0' };
  const blockStateCalls = [{ blockOverrides, stateOverrides: stateOf(overrides), calls }];
  const blocks = await undefinedIfRejected(
    source.rpc<
      readonly { readonly calls: readonly { readonly status: Hex; readonly returnData: Hex }[] }[]
    >('eth_simulateV1', [{ blockStateCalls }, 'latest']),
  );
  const done = blocks?.[0]?.calls.at(-1);
  if (done?.status !== '0x1') return [];
  const markets = decodeFunctionResult({ abi: ABI, data: done.returnData });
  return markets
    .map(({ moved, yielded }) => ({ move: moved, received: yielded }))
    .filter(({ received }) => received > 0n)
    .sort((one, other) => (one.move < other.move ? -1 : 1));
}

function encodedMeasured(measured: MeasuredTrade, account: Address) {
  if ('trade' in measured) {
    const { trade, millionths } = measured;
    const none = { router: NATIVE_TOKEN, value: 0n, data: NO_DATA, sold: NATIVE_TOKEN };
    const { swaps, bought } = trade;
    return { ...none, swaps, millionths, bought, payee: account, maxSold: 0n };
  }
  const { call, sold, bought, payee, maxSold } = measured;
  const { to: router, value, data } = call;
  return { swaps: [], millionths: 0n, router, value, data, sold, bought, payee, maxSold };
}

const NO_DATA: Hex = '0x';
