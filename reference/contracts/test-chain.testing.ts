import { createRequire } from 'node:module';
import {
  type Abi,
  decodeErrorResult,
  erc20Abi,
  type Hex,
  maxUint256,
  type PublicClient,
  toHex,
  type Address as ViemAddress,
} from 'viem';
import { fundToken } from '../../conformance/execution/funding.ts';
import { createRpc, JsonRpcError, type Rpc } from '../../conformance/execution/json-rpc.ts';
import { startFixtureChain } from '../../scripts/program/chains/fixture-chain.ts';
import { createReader, createSender } from '../../scripts/program/chains/sender.ts';
import { parseMarket } from '../market/parse-market.ts';

const require = createRequire(import.meta.url);

/** The ABI of a router of ours. */
export const routerAbi = (require('#fixtures/bytecode/default-router.json') as { abi: Abi }).abi;

/** The errors of our contracts, by whose names reverts are told. */
const knownErrors: Abi = [
  ...routerAbi,
  ...(require('#fixtures/bytecode/maker-orders.json') as { abi: Abi }).abi,
];

/** What a transaction did: its receipt's essence, or the name of the error that it reverted with. */
export type Sent =
  | { readonly kind: 'mined'; readonly gasUsed: bigint }
  | { readonly kind: 'reverted'; readonly error: string };

/** A call of a simulated block. */
export type Call = {
  readonly from?: ViemAddress;
  readonly to: ViemAddress;
  readonly data: Hex;
  readonly value?: Hex;
  readonly gas?: Hex;
};

/** What a call of a simulated block did. */
export type Simulated = {
  readonly status: '0x0' | '0x1';
  readonly gasUsed: Hex;
  /** What it returned, or reverted with. */
  readonly returnData: Hex;
};

/** Where a simulation has a contract that returns the native balance of the account it is called with. */
export const NATIVE_READER: ViemAddress = '0x0000000000000000000000000000000000ba1a9c';
/** Room for any calls, and that contract: PUSH0 CALLDATALOAD BALANCE PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
const OF_A_SIMULATION = {
  blockOverrides: { gasLimit: toHex(1_000_000_000) },
  stateOverrides: { [NATIVE_READER]: { code: '0x5f35315f5260205ff3' } },
};

/** The fixture chain with the market that was read from it. */
export type TestChain = Awaited<ReturnType<typeof startTestChain>>;

/** Starts the first fixture chain; every account can be sent from, at a gas price of 0. */
export async function startTestChain() {
  const node = await startFixtureChain(31337);
  const rpc = createRpc(node.url);
  const client = createReader(node.url);
  await rpc('anvil_autoImpersonateAccount', [true]);

  const balanceOf = (token: ViemAddress, account: ViemAddress): Promise<bigint> =>
    client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account],
    });

  const send = senderOf(rpc, client);
  return {
    node,
    client,
    rpc,
    market: parseMarket(require('#fixtures/markets/31337.json')),
    balanceOf,
    send,
    async deploy(abi: Abi, bytecode: Hex, args: readonly unknown[] = []): Promise<ViemAddress> {
      const sender = await createSender(client, '0x00000000000000000000000000000000000d1ce5');
      const created = sender.deploy({ abi, bytecode }, args);
      await sender.mine();
      return created;
    },
    async call(
      from: ViemAddress,
      to: ViemAddress,
      abi: Abi,
      functionName: string,
      args: readonly unknown[] = [],
    ): Promise<void> {
      const sender = await createSender(client, from);
      sender.call(to, abi, functionName, args);
      await sender.mine();
    },
    /** What calls of one block do, each after the one before, on the chain as it is: a block that is mined takes Anvil ten times as long. */
    async simulate(calls: readonly Call[]): Promise<readonly Simulated[]> {
      const blocks = await rpc<readonly { readonly calls: readonly Simulated[] }[]>(
        'eth_simulateV1',
        [{ blockStateCalls: [{ ...OF_A_SIMULATION, calls }] }, 'latest'],
      );
      return blocks[0]?.calls ?? [];
    },
    /** Gives `account` a token, by moving it from no one. */
    deal: (token: ViemAddress, account: ViemAddress, amount: bigint) =>
      fundToken(rpc, token, account, amount),
    approve: (token: ViemAddress, owner: ViemAddress, spender: ViemAddress, amount = maxUint256) =>
      rpc('anvil_setERC20Allowance', [owner, spender, token, toHex(amount)]),
  };
}

/** Returns what sends a transaction from any account and mines it. */
function senderOf(rpc: Rpc, client: Pick<PublicClient, 'getTransactionReceipt'>) {
  return async (
    from: ViemAddress,
    to: ViemAddress,
    data: Hex,
    { value = 0n, gas = 25_000_000n }: { value?: bigint; gas?: bigint } = {},
  ): Promise<Sent> => {
    const call = { from, to, data, value: toHex(value), gas: toHex(gas), gasPrice: '0x0' };
    // A block takes Anvil ten times as long as a call.
    const refused = await rpc('eth_call', [call, 'latest']).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused instanceof JsonRpcError)
      return { kind: 'reverted', error: errorName(refused.data as Hex | undefined) };
    if (refused !== undefined) throw refused;
    const hash = await rpc<Hex>('eth_sendTransaction', [call]);
    await rpc('evm_mine');
    const { status, gasUsed } = await client.getTransactionReceipt({ hash });
    if (status === 'success') return { kind: 'mined', gasUsed };
    return { kind: 'reverted', error: 'succeeds when called' };
  };
}

/** Returns the name of the error that data of a revert tells of, or the data itself. */
export function errorName(data: Hex = '0x'): string {
  if (data === '0x') return 'no data';
  try {
    return decodeErrorResult({ abi: knownErrors, data }).errorName;
  } catch {
    return data;
  }
}
