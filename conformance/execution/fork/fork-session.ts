import type { ChainInfo, RouterInfo, RouterName } from '../../contract/resources.ts';
import type { ChainMarket } from '../../discovery/facts.ts';
import type { OpenExecutor } from '../../model/executor.ts';
import type { ForkSource } from '../../service/fork-option.ts';
import type { Rpc } from '../node/json-rpc.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { once, type Results } from '../node/once.ts';
import type { Accounts } from '../scenario/accounts.ts';
import { type Approval, approvalOf } from '../scenario/approvals.ts';
import { NEXT_BLOCK_S } from '../scenario/circumstances.ts';
import { Funding } from '../scenario/funding.ts';
import type { ForkedChain } from '../scenario/scenario.ts';
import { isNativeToken } from '../scenario/token-reads.ts';
import { readAddress } from '../settle/read-swap-plan.ts';
import type { ServiceClock } from './clocks.ts';
import { type Fork, openFork, type RunningSource, startSource } from './fork.ts';
import { openOnNode, openOwnChain } from './on-node.ts';

/** A fork, with an account that can make any trade on its chain. */
export type ForkSession = Omit<ForkedChain, 'fork'> & {
  /** Calls the fork in its current state. */
  readonly rpc: () => Rpc;
  readonly fork: () => Fork;
  /** Maximum gas limit of a transaction, if the node reports one. Read once. */
  readonly gasCap: () => Promise<bigint | undefined>;
  /**
   * Forks the given block or, if the chain has advanced, the latest block. Returns true if the
   * forked block has changed. Reads the latest block at most every two seconds, so that plans
   * quoted within that time share a block.
   */
  readonly refresh: (blockNumber?: number) => Promise<boolean>;
  /**
   * Returns true if the chain has not advanced since the first fork, nor for some time before it.
   */
  readonly stoodStill: () => boolean;
  /** Returns the Unix time by the service's clock, in seconds. */
  readonly serviceTime: () => number;
  /** Returns the age of the forked block in seconds. */
  readonly secondsBehind: () => number;
  /** Returns the result of `read`, which reads the forked block. Runs it only once for each key. */
  readonly readOnce: <Result>(key: string, read: () => Promise<Result>) => Promise<Result>;
  /** Runs work on an unchanged copy of the block, and returns the chain state that the work read. */
  readonly recordState: Fork['recordState'];
  readonly stop: () => Promise<void>;
};

/** The market of a service on one chain, and a fork of that chain. */
export type ForkedMarket = {
  readonly service: Parameters<OpenExecutor>[0];
  readonly market: ChainMarket;
  readonly session: ForkSession;
};

export type ForkSessionOptions = {
  readonly source: ForkSource;
  readonly info: ChainInfo | undefined;
  /** Tokens that the service lists for the chain. */
  readonly listed: readonly string[];
  readonly accounts: Accounts;
  /** Returns the milliseconds since 1970. */
  readonly clock: () => number;
  /** Clock of the service. Default: this machine's. */
  readonly serviceClock?: Pick<ServiceClock, 'aheadS'>;
};

/** Plans that are quoted within this time share a block. */
const SHARED_BLOCK_MS = 2_000;
/** A chain is live if its latest block is younger than this. */
const STILL_AFTER_S = 120;
/**
 * Maximum number of tokens from which the user's other tokens are drawn: enough to notice a theft,
 * and few enough to fund through a slow node.
 */
const MAX_BYSTANDERS = 6;

/**
 * Forks a chain and returns the session on it.
 *
 * @throws the errors of `openFork`, if the chain cannot be forked
 */
export async function openForkSession(options: ForkSessionOptions): Promise<ForkSession> {
  const { info, listed, accounts, clock } = options;
  const seconds = () => Math.floor(clock() / 1000);
  const serviceTime = () => seconds() + (options.serviceClock?.aheadS ?? 0);
  const isNear = (time: number) => Math.abs(fork.block.timestamp - time) <= STILL_AFTER_S;
  const presentTime = () =>
    isNear(serviceTime()) && !isNear(seconds()) ? serviceTime() : seconds();
  const source = await startSource(options.source);
  const fork = await openChain(source);
  const first = fork.block;
  let lastRequestAt = clock();
  const { wrappedNative, nativeToken } = await readNativeTokens(fork.rpc, info);
  const bystanders = listed.flatMap((token) => readAddress(token) ?? []).slice(0, MAX_BYSTANDERS);
  const reads: Results = new Map();
  const approvals = await readApprovals(fork.rpc, info?.routers ?? []);
  let gasCap: Promise<bigint | undefined> | undefined;

  return {
    chainId: source.chainId,
    rpc: () => fork.rpc,
    accounts,
    fork: () => fork,
    wrappedNative,
    nativeToken,
    gasCap: () => {
      gasCap ??= fork.readGasCap();
      return gasCap;
    },
    bystanders: () => bystanders,
    approvals: () => [...approvals.values()],
    approval: (router) => approvals.get(router),
    refresh: async (blockNumber) => {
      if (blockNumber === undefined) {
        if (clock() - lastRequestAt < SHARED_BLOCK_MS) return false;
        lastRequestAt = clock();
      }
      const block = await undefinedIfNodeFailed(() => fork.readBlock(blockNumber));
      if (block === undefined || block.number === fork.block.number) return false;
      // Several nodes may share a URL, and some may lag behind the node that replied before.
      if (blockNumber === undefined && block.number < fork.block.number) return false;
      if ((await undefinedIfNodeFailed(() => fork.moveTo(block))) === undefined) return false;
      reads.clear();
      return true;
    },
    stoodStill: () =>
      fork.block.number === first.number && clock() / 1000 - first.timestamp > STILL_AFTER_S,
    serviceTime,
    secondsBehind: () => seconds() - fork.block.timestamp,
    nextBlockTime: () => Math.max(fork.block.timestamp, presentTime()) + NEXT_BLOCK_S,
    funding: new Funding(fork.rpc),
    readOnce: (key, read) => once(reads, key, read),
    recordState: (work) => fork.recordState(work).finally(() => reads.clear()),
    stop: () => fork.stop(),
  };
}

function openChain(source: RunningSource): Promise<Fork> {
  const { isOurs = false, settleOn = isOurs ? 'own' : 'anvil' } = source;
  const ways = { own: openOwnChain, node: openOnNode, anvil: openFork };
  return ways[settleOn](source);
}

async function readApprovals(
  rpc: Rpc,
  routers: readonly RouterInfo[],
): Promise<ReadonlyMap<RouterName, Approval>> {
  const found = await Promise.all(
    routers.map(async (info) => [info.name, await approvalOf(rpc, info)] as const),
  );
  return new Map(found.flatMap(([name, approval]) => (approval ? [[name, approval]] : [])));
}

async function readNativeTokens(rpc: Rpc, info: ChainInfo | undefined) {
  const wrappedNative = readAddress(info?.wrappedNativeTokenAddress);
  const isNative = wrappedNative !== undefined && (await isNativeToken(rpc, wrappedNative));
  return { wrappedNative, nativeToken: isNative ? wrappedNative : undefined };
}
