import { SYSTEM_CLOCK, sleep } from '../../conformance/client/clock.ts';
import { messageOf } from '../../conformance/contract/message-of.ts';
import { type Fork, openFork } from '../../conformance/execution/fork/fork.ts';
import { type RunningSource, readBlock } from '../../conformance/execution/fork/source.ts';
import {
  createRpc,
  hideUrl,
  originOf,
  type Rpc,
} from '../../conformance/execution/node/json-rpc.ts';
import { noticeLag } from '../../conformance/execution/node/lagging-node.ts';
import { createPatientRpc } from '../../conformance/execution/node/patient-rpc.ts';
import type { PlannedTrade } from '../../conformance/execution/scenario/scenario.ts';
import type { MeasuredTrade, StudyTrade } from '../model/measured-trade.ts';
import type { Optimizer } from '../model/optimizer.ts';
import type { StudySettings } from '../model/settings.ts';
import { abortable } from './abortable.ts';
import { findBest } from './find-best.ts';
import { requestTrade, type TradeReply } from './request-trade.ts';
import { type Due, isLoss, settleAtBlock } from './settle-at-block.ts';
import type { StudiedService } from './studied-service.ts';
import { STUDY_ACCOUNTS } from './study-accounts.ts';

type ChainOptions = {
  readonly source: RunningSource;
  readonly services: readonly StudiedService[];
  readonly trades: readonly StudyTrade[];
  readonly settings: StudySettings;
  /** Waits for the next block. Default: half a second. */
  readonly pause?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly optimizer?: Optimizer | undefined;
  readonly signal: AbortSignal;
  /** Called after trades were requested, or settled at a block. */
  readonly onStep: (step: 'requested' | 'settled', count: number) => void;
  readonly onMeasured: (trades: readonly MeasuredTrade[]) => void;
};

const POLL_MS = 500;
/** Time without a new block after which a chain counts as still. */
const STILL_AFTER_MS = 60_000;
const MAX_ATTEMPTS = 3;
/**
 * Maximum number of consecutive failures to read a block. After more failures, the node is
 * abandoned.
 */
const MAX_FAILURES = 10;

/**
 * Requests the trades of a chain, one ladder per block, and settles each plan on forks at the block
 * of its quote and at the later blocks of the settings. If a chain mines no blocks, all ladders are
 * requested at once and later blocks are omitted.
 */
export async function measureChain(options: ChainOptions) {
  return new ChainMeasurement(options).run();
}

type Ladder = {
  readonly block: number;
  readonly gasPriceWei: bigint;
  readonly trades: readonly RequestedTrade[];
};
type RequestedTrade = { readonly trade: StudyTrade; readonly replies: readonly TradeReply[] };

class ChainMeasurement {
  readonly #options: ChainOptions;
  readonly #origin: Rpc;
  readonly #waiting: (readonly StudyTrade[])[];
  readonly #forks = new Map<StudiedService, Fork>();
  /** Requested ladders, each with the blocks at which it has not been settled yet. */
  readonly #inFlight = new Map<Ladder, Set<number>>();
  readonly #notes = new Set<string>();
  #isStill = false;
  #head = -1;

  constructor(options: ChainOptions) {
    this.#options = options;
    const { source, signal } = options;
    const origin = originOf(source.rpcUrl);
    this.#origin = createPatientRpc(noticeLag(createRpc(source.rpcUrl)), { origin, signal });
    const ladders = new Set(options.trades.map(({ ladder }) => ladder));
    this.#waiting = [...ladders].map((of) => options.trades.filter(({ ladder }) => ladder === of));
  }

