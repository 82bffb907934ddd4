import { randomUUID } from 'node:crypto';
import type { Exchange } from '../client/exchange.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { calldataRoutersOf } from '../generate/forms.ts';
import type {
  Executed,
  Execution,
  Executor,
  Explanation,
  OpenExecutor,
  SkippedPlan,
  Variation,
} from '../model/executor.ts';
import type { Evidence, EvidenceKind } from '../model/settlement.ts';
import type { ForkSource } from '../service/fork-option.ts';
import { recordReplay } from './explain/evidence.ts';
import { explainSettlement } from './explain/explain.ts';
import { ServiceClock } from './fork/clocks.ts';
import { type Fork, type ForkedMarket, openFork } from './fork/fork.ts';
import { isForkError } from './fork/source.ts';
import { confirmItem } from './rows/confirm.ts';
import { type SettledRows, settlePlans } from './rows/settle-plans.ts';
import { settleByPools } from './rows/through-pools.ts';
import { varyItem } from './rows/vary.ts';
import { type Accounts, accountsFrom } from './scenario/accounts.ts';
import { readAddress } from './settle/read-swap-plan.ts';

/** Options of an executor; only the forks are required. */
export type ExecutorOptions = {
  /** Chains to fork. Chains that the service does not list are skipped. */
  readonly forks: readonly ForkSource[];
  /**
   * Total number of plans that are settled as returned, on all chains. Default 216: two of every
   * kind.
   */
  readonly plans?: number;
  /** Returns the milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
  /**
   * Text from which the accounts of the run and the circumstances of its trades are derived.
   * Default: random, so that no service and no contract has seen them before.
   */
  readonly salt?: string | undefined;
};

/** Returns an executor of a service's plans on forks of the given chains. */
export function createExecutor(
  options: ExecutorOptions,
  service: Parameters<OpenExecutor>[0],
): Executor {
  return new ForkExecutor(options, service);
}

class ForkExecutor implements Executor {
  readonly #options: ExecutorOptions;
  readonly #service: Parameters<OpenExecutor>[0];
  readonly #salt: string;
  readonly #accounts: Accounts;
  readonly #serviceClock = new ServiceClock();
  readonly #forks = new Map<number, Promise<Fork>>();
  readonly #opened = new Map<number, ForkedMarket>();
  /** Plans that were settled for kinds of evidence that have not been requested yet. */
  readonly #settledAhead = new Map<ForkedMarket, SettledRows>();
  /** Variations of each item, cached because an item may break several rules. */
  readonly #varied = new WeakMap<object, Promise<readonly Variation<object>[] | undefined>>();
  /** Replies with settled plans. */
  readonly #settled = new Set<Exchange>();
  readonly #skipped = new Set<SkippedPlan>();
  /** Reasons why the plans of a chain were not settled for some kind of evidence. */
  readonly #missedChains = new Set<string>();

