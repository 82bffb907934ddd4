import { randomUUID } from 'node:crypto';
import type { ChainInfo, RouterInfo, RouterName } from '../../contract/resources.ts';
import type { ChainMarket } from '../../discovery/facts.ts';
import type { OpenExecutor } from '../../model/executor.ts';
import type { Address } from '../../model/trade-request.ts';
import type { ForkSource } from '../../service/fork-option.ts';
import type { Rpc } from '../node/json-rpc.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { once, type Results } from '../node/once.ts';
import { type Accounts, accountsFrom } from '../scenario/accounts.ts';
import { type Approval, approvalOf } from '../scenario/approvals.ts';
import { type Block, NEXT_BLOCK_S } from '../scenario/circumstances.ts';
import { Funding } from '../scenario/funding.ts';
import type { ForkedChain } from '../scenario/scenario.ts';
import { isNativeToken } from '../scenario/token-reads.ts';
import { readAddress } from '../settle/read-swap-plan.ts';
import type { StateSource } from '../settle/simulate.ts';
import { openPlace, type Place, type PlaceOptions } from './places.ts';
import { isForkError, startSource } from './source.ts';

/** The market of a service on one chain, and a fork of that chain. */
export type ForkedMarket = {
  readonly service: Parameters<OpenExecutor>[0];
  readonly market: ChainMarket;
  readonly fork: Fork;
};

/** Options of a fork; all are optional. */
export type ForkOptions = PlaceOptions & {
  /** The service's details of the chain. Default: no wrapped token, and no router. */
  readonly info?: ChainInfo | undefined;
  /** Tokens that the service lists for the chain. Default: none. */
  readonly listed?: readonly string[];
  /** Text from which the circumstances of trades are drawn. Default: random. */
  readonly salt?: string;
  /** Default: accounts derived from the salt. */
  readonly accounts?: Accounts;
  /** Returns the milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Clock of the service. Default: this machine's. */
  readonly serviceClock?: { readonly aheadS: number };
};

/** Plans that are quoted within this time share a block. */
const SHARED_BLOCK_MS = 2_000;
/** A chain is live if its latest block is younger than this. */
const STILL_AFTER_S = 120;
/** Blocks that are further apart than this are not mined at constant intervals. */
const MAX_SLOT_S = 30;
/**
 * Maximum number of tokens from which the user's other tokens are drawn: enough to notice a theft,
 * and few enough to fund through a slow node.
 */
const MAX_BYSTANDERS = 6;

/**
 * Forks a chain.
 *
 * @throws {ForkError} if the node cannot be started
 * @throws the errors of `openPlace`, if the chain cannot be forked
 * @example
 * const fork = await openFork({ chainId: 1, rpcUrl: 'https://node.example/v2/KEY' });
 * await fork.rpc('eth_blockNumber') // '0x14a3f50'
 * await fork.stop();
 */
