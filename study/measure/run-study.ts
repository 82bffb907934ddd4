import {
  type RunningSource,
  readBlock,
  startSource,
} from '../../conformance/execution/fork/source.ts';
import { createRpc } from '../../conformance/execution/node/json-rpc.ts';
import type { ForkSource } from '../../conformance/service/fork-option.ts';
import { type Budget, budgetOf } from '../corpus/budget.ts';
import { chooseCorpus, commonMarket } from '../corpus/choose-corpus.ts';
import type { MeasuredTrade } from '../model/measured-trade.ts';
import type { Optimizer } from '../model/optimizer.ts';
import type { StudySettings } from '../model/settings.ts';
import { abortable } from './abortable.ts';
import { measureChain } from './measure-chain.ts';
import { CannotStudyError, openStudied, type StudiedAccess } from './studied-service.ts';

/** Services, chains and settings of a study. */
export type StudyOptions = {
  readonly services: readonly StudiedAccess[];
  readonly forks: readonly ForkSource[];
  readonly settings: StudySettings;
  /** Finds the best plans, with which quotes are compared. Default: no comparison. */
  readonly optimizer?: Optimizer | undefined;
  readonly signal: AbortSignal;
  /** Waits for the next block. Default: half a second. */
  readonly pause?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly onEvent?: ((event: StudyEvent) => void) | undefined;
};

type BudgetEvent = {
  readonly kind: 'budget';
  readonly budget: Budget;
  readonly blockSeconds: number;
};

/** Progress of a study. */
export type StudyEvent =
  | BudgetEvent
  | { readonly kind: 'discovered'; readonly service: string; readonly requests: number }
  | {
      readonly kind: 'progress';
      readonly requested: number;
      readonly trades: number;
      /** Number of plans settled so far, at any block. */
      readonly settled: number;
      readonly settlements: number;
    };

/** Returns the cost of a study at the current pace of its chains. */
async function budgetFor({
  settings,
  services,
  forks,
}: Pick<StudyOptions, 'settings' | 'services' | 'forks'>): Promise<BudgetEvent> {
  const sources = await Promise.all(forks.map(startSource));
  const blockSeconds = Math.max(...(await Promise.all(sources.map(secondsPerBlock))));
  return {
    kind: 'budget',
    budget: budgetOf(settings, services.length, { blockSeconds, rate: services[0]?.rate }),
    blockSeconds,
  };
}

/** Measurements of a study. */
export type Measured = {
  readonly trades: readonly MeasuredTrade[];
  /** Number of trades that are missing, wholly or in part. */
  readonly missing: number;
  readonly notes: readonly string[];
  /** Number of requests by service. */
  readonly requests: readonly number[];
};

/**
 * Measures how well services keep their quotes. After an abort, returns the measurements so far.
 * @throws {CannotStudyError} if a service does not respond or nothing can be settled
 */
export async function runStudy(options: StudyOptions): Promise<Measured> {
  const { settings, signal, onEvent = () => {} } = options;
  const sources = await abortable(signal, Promise.all(options.forks.map(startSource)));
  onEvent(await abortable(signal, budgetFor(options)));
  const opened = await Promise.allSettled(
    options.services.map(async (access) => {
      const service = await openStudied(access, settings.chains, signal);
      onEvent({ kind: 'discovered', service: service.name, requests: service.sent() });
      return service;
    }),
  );
  const services = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  try {
    const [failure] = opened.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    if (failure !== undefined) throw failure;
    const facts = services.map((service) => service.facts);
    const chains = settings.chains.flatMap((chainId) => commonMarket(facts, chainId) ?? []);
    if (chains.length === 0) {
      const names = settings.chains.join(', ');
      const why = `no pair with a price had a plan with calldata on chain ${names}`;
      throw new CannotStudyError(services[0]?.name ?? '', why);
    }
    const corpus = chooseCorpus(chains, settings);
    const trades: MeasuredTrade[] = [];
    const tally = createTally(corpus.length, settings, onEvent);
    const ends = await Promise.all(
      chains.map(({ chainId }) =>
        measureChain({
          ...options,
          source: sources.find((source) => source.chainId === chainId) as RunningSource,
          services,
          trades: corpus.filter((trade) => trade.chainId === chainId),
          onStep: tally,
          onMeasured: (measured) => trades.push(...measured),
        }),
      ),
    );
    const lost = services.flatMap(({ name, lost }) => {
      const why = lost();
      return why === undefined ? [] : [`${name}: ${why}`];
    });
    const failed = lost.length === 0 ? [] : trades.filter(hasFailedReply);
    const missing = corpus.length - trades.length + failed.length;
    trades.push(...ends.flatMap(({ unfinished }) => unfinished));
    return {
      trades: trades.sort((a, b) => a.id - b.id),
      missing,
      notes: [...lost, ...ends.flatMap(({ notes }) => notes)],
      requests: services.map(({ sent }) => sent()),
    };
  } finally {
    await Promise.all(services.map((service) => service.close()));
  }
}

function hasFailedReply({ answers }: MeasuredTrade): boolean {
  return answers.some(({ kind }) => kind === 'failed');
}

function createTally(
  trades: number,
  { blocks }: StudySettings,
  onEvent: (event: StudyEvent) => void,
): (step: 'requested' | 'settled', count: number) => void {
  const done = { requested: 0, settled: 0 };
  return (step, count) => {
    done[step] += count;
    onEvent({ kind: 'progress', ...done, trades, settlements: trades * blocks.length });
  };
}

const BLOCKS_BACK = 20;

async function secondsPerBlock({ rpcUrl }: RunningSource): Promise<number> {
  const rpc = createRpc(rpcUrl);
  const head = await readBlock(rpc);
  const gaps = [1, BLOCKS_BACK].map(async (count) => {
    const back = Math.min(count, head.number);
    const earlier = back === 0 ? head : await readBlock(rpc, head.number - back);
    return (head.timestamp - earlier.timestamp) / Math.max(1, back);
  });
  return Math.min(...(await Promise.all(gaps)));
}
