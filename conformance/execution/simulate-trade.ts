import type { Log } from '../model/scenario.ts';
import type { UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { BALANCE_READER, balancesCall, changesBetween, decodeBalances } from './balances.ts';
import { COINBASE, type Fork } from './fork.ts';
import { quantity, undefinedIfRejected } from './json-rpc.ts';
import { gasOf, type Made, OWN_GAS, type TradeOnFork, withoutGas } from './make-trade.ts';
import { describeRevert, identifyRevert } from './revert.ts';
import { gasPriceAt } from './send.ts';

type Hex = `0x${string}`;

type SimulatedCall = {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly returnData: Hex;
  readonly logs: readonly Log[];
};

/**
 * Makes a trade in a simulated block like the one that `makeTrade` mines, and changes nothing: one
 * request instead of a dozen, and many trades at once. Returns undefined if the node cannot
 * simulate it.
 */
export async function simulateTrade(
  { rpc, block }: Pick<Fork, 'rpc' | 'block'>,
  trade: TradeOnFork & { readonly code?: Readonly<Record<Address, Hex>> | undefined },
): Promise<Made | undefined> {
  const { user, earlier = [], tokens, holders, timestamp } = trade;
  const readCall = balancesCall(tokens, holders);
  const price = gasPriceAt(block.baseFeePerGas);
  const code = Object.entries(trade.code ?? {}).map(([account, each]) => [account, { code: each }]);
  const own = { baseFeePerGas: '0x0', gasLimit: quantity(OWN_GAS * BigInt(earlier.length + 1)) };
  const blockStateCalls = [
    {
      blockOverrides: own,
      stateOverrides: { ...Object.fromEntries(code), ...BALANCE_READER },
      calls: [...earlier.map((call) => callBy(user, call, OWN_GAS, 0n)), readCall],
    },
    {
      blockOverrides: {
        time: quantity(timestamp),
        baseFeePerGas: quantity(block.baseFeePerGas),
        gasLimit: quantity(block.gasLimit),
        feeRecipient: COINBASE,
        // Otherwise zero, by which a contract would recognize a simulation.
        prevRandao: block.hash,
      },
      calls: [callBy(user, trade.trade, gasOf(trade, block), price)],
    },
    { blockOverrides: own, calls: [readCall] },
  ];
  const blocks = await undefinedIfRejected(
    rpc<readonly { readonly calls: readonly SimulatedCall[] }[]>('eth_simulateV1', [
      { blockStateCalls, validation: true },
      'latest',
    ]),
  );
  const [first, second, third] = blocks ?? [];
  const [before, made, after] = [first?.calls.at(-1), second?.calls[0], third?.calls[0]];
  if (before === undefined || made === undefined || after === undefined) return undefined;
  const [held, now] = [before, after].map(({ returnData }) =>
    decodeBalances(tokens, holders, returnData),
  ) as [ReturnType<typeof decodeBalances>, ReturnType<typeof decodeBalances>];
  const gasUsed = BigInt(made.gasUsed);
  const success = made.status === '0x1';
  const failure = success
    ? undefined
    : { reason: describeRevert(made.returnData), error: identifyRevert(made.returnData) };
  const gasCost = gasUsed * price;
  return {
    mined: { kind: 'mined', success, gasUsed, logs: made.logs, ...failure },
    gasCost,
    timestamp,
    failedEarlier: earlier.filter((_, index) => first?.calls[index]?.status !== '0x1'),
    change: withoutGas(changesBetween(held, now), trade, gasCost),
  };
}

function callBy(from: Address, { to, data, value }: UserCall, gas: bigint, gasPrice: bigint) {
  return {
    from,
    to,
    data,
    value: quantity(value),
    gas: quantity(gas),
    gasPrice: quantity(gasPrice),
  };
}
