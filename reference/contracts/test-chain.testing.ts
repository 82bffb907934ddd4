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
import { createRpc, JsonRpcError, type Rpc } from '../../conformance/execution/node/json-rpc.ts';
import { startFixtureChain } from '../../fixtures/chains/fixture-chain.ts';
import { createReader, createSender } from '../../fixtures/chains/sender.ts';
import { fundToken } from '../../fixtures/testing/fund-token.testing.ts';
import { parseMarket } from '../market/parse-market.ts';

const require = createRequire(import.meta.url);

/** ABI of our routers. */
export const routerAbi = (require('#fixtures/bytecode/default-router.json') as { abi: Abi }).abi;

/** Errors of our contracts, which give reverts a name. */
const knownErrors: Abi = [
  ...routerAbi,
  ...(require('#fixtures/bytecode/maker-orders.json') as { abi: Abi }).abi,
];

/** Outcome of a transaction. */
export type SendOutcome =
  | { readonly kind: 'mined'; readonly gasUsed: bigint }
  | { readonly kind: 'reverted'; readonly error: string };

/** Call in a simulated block. */
export type Call = {
  readonly from?: ViemAddress;
  readonly to: ViemAddress;
  readonly data: Hex;
  readonly value?: Hex;
  readonly gas?: Hex;
};

/** Outcome of a call in a simulated block. */
export type Simulated = {
  readonly status: '0x0' | '0x1';
  readonly gasUsed: Hex;
  /** Return or revert data. */
  readonly returnData: Hex;
};

/**
 * Address of a contract that exists only in simulations and returns an account's native balance.
 */
export const NATIVE_READER: ViemAddress = '0x0000000000000000000000000000000000ba1a9c';
/** The code is PUSH0 CALLDATALOAD BALANCE PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
const SIMULATION_OVERRIDES = {
  blockOverrides: { gasLimit: toHex(1_000_000_000) },
  stateOverrides: { [NATIVE_READER]: { code: '0x5f35315f5260205ff3' } },
};

/** The fixture chain with its market. */
export type TestChain = Awaited<ReturnType<typeof startTestChain>>;

/** Starts the first fixture chain. Any account can send transactions, at a gas price of 0. */
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
    /**
     * Simulates calls in one block after the latest. Mining a block would take Anvil ten times as
     * long.
     */
    async simulate(calls: readonly Call[]): Promise<readonly Simulated[]> {
      const blocks = await rpc<readonly { readonly calls: readonly Simulated[] }[]>(
        'eth_simulateV1',
        [{ blockStateCalls: [{ ...SIMULATION_OVERRIDES, calls }] }, 'latest'],
      );
      return blocks[0]?.calls ?? [];
    },
    /** Sets the token balance of an account. */
    deal: (token: ViemAddress, account: ViemAddress, amount: bigint) =>
      fundToken(rpc, token, account, amount),
    approve: (token: ViemAddress, owner: ViemAddress, spender: ViemAddress, amount = maxUint256) =>
      rpc('anvil_setERC20Allowance', [owner, spender, token, toHex(amount)]),
  };
}

function senderOf(rpc: Rpc, client: Pick<PublicClient, 'getTransactionReceipt'>) {
  return async (
    from: ViemAddress,
    to: ViemAddress,
    data: Hex,
    { value = 0n, gas = 25_000_000n }: { value?: bigint; gas?: bigint } = {},
  ): Promise<SendOutcome> => {
    const call = { from, to, data, value: toHex(value), gas: toHex(gas), gasPrice: '0x0' };
    // Mining a block takes Anvil ten times as long as a call.
    const reverted = await rpc('eth_call', [call, 'latest']).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (reverted instanceof JsonRpcError)
      return { kind: 'reverted', error: errorName(reverted.data as Hex | undefined) };
    if (reverted !== undefined) throw reverted;
    const hash = await rpc<Hex>('eth_sendTransaction', [call]);
    await rpc('evm_mine');
    const { status, gasUsed } = await client.getTransactionReceipt({ hash });
    if (status === 'success') return { kind: 'mined', gasUsed };
    return { kind: 'reverted', error: 'succeeds when called' };
  };
}

/** Returns the name of the error in revert data, or the data if it is unknown. */
export function errorName(data: Hex = '0x'): string {
  if (data === '0x') return 'no data';
  try {
    return decodeErrorResult({ abi: knownErrors, data }).errorName;
  } catch {
    return data;
  }
}