  constructor(options: ExecutorOptions, service: Parameters<OpenExecutor>[0]) {
    this.#options = options;
    this.#service = {
      ...service,
      get: async (target) => {
        const exchange = await service.get(target);
        this.#serviceClock.read(exchange);
        return exchange;
      },
    };
    this.#salt = options.salt ?? randomUUID();
    this.#accounts = accountsFrom(this.#salt);
  }

  async execute<Kind extends EvidenceKind>(
    kind: Kind,
    kinds: readonly EvidenceKind[] = [kind],
  ): Promise<Execution<Evidence[Kind]>> {
    const { forks, plans = 216 } = this.#options;
    const missed: string[] = [];
    const chains = forks.flatMap((source) => {
      const market = this.#service.facts.markets.get(source.chainId);
      const why = whyNotExecuted(source.chainId, market, kind);
      if (why !== undefined) missed.push(why);
      return why !== undefined || market === undefined ? [] : [{ source, market }];
    });
    for (const why of missed) this.#missedChains.add(why);
    if (chains.length === 0) return { kind: 'not-applicable', why: missed.join('; ') };
    const share = Math.ceil(plans / chains.length);
    let done: readonly Executed<Evidence[Kind]>[];
    try {
      done = await allOrFirstError(
        chains.map(async ({ source, market }) => {
          const forked = await this.#forkedOn(source, market);
          const executed = await this.#settle(forked, share, kind, kinds);
          if (kind === 'as-returned' && executed.items.length + executed.skipped.length === 0) {
            this.#missedChains.add(noCalldata(market));
          }
          return executed;
        }),
      );
    } catch (error) {
      if (isForkError(error)) return { kind: 'could-not-run', why: error.message };
      throw error;
    }
    const { items, skipped, wanted } = concatenated(done);
    for (const { exchange } of items.filter(isTried)) this.#settled.add(exchange);
    for (const each of skipped) this.#skipped.add(each);
    const lost = skipped.find((each) => each.kind === 'not-read');
    if (items.length === 0 && lost !== undefined) {
      return { kind: 'could-not-run', why: `no plan could be settled: ${lost.reason}` };
    }
    return { kind: 'executed', items, skipped, wanted };
  }

  /**
   * Settles each plan once for all kinds of evidence, unless a plan is requested without calldata.
   */
  async #settle<Kind extends EvidenceKind>(
    forked: ForkedMarket,
    plans: number,
    kind: Kind,
    kinds: readonly EvidenceKind[],
  ): Promise<Executed<Evidence[Kind]>> {
    let executed: Executed<Evidence[EvidenceKind]> | undefined;
    if (kind === 'through-pools') executed = await settleByPools(forked, plans);
    else {
      const ahead = this.#settledAhead.get(forked);
      const together = kinds.filter((each) => each !== 'through-pools');
      const rows = ahead?.has(kind) ? ahead : await settlePlans(forked, plans, together);
      executed = rows.get(kind);
      this.#settledAhead.set(forked, new Map([...rows].filter(([each]) => each !== kind)));
    }
    return (executed ?? { items: [], skipped: [] }) as Executed<Evidence[Kind]>;
  }

  async confirm<Item extends Evidence[EvidenceKind]>(item: Item): Promise<Item | undefined> {
    const again = await this.#onFork(item, ({ fork }) => confirmItem(fork, item));
    return again as Item | undefined;
  }

  async vary<Item extends Evidence[EvidenceKind]>(item: Item): Promise<readonly Variation<Item>[]> {
    const known = this.#varied.get(item);
    const varied = known ?? this.#onFork(item, (forked) => varyItem(forked, item));
    this.#varied.set(item, varied);
    return ((await varied) ?? []) as readonly Variation<Item>[];
  }

  async explain(item: Evidence[EvidenceKind]): Promise<Explanation | undefined> {
    return this.#onFork(item, async (forked) => {
      const explained = await explainSettlement(forked, item);
      return explained && { explained, state: await recordReplay(forked.fork, explained) };
    });
  }

  remarks(): readonly string[] {
    const losses = remarksOf(this.#opened.values());
    const skipped = [...this.#skipped].filter(({ reason }) => !losses.includes(reason));
    return [...losses, ...skippedRemarks(this.#settled.size, skipped, this.#missedChains)];
  }

  async close(): Promise<void> {
    const openings = [...this.#forks.values()];
    this.#forks.clear();
    // A fork that never opens does not keep the others running.
    await Promise.all(
      openings.map((opening) =>
        opening.then(
          (fork) => fork.stop(),
          () => undefined,
        ),
      ),
    );
  }

  async #forkedOn(source: ForkSource, market: ChainMarket): Promise<ForkedMarket> {
    const { facts } = this.#service;
    const { chainId } = source;
    const opening =
      this.#forks.get(chainId) ??
      openFork(source, {
        info: facts.chainInfo.get(chainId),
        listed: (facts.tokens.get(chainId) ?? []).map(({ address }) => address),
        salt: this.#salt,
        accounts: { ...this.#accounts, user: readAddress(market.user) ?? this.#accounts.user },
        now: this.#options.clock ?? Date.now,
        serviceClock: this.#serviceClock,
      });
    this.#forks.set(chainId, opening);
    const fork = await opening;
    const forked = this.#opened.get(chainId) ?? { service: this.#service, market, fork };
    this.#opened.set(chainId, forked);
    return forked;
  }

  /** Runs work on the fork of an item, and returns the result; undefined if the fork fails. */
  async #onFork<Result>(
    { request: { chainId } }: Evidence[EvidenceKind],
    work: (forked: ForkedMarket) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const forked = this.#opened.get(chainId);
    if (forked === undefined) return undefined;
    try {
      return await work(forked);
    } catch (error) {
      if (isForkError(error)) return undefined;
      throw error;
    }
  }
}

function concatenated<Item>(all: readonly Executed<Item>[]): Required<Executed<Item>> {
  return {
    items: all.flatMap(({ items }) => items),
    skipped: all.flatMap(({ skipped }) => skipped),
    wanted: new Map(all.flatMap(({ wanted = [] }) => [...wanted])),
  };
}

async function allOrFirstError<Result>(work: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/**
 * Returns false for a plan whose pools cannot be traded with, since it is also among the skipped
 * plans.
 */
function isTried(item: Evidence[EvidenceKind]): boolean {
  return !('pools' in item) || item.pools.kind !== 'unknown';
}

/**
 * Returns remarks on chains without a settled plan, and on trades that a node did not settle or
 * whose user could not be funded. If a chain returned no calldata, also remarks on trades whose
 * pools cannot be traded with.
 */
function skippedRemarks(
  settled: number,
  skipped: readonly SkippedPlan[],
  missedChains: ReadonlySet<string>,
): readonly string[] {
  const kinds: readonly SkippedPlan['kind'][] =
    missedChains.size === 0 ? NOT_SETTLED : [...NOT_SETTLED, 'not-traded'];
  const counts = kinds.flatMap((kind) => {
    const ofKind = skipped.filter((each) => each.kind === kind);
    const [first] = ofKind;
    if (first === undefined) return [];
    return [
      `${ofKind.length} of ${settled + skipped.length} trades were not settled, such as ${first.trade}: ${first.reason}`,
    ];
  });
  return [...missedChains, ...counts];
}

const NOT_SETTLED: readonly SkippedPlan['kind'][] = [
  'not-read',
  'not-funded',
  'wrong-time',
  'wrong-token',
];

function remarksOf(opened: Iterable<ForkedMarket>): readonly string[] {
  return [...new Set([...opened].flatMap(({ fork }) => fork.losses()))];
}

/** Returns the reason why plans cannot be executed on a chain; undefined if they can. */
function whyNotExecuted(
  chainId: number,
  market: ChainMarket | undefined,
  kind: EvidenceKind,
): string | undefined {
  if (market === undefined) return `the service does not list the forked chain ${chainId}`;
  if (market.addresses !== 'evm') return `chain ${chainId} is not an EVM chain`;
  if (market.pairs.length === 0) return `no pair returned a plan on chain ${chainId}`;
  if (kind === 'through-pools' || calldataRoutersOf(market).length > 0) return undefined;
  return noCalldata(market);
}

function noCalldata({ chainId, requestedRouters, user, calldataRejection }: ChainMarket): string {
  if (calldataRejection !== undefined) {
    const advice =
      user === undefined
        ? ': if it serves only accounts with funds, pass one with --user ADDRESS'
        : ` (for --user ${user})`;
    return `the service rejected every request for calldata on chain ${chainId} with ${calldataRejection}${advice}`;
  }
  const requested = [...new Set(requestedRouters)].join(', ');
  return `chain ${chainId} returned no calldata for the requested routers, ${requested}: pass --router-name OURS=THEIRS if the service has other names for them`;
}
