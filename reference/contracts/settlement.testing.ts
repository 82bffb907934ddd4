import { createRequire } from 'node:module';
import {
  type Abi,
  createPublicClient,
  custom,
  decodeErrorResult,
  type EIP1193RequestFn,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  getContractAddress,
  type Hex,
  maxUint256,
  type PublicClient,
  padHex,
  parseAbi,
  toHex,
  type Address as ViemAddress,
} from 'viem';
import { expect } from 'vitest';
import type { RouterName } from '../../conformance/contract/resources.ts';
import { fundToken } from '../../conformance/execution/funding.ts';
import { createRpc, type Rpc } from '../../conformance/execution/json-rpc.ts';
import { startFixtureChain } from '../../scripts/fixture-chain.ts';
import type { Address } from '../domain/address.ts';
import type { RouterEncoder, SettlementOptions } from '../encoding/encoder.ts';
import type { Market, RouterDeployment } from '../market/market.ts';
import { parseMarket } from '../market/parse-market.ts';
import type { RoutingPlan } from '../routing/graph/plan.ts';

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

type Call = {
  readonly from?: ViemAddress;
  readonly to: ViemAddress;
  readonly data: Hex;
  readonly value?: Hex;
  readonly gas?: Hex;
};

/** What a call of a simulated block did. */
type Simulated = {
  readonly status: '0x0' | '0x1';
  readonly gasUsed: Hex;
  /** What it returned, or reverted with. */
  readonly returnData: Hex;
};

/** Where a simulation has a contract that returns the native balance of the account it is called with. */
const NATIVE_READER: ViemAddress = '0x0000000000000000000000000000000000ba1a9c';
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
  const request = ({ method, params }: Parameters<EIP1193RequestFn>[0]) =>
    rpc(method, params as never);
  const client = createPublicClient({ cacheTime: 0, transport: custom({ request }) });
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
    /** Runs `body` and undoes what it did to the chain. */
    async isolated<Result>(body: () => Promise<Result>): Promise<Result> {
      const snapshot = await rpc<Hex>('evm_snapshot');
      try {
        return await body();
      } finally {
        await rpc('evm_revert', [snapshot]);
      }
    },
    async deploy(abi: Abi, bytecode: Hex, args: readonly unknown[] = []): Promise<ViemAddress> {
      const from: ViemAddress = '0x00000000000000000000000000000000000d1ce5';
      const nonce = await client.getTransactionCount({ address: from });
      const sent = await send(from, undefined, encodeDeployData({ abi, bytecode, args }));
      if (sent.kind === 'reverted') throw new Error(`a creation reverted: ${sent.error}`);
      return getContractAddress({ from, nonce: BigInt(nonce) });
    },
    async call(
      from: ViemAddress,
      to: ViemAddress,
      abi: Abi,
      functionName: string,
      args: readonly unknown[] = [],
    ): Promise<void> {
      const sent = await send(from, to, encodeFunctionData({ abi, functionName, args }));
      if (sent.kind === 'reverted') throw new Error(`${functionName} reverted: ${sent.error}`);
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
    to: ViemAddress | undefined,
    data: Hex,
    { value = 0n, gas = 25_000_000n }: { value?: bigint; gas?: bigint } = {},
  ): Promise<Sent> => {
    const call = { from, ...(to === undefined ? {} : { to }), data, value: toHex(value) };
    const transaction = { ...call, gas: toHex(gas), gasPrice: '0x0' };
    // A block takes Anvil ten times as long as a call.
    const error = await revertOf(rpc, transaction);
    if (error !== undefined) return { kind: 'reverted', error };
    const hash = await rpc<Hex>('eth_sendTransaction', [transaction]);
    await rpc('evm_mine');
    const { status, gasUsed } = await client.getTransactionReceipt({ hash });
    if (status === 'success') return { kind: 'mined', gasUsed };
    return { kind: 'reverted', error: 'succeeds when called' };
  };
}

/** Returns the name of the error that the call reverts with, unset where it does not. */
async function revertOf(rpc: Rpc, call: object): Promise<string | undefined> {
  try {
    await rpc('eth_call', [call, 'latest']);
    return undefined;
  } catch (error) {
    return errorName(revertData(error));
  }
}

function errorName(data: Hex = '0x'): string {
  if (data === '0x') return 'no data';
  try {
    return decodeErrorResult({ abi: knownErrors, data }).errorName;
  } catch {
    return data;
  }
}

function revertData(error: unknown): Hex | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { data } = cause as { data?: unknown };
    if (typeof data === 'string') return data as Hex;
  }
  return undefined;
}

/** How a plan is to be settled in a test. */
export type SettleOptions = {
  readonly router: RouterName;
  readonly encode: RouterEncoder['encode'];
  readonly user: Address;
  readonly recipient?: Address;
  readonly slippageBps?: number;
  readonly sellNative?: boolean;
  readonly buyNative?: boolean;
  readonly deadline?: bigint;
  /** What the transaction carries; default what the plan sells, if that is native. */
  readonly value?: bigint;
  /** Gas limit of the transaction; default the encoder's. */
  readonly gas?: bigint;
  /** Asks for `eth_estimateGas`, which takes as long as all the rest. */
  readonly isEstimated?: true;
  /** Done after the allowances are given, before the transaction. */
  readonly before?: () => Promise<unknown>;
};

/** What a settlement changed. Amounts are base units; gas is not paid for. */
export type Settled = {
  readonly sent: Sent;
  readonly sold: bigint;
  readonly bought: bigint;
  /** What the router and its proxy hold of any token of the plan, or of native, afterwards. */
  readonly left: bigint;
  readonly gasLimit: bigint;
  /** What `eth_estimateGas` says, where that is asked. */
  readonly estimate: bigint | undefined;
  readonly calldata: Hex;
};

