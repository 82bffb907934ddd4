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
    const data = revertData(error);
    if (data === undefined || data === '0x') return 'no data';
    try {
      return decodeErrorResult({ abi: knownErrors, data }).errorName;
    } catch {
      return data;
    }
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
  /** What `eth_estimateGas` says; unset where it fails. */
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
    const held = (native: boolean, token: Address, account: Address) =>
      native ? chain.client.getBalance({ address: account }) : chain.balanceOf(token, account);
    const read = () =>
      Promise.all([
        held(sellNative, plan.sellToken, user),
        held(buyNative, plan.buyToken, recipient),
      ]);
    const call = { from: user, to: router.address, data: calldata, value: toHex(value) };
    const estimate = await chain
      .rpc<Hex>('eth_estimateGas', [{ ...call, gasPrice: '0x0' }])
      .then(BigInt, () => undefined);
    const [sellBefore, buyBefore] = await read();
    const sent = await chain.send(user, router.address, calldata, {
      value,
      gas: options.gas ?? gasLimit,
    });
    const [sellAfter, buyAfter] = await read();
    return {
      sent,
      sold: sellBefore - sellAfter,
      bought: buyAfter - buyBefore,
      left: await leftIn(chain, plan, router),
      gasLimit,
      estimate,
      calldata,
    };
  });
}

/** Fails unless the plan settled as quoted, to the base unit, within the gas limit, and left nothing behind. */
export function expectExact(settled: Settled, plan: RoutingPlan): void {
  const { sent, sold, bought, left, gasLimit, estimate } = settled;
  expect(sent).toMatchObject({ kind: 'mined' });
  expect([sold, bought, left]).toEqual([plan.sellAmount, plan.buyAmount, 0n]);
  expect(Number(gasLimit)).toBeGreaterThanOrEqual(Number(estimate));
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

/** Lets the Universal Router take a token of an account through Permit2. */
export function allowByPermit2(chain: TestChain, account: Address, token: Address): Promise<void> {
  const { address, tokenProxy = address } = deploymentOf(chain.market, 'universal-router');
  const args = [token, address, 2n ** 160n - 1n, 2 ** 48 - 1];
  return chain.call(account, tokenProxy, PERMIT2_ABI, 'approve', args);
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

async function leftIn(
  chain: TestChain,
  plan: RoutingPlan,
  router: RouterDeployment,
): Promise<bigint> {
  const tokens = new Set(plan.swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]));
  const holders =
    router.name === 'service-router' && router.tokenProxy !== undefined
      ? [router.address, router.tokenProxy]
      : [router.address];
  const amounts = await Promise.all(
    holders.flatMap((holder) => [
      chain.client.getBalance({ address: holder }),
      ...[...tokens].map((token) => chain.balanceOf(token, holder)),
    ]),
  );
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
