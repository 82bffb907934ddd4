import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem';
import { expect } from 'vitest';
import { mine as mineBlock } from '../../fixtures/testing/send.testing.ts';
import {
  compileContracts,
  readSources,
  UNOPTIMIZED,
} from '../../scripts/build/compile-contracts.ts';
import { exchangeWith } from '../client/exchange.testing.ts';
import type { RouterInfo } from '../contract/resources.ts';
import type { Execution } from '../model/executor.ts';
import { formatStatement } from '../model/format-statement.ts';
import type { SettlementRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import type { Evidence, EvidenceKind } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import type { Verdict } from '../model/verdict.testing.ts';
import { CATALOG } from '../rules/catalog.ts';
import { verdictOnExecution } from '../runner/judge-execution.testing.ts';
import { createExecutor, type ExecutorOptions } from './executor.ts';
import { startAnvil } from './node/anvil.ts';
import { createRpc, quantity } from './node/json-rpc.ts';
import { untilEnd } from './node/until-end.testing.ts';
import { plainAsset, plainMarket, plainSession } from './plain-market.testing.ts';
import { type Miner, startMiner } from './settle/miner.testing.ts';

const contracts = compileContracts(
  readSources(new URL('contracts/testing/', import.meta.url)),
  UNOPTIMIZED,
);

function contractOf(name: string): { readonly abi: Abi; readonly bytecode: Hex } {
  const found = contracts.get(name);
  if (found === undefined) throw new Error(`there is no contract ${name}`);
  return { abi: found.abi as Abi, bytecode: found.bytecode };
}

/** Returns calldata for a function of one of the contracts. */
export function encodeCall(contract: string, functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: contractOf(contract).abi, functionName, args });
}

export type OddChain = Awaited<ReturnType<typeof startOddChain>>;

/**
 * Address and code of the contract of EIP-4788, which Anvil lacks.
 *
 * @see https://eips.ethereum.org/EIPS/eip-4788
 */
const BEACON_ROOTS = [
  '0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02',
  '0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
] as const;
/** The coinbase of all blocks. */
const SEQUENCER: Address = '0x4200000000000000000000000000000000000011';

/** Starts a separate chain, on which one account deploys and sends without paying for gas. */
export async function startOddChain(chainId: number) {
  const node = await startAnvil({ chainId, timestamp: 1_750_000_000 });
  const rpc = createRpc(node.url);
  const [deployer] = (await rpc<readonly Address[]>('eth_accounts')) as [Address];
  // So that trades may settle at any second.
  await rpc('anvil_setBlockTimestampInterval', [1]);
  await rpc('anvil_setCoinbase', [SEQUENCER]);
  await rpc('anvil_setBalance', [SEQUENCER, '0x1']);
  await rpc('anvil_setCode', BEACON_ROOTS);

  async function send(to: Address | undefined, data: Hex, value = 0n): Promise<void> {
    const call = { from: deployer, ...(to && { to }), data, value: quantity(value) };
    await rpc('eth_sendTransaction', [{ ...call, gas: quantity(9_000_000), gasPrice: '0x0' }]);
    await mineBlock(rpc);
  }

  return {
    chainId,
    node,
    rpc,
    deployer,
    send,
    async deploy(contract: string, args: readonly unknown[] = []): Promise<Address> {
      const nonce = await rpc<Hex>('eth_getTransactionCount', [deployer, 'latest']);
      await send(undefined, encodeDeployData({ ...contractOf(contract), args: [...args] }));
      const address = getContractAddress({ from: deployer, nonce: BigInt(nonce) });
      return address.toLowerCase() as Address;
    },
    /** Reads an address that a contract returns. */
    async read(to: Address, contract: string, functionName: string): Promise<Address> {
      const data = encodeCall(contract, functionName, []);
      const word = await rpc<Hex>('eth_call', [{ to, data }]);
      return `0x${word.slice(26)}`;
    },
  };
}

/** A token by its address and symbol; the zero address represents the native token. */
type Token = readonly [address: Address, symbol: string];
type Leg = readonly [token: Address, amount: bigint];

/** A plan with calldata, through one pool in each route. */
export type OddPlan = {
  readonly router: Address;
  readonly sell: Leg;
  readonly buy: Leg;
  readonly routes: readonly (readonly [pool: Address, from: Leg, to: Leg])[];
  readonly calldata: Hex;
};