  /**
   * Returns the trades that were not completely measured because the study ended,
   * and notes for the report.
   */
  async run() {
    const { signal } = this.#options;
    try {
      await abortable(signal, this.#measureAll());
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await Promise.all([...this.#forks.values()].map((fork) => fork.stop()));
    }
    const unfinished = [...this.#inFlight.keys()].flatMap((ladder) => measuredOf(ladder));
    return { unfinished, notes: [...this.#notes] };
  }

  async #measureAll(): Promise<void> {
    const { signal, settings } = this.#options;
    let [requestedAt, movedAt, last] = [-1, performance.now(), -1];
    let failures = 0;
    while (!signal.aborted && (this.#waiting.length > 0 || this.#inFlight.size > 0)) {
      const head = await this.#readHead();
      failures = head === undefined ? failures + 1 : 0;
      if (failures > MAX_FAILURES) break;
      if (head === undefined) {
        await this.#wait();
        continue;
      }
      if (head !== last) [last, movedAt] = [head, performance.now()];
      this.#isStill ||= performance.now() - movedAt > STILL_AFTER_MS;
      const isPaced = settings.blocks.some((blocks) => blocks > 0) && !this.#isStill;
      const mayRequest = this.#waiting.length > 0 && !(isPaced && head === requestedAt);
      if (mayRequest) requestedAt = await this.#requestLadder(head);
      const settled = await this.#settleNext(head);
      if (!mayRequest && !settled) await this.#wait();
    }
  }

  async #readHead(): Promise<number | undefined> {
    try {
      // Several nodes may share one URL and differ in their latest block, so the highest block
      // counts.
      this.#head = Math.max(this.#head, (await readBlock(this.#origin)).number);
      return this.#head;
    } catch (error) {
      if (!isLoss(error)) throw error;
      this.#notes.add(error.message);
      return undefined;
    }
  }

  async #wait(): Promise<void> {
    const { pause, signal, source } = this.#options;
    if (this.#isStill) {
      // No later blocks will arrive.
      for (const [ladder, blocks] of this.#inFlight) this.#finish(ladder, blocks);
      this.#notes.add(
        `chain ${source.chainId} mined no block for ${STILL_AFTER_MS / 1000} s: later blocks are omitted`,
      );
    } else await (pause?.(signal) ?? sleep(SYSTEM_CLOCK, POLL_MS, signal));
  }

  /**
   * Requests a ladder from all services and returns its block. Repeats the requests if a block
   * arrived in the meantime.
   */
  async #requestLadder(head: number): Promise<number> {
    const { settings, services, signal, onStep } = this.#options;
    const trades = this.#waiting.shift() ?? [];
    const gasPrice = settings.gasPriceWei ?? (await this.#origin<string>('eth_gasPrice'));
    const gasPriceWei = BigInt(gasPrice);
    let block = head;
    for (let attempt = 1; ; attempt += 1) {
      const requested: RequestedTrade[] = [];
      for (const trade of trades) {
        requested.push({ trade, replies: await requestFromAll(services, trade, settings) });
      }
      const after = (await this.#readHead()) ?? block;
      const isOneBlock = after === block;
      block = after;
      if (signal.aborted) return block;
      if (!isOneBlock && attempt < MAX_ATTEMPTS) continue;
      const ladder: Ladder = { block, gasPriceWei, trades: requested };
      this.#inFlight.set(ladder, new Set(settings.blocks));
      await this.#findBest(ladder);
      onStep('requested', trades.length);
      return block;
    }
  }

  /**
   * Settles the plans that are due at the earliest block. Returns false if that block has not
   * arrived.
   */
  async #settleNext(head: number): Promise<boolean> {
    const due = [...this.#inFlight].flatMap(([ladder, left]) =>
      [...left].map((blocks) => ({ ladder, left, blocks, at: ladder.block + blocks })),
    );
    const at = Math.min(...due.map((each) => each.at));
    if (!(at <= Math.max(head, ...[...this.#inFlight.keys()].map(({ block }) => block)))) {
      return false;
    }
    const now = due.filter((each) => each.at === at);
    const { services, onStep } = this.#options;
    await Promise.all(
      services.map(async (service, index) => {
        const dues = now.flatMap(({ ladder, blocks }) => duesOf(ladder, index, blocks));
        if (dues.length > 0) await settleAtBlock(() => this.#forkOf(service), at, dues);
      }),
    );
    for (const { ladder, left, blocks } of now) {
      left.delete(blocks);
      onStep('settled', ladder.trades.length);
      if (left.size === 0) this.#finish(ladder, left);
    }
    return true;
  }

  /** Must run while the ladder's block is the latest block. */
  async #findBest(ladder: Ladder): Promise<void> {
    const { optimizer, services, source } = this.#options;
    if (optimizer === undefined) return;
    const info = services[0]?.facts.chainInfo.get(source.chainId);
    const plans = services.flatMap((_, index) => planned(ladder, index));
    try {
      await findBest(optimizer, info, { ...source, block: ladder.block }, plans);
    } catch (error) {
      // Other measurements do not depend on the best plan.
      const why = hideUrl(messageOf(error), source.rpcUrl);
      for (const { answer } of plans) answer.best = { kind: 'unknown', why };
    }
  }

  #finish(ladder: Ladder, left: ReadonlySet<number>): void {
    this.#inFlight.delete(ladder);
    this.#options.onStep('settled', left.size * ladder.trades.length);
    this.#options.onMeasured(measuredOf(ladder));
  }

  async #forkOf(service: StudiedService): Promise<Fork> {
    const { source } = this.#options;
    const opened = this.#forks.get(service);
    if (opened !== undefined) return opened;
    const info = service.facts.chainInfo.get(source.chainId);
    const fork = await openFork(source, {
      info,
      accounts: { ...STUDY_ACCOUNTS, user: service.user },
    });
    this.#forks.set(service, fork);
    return fork;
  }
}

type PlanReply = Extract<TradeReply, { readonly planned: PlannedTrade }>;

function planned({ trades }: Ladder, service: number): readonly PlanReply[] {
  const all = trades.flatMap(({ replies }) => replies[service] ?? []);
  return all.filter((each): each is PlanReply => each.planned !== undefined);
}

/** Gas is only measured at the block of the quote. */
function duesOf(ladder: Ladder, service: number, blocks: number): readonly Due[] {
  const { gasPriceWei } = ladder;
  return planned(ladder, service).map(({ planned: plan, answer }) => ({
    ...{ planned: plan, outcomes: answer.outcomes, blocks },
    ...(blocks === 0 && { mined: { answer, gasPriceWei } }),
  }));
}

/**
 * Sends a trade to all services at once. The services take turns to go first, so that the order
 * favors none.
 */
async function requestFromAll(
  services: readonly StudiedService[],
  trade: StudyTrade,
  settings: StudySettings,
): Promise<readonly TradeReply[]> {
  const first = trade.id % services.length;
  const turned = [...services.slice(first), ...services.slice(0, first)];
  const answers = await Promise.all(
    turned.map((service) => requestTrade(service, trade, settings)),
  );
  return services.map((service) => answers[turned.indexOf(service)] as TradeReply);
}

function measuredOf({ block, trades }: Ladder): readonly MeasuredTrade[] {
  return trades.map(({ trade, replies }) => ({
    ...trade,
    block,
    answers: replies.map(({ answer }) => answer),
  }));
}
