import {
  encodeFunctionData,
  erc20Abi,
  type Hex,
  padHex,
  parseAbi,
  toHex,
  type Address as ViemAddress,
} from 'viem';
import { expect } from 'vitest';
import type { RouterName } from '../../conformance/contract/resources.ts';
import { isolated } from '../../fixtures/testing/send.testing.ts';
import type { RouterEncoder, SettlementOptions } from '../encoding/encoder.ts';
import { ENCODERS } from '../encoding/encoders.ts';
import { graphRouter } from '../encoding/graph-router.ts';
import type { Market, RouterDeployment } from '../market/market.ts';
import type { Address } from '../planner/domain/address.ts';
import type { RoutingPlan } from '../planner/graph/plan.ts';
import {
  type Call,
  errorName,
  NATIVE_READER,
  type SendOutcome,
  type Simulated,
  type TestChain,
} from './test-chain.testing.ts';

/** Names of the routers that extend `GraphRouter`. All must pass the same tests. */
export const GRAPH_ROUTERS = (Object.keys(ENCODERS) as RouterName[]).filter(
  (name) => ENCODERS[name] === graphRouter,
);

/** Terms of a settlement in a test. */
export type SettleOptions = {
  readonly router: RouterName;
  readonly encode: RouterEncoder['encode'];
  readonly user: Address;
  readonly recipient?: Address;
  readonly slippageBps?: number;
  readonly sellNative?: boolean;
  readonly buyNative?: boolean;
  readonly deadline?: bigint;
  /** Value of the transaction. Default: the sold amount of the native token. */
  readonly value?: bigint;
  /** Gas limit of the transaction. Default: the encoder's. */
  readonly gas?: bigint;
  /** Requests `eth_estimateGas`, which takes as long as the rest of the settlement. */
  readonly isEstimated?: true;
  /** Runs after the approvals, before the transaction. */
  readonly before?: () => Promise<unknown>;
};

/** Changes caused by a settlement, in base units. Gas is free. */
export type Settled = {
  readonly sent: SendOutcome;
  readonly sold: bigint;
  readonly bought: bigint;
  /** Final balances of the router and its proxy, plus the Vault's remaining allowances. */
  readonly left: bigint;
  readonly gasLimit: bigint;
  /** Result of `eth_estimateGas`, if requested. */
  readonly estimate: bigint | undefined;
  readonly calldata: Hex;
};

/** Settles the plan as a user would, returns the changes, and restores the chain. */
export function settle(
  chain: TestChain,
  plan: RoutingPlan,
  options: SettleOptions,
): Promise<Settled> {
  return isolated(chain.rpc, async () => {
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
    const left = [...holdingsIn(plan, router), ...allowancesIn(plan, router)];
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

/**
 * Expects that the plan settled exactly as quoted, within the gas limit, and that the router
 * retains nothing.
 */
export function expectExact(settled: Settled, plan: RoutingPlan): void {
  const { sent, sold, bought, left } = settled;
  expect(sent).toMatchObject({ kind: 'mined' });
  expect([sold, bought, left]).toEqual([plan.sellAmount, plan.buyAmount, 0n]);
}

/** Returns the settlement options that the service would use. */
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

/** Lets the Universal Router spend an account's tokens through Permit2. */
export async function allowByPermit2({ market, call }: TestChain, account: Address): Promise<void> {
  const { address, tokenProxy = address } = deploymentOf(market, 'universal-router');
  for (const token of market.tokens.keys()) {
    const args = [token, address, 2n ** 160n - 1n, 2 ** 48 - 1];
    await call(account, tokenProxy, PERMIT2_ABI, 'approve', args);
  }
}

/** Returns the address of the token with this symbol. */
export function addressOf({ tokens }: Market, symbol: string): Address {
  const token = [...tokens.values()].find((each) => each.symbol === symbol);
  if (token === undefined) throw new Error(`the market has no ${symbol}`);
  return token.address;
}

/** Returns the router with this name in the market. */
export function deploymentOf(market: Market, name: RouterName): RouterDeployment {
  const router = market.routers.find((candidate) => candidate.name === name);
  if (router === undefined) throw new Error(`the market has no ${name}`);
  return router;
}

function holdingsIn({ swaps }: RoutingPlan, router: RouterDeployment): readonly Call[] {
  const tokens = new Set(swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]));
  const { name, address, tokenProxy } = router;
  const holders =
    name === 'service-router' && tokenProxy !== undefined ? [address, tokenProxy] : [address];
  return holders.flatMap((holder) => [undefined, ...tokens].map((token) => holding(token, holder)));
}

function allowancesIn({ swaps }: RoutingPlan, { address }: RouterDeployment): readonly Call[] {
  return swaps.flatMap(({ pool, tokenIn }) => {
    if (!('vault' in pool)) return [];
    const args = [address, pool.vault] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args });
    return [{ to: tokenIn, data }];
  });
}

function holding(token: ViemAddress | undefined, account: ViemAddress): Call {
  if (token === undefined) return { to: NATIVE_READER, data: padHex(account) };
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] });
  return { to: token, data };
}

function amountOf({ status, returnData }: Simulated): bigint {
  if (status !== '0x1') throw new Error(`a balance cannot be read: ${returnData}`);
  return BigInt(returnData);
}

function sentOf(did: Simulated | undefined): SendOutcome {
  if (did === undefined) throw new Error('a transaction was not simulated');
  return did.status === '0x1'
    ? { kind: 'mined', gasUsed: BigInt(did.gasUsed) }
    : { kind: 'reverted', error: errorName(did.returnData) };
}