/** Settles the plan as a user would, and says what it changed; the chain is then as before. */
export function settle(
  chain: TestChain,
  plan: RoutingPlan,
  options: SettleOptions,
): Promise<Settled> {
  return chain.isolated(async () => {
    const { user, recipient = user, sellNative = false, buyNative = false } = options;
    const router = deploymentOf(chain.market, options.router);
    const { calldata, gasLimit } = options.encode(plan, settlementOptions(chain.market, options));
    const value = options.value ?? (sellNative ? plan.sellAmount : 0n);
    const funds = plan.sellAmount * 2n;
    await chain.rpc('anvil_setBalance', [user, toHex(10n ** 18n + (sellNative ? value : 0n))]);
    if (!sellNative) {
      await chain.deal(plan.sellToken, user, funds);
      await chain.approve(plan.sellToken, user, router.tokenProxy ?? router.address);
    }
    await options.before?.();
    const call = { from: user, to: router.address, data: calldata, value: toHex(value) };
    const estimate = options.isEstimated
      ? BigInt(await chain.rpc<Hex>('eth_estimateGas', [{ ...call, gasPrice: '0x0' }]))
      : undefined;
    const held = [
      holding(sellNative ? undefined : plan.sellToken, user),
      holding(buyNative ? undefined : plan.buyToken, recipient),
    ];
    const left = holdingsIn(plan, router);
    const gas = toHex(options.gas ?? gasLimit);
    const did = await chain.simulate([...held, { ...call, gas }, ...held, ...left]);
    const [sellBefore = 0n, buyBefore = 0n] = did.slice(0, 2).map(amountOf);
    const [sellAfter = 0n, buyAfter = 0n, ...stay] = did.slice(3).map(amountOf);
    return {
      sent: sentOf(did[2]),
      sold: sellBefore - sellAfter,
      bought: buyAfter - buyBefore,
      left: stay.reduce((sum, amount) => sum + amount, 0n),
      gasLimit,
      estimate,
      calldata,
    };
  });
}

/** Fails unless the plan settled as quoted, to the base unit, within the gas limit, and left nothing behind. */
export function expectExact(settled: Settled, plan: RoutingPlan): void {
  const { sent, sold, bought, left } = settled;
  expect(sent).toMatchObject({ kind: 'mined' });
  expect([sold, bought, left]).toEqual([plan.sellAmount, plan.buyAmount, 0n]);
}

/** The settlement options of a test, as the service would make them. */
export function settlementOptions(
  market: Market,
  options: Omit<SettleOptions, 'encode'> & Partial<Pick<SettleOptions, 'encode'>>,
): SettlementOptions {
  return {
    router: deploymentOf(market, options.router),
    wrappedNative: market.wrappedNative,
    sellNative: options.sellNative ?? false,
    buyNative: options.buyNative ?? false,
    user: options.user,
    ...(options.recipient === undefined ? {} : { recipient: options.recipient }),
    slippageBps: options.slippageBps ?? 0,
    deadline: options.deadline ?? BigInt(market.block.timestamp + 1_000_000_000),
  };
}

const PERMIT2_ABI = parseAbi(['function approve(address,address,uint160,uint48)']);

/** Lets the Universal Router take every token of an account through Permit2, from now on. */
export async function allowByPermit2({ market, call }: TestChain, account: Address): Promise<void> {
  const { address, tokenProxy = address } = deploymentOf(market, 'universal-router');
  for (const token of market.tokens.keys()) {
    const args = [token, address, 2n ** 160n - 1n, 2 ** 48 - 1];
    await call(account, tokenProxy, PERMIT2_ABI, 'approve', args);
  }
}

/** The address of the token with that symbol. */
export function addressOf({ tokens }: Market, symbol: string): Address {
  const token = [...tokens.values()].find((each) => each.symbol === symbol);
  if (token === undefined) throw new Error(`the market has no ${symbol}`);
  return token.address;
}

/** The router of that name in the market. */
export function deploymentOf(market: Market, name: RouterName): RouterDeployment {
  const router = market.routers.find((candidate) => candidate.name === name);
  if (router === undefined) throw new Error(`the market has no ${name}`);
  return router;
}

/** The calls that read what the router and its proxy hold of the plan's tokens, and of native. */
function holdingsIn({ swaps }: RoutingPlan, router: RouterDeployment): readonly Call[] {
  const tokens = new Set(swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]));
  const { name, address, tokenProxy } = router;
  const holders =
    name === 'service-router' && tokenProxy !== undefined ? [address, tokenProxy] : [address];
  return holders.flatMap((holder) => [undefined, ...tokens].map((token) => holding(token, holder)));
}

/** The call that reads what an account holds of a token, or of native. */
function holding(token: ViemAddress | undefined, account: ViemAddress): Call {
  if (token === undefined) return { to: NATIVE_READER, data: padHex(account) };
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] });
  return { to: token, data };
}

function amountOf({ status, returnData }: Simulated): bigint {
  if (status !== '0x1') throw new Error(`a balance cannot be read: ${returnData}`);
  return BigInt(returnData);
}

function sentOf(did: Simulated | undefined): Sent {
  if (did === undefined) throw new Error('a transaction was not simulated');
  return did.status === '0x1'
    ? { kind: 'mined', gasUsed: BigInt(did.gasUsed) }
    : { kind: 'reverted', error: errorName(did.returnData) };
}