export async function openFork(source: ForkSource, options: ForkOptions = {}): Promise<Fork> {
  const place = await openPlace(await startSource(source), options);
  try {
    const { info } = options;
    const wrappedNative = readAddress(info?.wrappedNativeTokenAddress);
    const isNative = wrappedNative !== undefined && (await isNativeToken(place.rpc, wrappedNative));
    const nativeToken = isNative ? wrappedNative : undefined;
    const approvals = await readApprovals(place.rpc, info?.routers ?? []);
    return new Fork(place, {
      ...options,
      chainId: source.chainId,
      wrappedNative,
      nativeToken,
      approvals,
      // A chosen block is settled at times that are known.
      slotS: options.blockNumber === undefined ? await readSlot(place) : 1,
    });
  } catch (error) {
    await place.stop();
    throw error;
  }
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

async function readSlot({ block: { number, timestamp }, readBlock }: Place): Promise<number> {
  if (number === 0) return 1;
  const parent = await readBlock(number - 1).catch((error: unknown) => {
    if (!isForkError(error)) throw error;
  });
  const apart = timestamp - (parent?.timestamp ?? timestamp);
  return apart > 0 && apart <= MAX_SLOT_S ? apart : 1;
}

/** A chain at one block, with accounts that can make any trade on it. */
export class Fork implements ForkedChain, StateSource {
  readonly chainId: number;
  /** Calls the chain at the forked block. */
  readonly rpc: Rpc;
  readonly salt: string;
  readonly accounts: Accounts;
  readonly wrappedNative: Address | undefined;
  readonly nativeToken: Address | undefined;
  readonly bystanders: readonly Address[];
  readonly funding: Funding;
  readonly #place: Place;
  readonly #approvals: ReadonlyMap<RouterName, Approval>;
  readonly #now: () => number;
  readonly #serviceClock: { readonly aheadS: number };
  readonly #first: Block;
  readonly #slotS: number;
  readonly #reads: Results = new Map();
  #gasCap: Promise<bigint | undefined> | undefined;
  #refreshedAt: number;

  constructor(
    place: Place,
    options: ForkOptions &
      Pick<Fork, 'chainId' | 'wrappedNative' | 'nativeToken'> & {
        readonly approvals: ReadonlyMap<RouterName, Approval>;
        /** Seconds between blocks, if they may be constant; otherwise 1. */
        readonly slotS: number;
      },
  ) {
    const { listed = [], now = Date.now, serviceClock = { aheadS: 0 } } = options;
    this.chainId = options.chainId;
    this.rpc = place.rpc;
    this.salt = options.salt ?? randomUUID();
    this.accounts = options.accounts ?? accountsFrom(this.salt);
    this.wrappedNative = options.wrappedNative;
    this.nativeToken = options.nativeToken;
    this.bystanders = listed.flatMap((token) => readAddress(token) ?? []).slice(0, MAX_BYSTANDERS);
    this.funding = new Funding(place.rpc);
    this.#place = place;
    this.#approvals = options.approvals;
    this.#now = now;
    this.#serviceClock = serviceClock;
    this.#first = place.block;
    this.#slotS = options.slotS;
    this.#refreshedAt = now();
  }

  get block(): Block {
    return this.#place.block;
  }

  get maxBlockGas(): bigint | undefined {
    return this.#place.maxBlockGas;
  }

  get approvals(): readonly Approval[] {
    return [...this.#approvals.values()];
  }

  approvalOf(router: RouterName): Approval | undefined {
    return this.#approvals.get(router);
  }

  /** Returns the maximum gas limit of a transaction, if the node reports one. Reads it once. */
  gasCap(): Promise<bigint | undefined> {
    this.#gasCap ??= this.#place.readGasCap();
    return this.#gasCap;
  }

  /**
   * Forks the given block or, if the chain has advanced, the latest block. Returns true if the
   * forked block has changed. Reads the latest block at most every two seconds, so that plans
   * quoted within that time share a block.
   */
  async refresh(blockNumber?: number): Promise<boolean> {
    if (blockNumber === undefined) {
      if (this.#now() - this.#refreshedAt < SHARED_BLOCK_MS) return false;
      this.#refreshedAt = this.#now();
    }
    const block = await undefinedIfNodeFailed(() => this.#place.readBlock(blockNumber));
    if (block === undefined || block.number === this.block.number) return false;
    // Several nodes may share a URL, and some may lag behind the node that replied before.
    if (blockNumber === undefined && block.number < this.block.number) return false;
    const isMoved = await undefinedIfNodeFailed(async () => {
      await this.#place.moveTo(block);
      return true;
    });
    if (isMoved === undefined) return false;
    this.#reads.clear();
    return true;
  }

  /** Returns true if the chain has not advanced since it was forked, nor for some time before. */
  stoodStill(): boolean {
    const { number, timestamp } = this.#first;
    return this.block.number === number && this.#now() / 1000 - timestamp > STILL_AFTER_S;
  }

  /** Returns the Unix time by the service's clock, in seconds. */
  serviceTime(): number {
    return this.#machineTime() + this.#serviceClock.aheadS;
  }

  /** Returns the age of the forked block in seconds. */
  secondsBehind(): number {
    return this.#machineTime() - this.block.timestamp;
  }

  nextBlockTime(waitS = NEXT_BLOCK_S): number {
    const { timestamp } = this.block;
    const isNear = (time: number) => Math.abs(timestamp - time) <= STILL_AFTER_S;
    const [machine, service] = [this.#machineTime(), this.serviceTime()];
    const present = isNear(service) && !isNear(machine) ? service : machine;
    return this.lastBlockTime(Math.max(timestamp, present) + waitS, Math.ceil);
  }

  /**
   * Returns the time of the last block at or before a time, in Unix seconds. On some chains, blocks
   * are a multiple of some seconds apart, and a contract could notice any other time.
   */
  lastBlockTime(time: number, round = Math.floor): number {
    const { timestamp } = this.block;
    return timestamp + round((time - timestamp) / this.#slotS) * this.#slotS;
  }

  /** Returns the result of `read`, which reads the forked block. Runs it only once for each key. */
  readOnce<Result>(key: string, read: () => Promise<Result>): Promise<Result> {
    return once(this.#reads, key, read);
  }

  /** Returns whether an account is a contract. */
  hasCode(account: Address): Promise<boolean> {
    return this.readOnce(`code of ${account}`, async () => {
      return (await this.rpc<string>('eth_getCode', [account, 'latest'])) !== '0x';
    });
  }

  /**
   * Runs work on an unchanged copy of the block, and returns the chain state that the work read.
   * Returns undefined if the block cannot be copied.
   */
  recordState(work: (copy: StateSource) => Promise<void>): ReturnType<Place['recordState']> {
    return this.#place.recordState(work).finally(() => this.#reads.clear());
  }

  /**
   * Throws `NodeLossError` if a token reports balances on the chain but not in its copy, because
   * Anvil cannot run the token's code.
   */
  checkToken(token: Address): Promise<void> {
    return this.#place.checkToken(token);
  }

  /** Returns the faults of the node so far, one sentence for each. */
  losses(): readonly string[] {
    return this.#place.losses();
  }

  /** Stops the copy. May be called twice. */
  stop(): Promise<void> {
    return this.#place.stop();
  }

  #machineTime(): number {
    return Math.floor(this.#now() / 1000);
  }
}