/** A service of one chain. Its plans are a function of the request's parameters, in lower case. */
export function oddSession(service: {
  readonly chainId: number;
  readonly wrappedNative: Address;
  readonly routers: readonly Pick<RouterInfo, 'name' | 'deployedAddress' | 'tokenProxyAddress'>[];
  readonly pairs: readonly (readonly [sell: Token, buy: Token])[];
  /** Tokens that the service lists. Default: none. */
  readonly listed?: readonly Address[];
  readonly amount: bigint;
  readonly planFor: (asked: ReadonlyMap<string, string>) => OddPlan;
}): Session {
  const { chainId, wrappedNative, pairs, listed = [], amount, planFor } = service;
  const chain = { chainId, name: 'Odd' };
  const info = {
    ...{ ...chain, usdTokenAddress: wrappedNative, wrappedNativeTokenAddress: wrappedNative },
    routers: service.routers.map((router) => ({
      ...{ ...router, liquiditySources: ['Pool'], hasEncoder: true },
    })),
  };
  const assets = pairs.map(([sell, buy]) => [plainAsset(...sell), plainAsset(...buy)] as const);
  const tokens = listed.map((address) => {
    const { symbol, decimals } = plainAsset(address, 'LISTED');
    return { address, name: symbol, symbol, decimals, metadata: { logoURI: '' } };
  });
  let id = 0;
  return plainSession(
    plainMarket(chainId, assets, [amount, amount]),
    async ({ path: target, query }) => {
      id += 1;
      const read = typeof query === 'string' ? [] : [...query];
      const asked = new Map(read.map(([name, value]) => [name, value.toLowerCase()]));
      return exchangeWith(replyOf(planFor(asked)), { id, target, query: read });
    },
    {
      chains: [chain],
      chainInfo: new Map([[chainId, info]]),
      tokens: new Map([[chainId, tokens]]),
    },
  );
}

function replyOf({ router, sell, buy, routes, calldata }: OddPlan) {
  const tokens = [...new Set(routes.flatMap(([, [from], [to]]) => [from, to]))];
  const legOf = ([token, amount]: Leg) => ({
    referenceId: tokens.indexOf(token),
    amount: String(amount),
  });
  return {
    router: 'default-router',
    ...{ sell: legOf(sell), buy: legOf(buy) },
    tokens: tokens.map((address, referenceId) => ({ referenceId, address })),
    routes: routes.map(([address, from, to]) => ({
      ...{ address, name: 'Pool', fromTokens: [legOf(from)], toTokens: [legOf(to)] },
    })),
    ...{ routerAddress: router, calldata, gasLimit: '1500000' },
  };
}

/**
 * Executes plans of a service, and returns the verdict of each settlement rule, keyed by its id
 * without `execution/`.
 */
export async function judgeSettlements(
  chain: OddChain,
  session: Session,
  options: ExecutorOptions,
): Promise<ReadonlyMap<string, Verdict>> {
  const executor = await untilEnd(createExecutor(options, session));
  const rules = CATALOG.filter((rule): rule is SettlementRule => rule.kind === 'settlement');
  const kinds = rules.map(({ evidence }) => evidence);
  const executions = new Map<string, Awaited<ReturnType<typeof executor.execute>>>();
  const verdicts = new Map<string, Verdict>();
  for (const rule of rules) {
    const execution =
      executions.get(rule.evidence) ?? (await executor.execute(rule.evidence, kinds));
    executions.set(rule.evidence, execution);
    verdicts.set(rule.id.slice('execution/'.length), verdictOnExecution(rule, execution, session));
  }
  await expectSameMined(chain, [...executions.values()]);
  return verdicts;
}

/** Mines each trade on a fork, and compares its settlement with the simulated one. */
async function expectSameMined(
  { chainId, node }: OddChain,
  executions: readonly Execution<Evidence[EvidenceKind]>[],
): Promise<void> {
  let miner: Miner | undefined;
  for (const execution of executions) {
    const items = execution.kind === 'executed' ? execution.items : [];
    for (const { now } of items) {
      if (now === undefined) continue;
      const { block } = now.scenario;
      if (miner?.block !== block) {
        await miner?.stop();
        miner = await startMiner(chainId, node.url, block);
      }
      const settlement = await miner.mine(now.scenario);
      if (settlement === undefined) {
        await miner.stop();
        miner = undefined;
        break;
      }
      const { calls, ...mined } = settlement;
      // Only a trace shows that an inner call ran out of gas.
      const { reason, error, ...rest } = mined;
      if (mined.outcome === 'settled') expect(now.settlement).toEqual(mined);
      else expect(now.settlement).toMatchObject(rest);
    }
  }
  await miner?.stop();
}

/** Returns the rules that found a fault, each with its first finding. */
export function findingsOf(verdicts: ReadonlyMap<string, Verdict>): readonly string[] {
  return [...verdicts].flatMap(([rule, verdict]) => {
    const [first] = verdict.kind === 'judged' ? verdict.findings : [];
    return first === undefined ? [] : [`${rule}: ${formatStatement(first.actual)}`];
  });
}
