import { type StudySettings, tradesIn } from '../model/settings.ts';

/** Estimated cost of a study, shown before it begins. */
export type Budget = {
  /** Requests to each service. */
  readonly requests: number;
  readonly nodeCalls: number;
  readonly seconds: number;
};

const MAX_DISCOVERY_REQUESTS = 340;
/**
 * Node calls for one fork at a block with a funded account, and for settling one plan on the fork.
 */
const CALLS_PER_FORK = 40;
const CALLS_PER_PLAN = 10;

const UNLIMITED_REQUESTS_PER_SECOND = 20;
const PLANS_PER_SECOND = 10;

type Pace = {
  readonly blockSeconds: number;
  readonly rate?: number | undefined;
};

/** Returns the cost of a study. If later blocks are measured, each ladder waits for a new block. */
export function budgetOf(
  settings: StudySettings,
  services: number,
  { blockSeconds, rate = UNLIMITED_REQUESTS_PER_SECOND }: Pace,
): Budget {
  const { sizes, blocks, chains } = settings;
  const trades = tradesIn(settings);
  const ladders = trades / sizes.length;
  const latest = Math.max(...blocks);
  const blocksWaited = latest === 0 ? 0 : Math.ceil(ladders / chains.length) + latest;
  const plans = services * trades * blocks.length;
  const requests = MAX_DISCOVERY_REQUESTS * chains.length + trades;
  return {
    requests,
    nodeCalls: services * ladders * blocks.length * CALLS_PER_FORK + plans * CALLS_PER_PLAN,
    seconds: Math.ceil(
      requests / rate + Math.max(blocksWaited * blockSeconds, plans / PLANS_PER_SECOND),
    ),
  };
}
