import { type StudySettings, SURVIVAL_BPS, tradesIn } from '../model/settings.ts';

/** What a study is about to cost, told before it begins. */
export type Budget = {
  /** To each service. */
  readonly requests: number;
  readonly nodeCalls: number;
  readonly seconds: number;
};

/** Requests by which a chain is discovered, at most. */
const DISCOVERY_REQUESTS = 340;
/** Requests on a chain that are wrong in one way each. */
const PROBE_REQUESTS = 12;
/** To fork at a block and give an account what it sells there; and to settle a plan on the fork. */
const CALLS_A_FORK = 40;
const CALLS_A_PLAN = 10;

/** What is answered and settled in a second, where nothing limits it. */
const REQUESTS_A_SECOND = 20;
const PLANS_A_SECOND = 10;

/** How fast a study may go. */
type Pace = {
  /** The longest time from block to block of its chains. */
  readonly blockSeconds: number;
  /** Requests a second to each service, where that is limited. */
  readonly rate?: number | undefined;
};

/** Returns what a study costs: a ladder a block where later blocks are wanted, and all that follows. */
export function budgetOf(
  settings: StudySettings,
  services: number,
  { blockSeconds, rate = REQUESTS_A_SECOND }: Pace,
): Budget {
  const { sizes, blocks, chains, eachTolerance = false } = settings;
  const trades = tradesIn(settings);
  const ladders = trades / sizes.length;
  const asked = trades * (eachTolerance ? 1 + SURVIVAL_BPS.length : 1);
  const latest = Math.max(...blocks);
  const blocksWaited = latest === 0 ? 0 : Math.ceil(ladders / chains.length) + latest;
  const plans = services * asked * blocks.length;
  const requests = (DISCOVERY_REQUESTS + PROBE_REQUESTS) * chains.length + asked;
  return {
    requests,
    nodeCalls: services * ladders * blocks.length * CALLS_A_FORK + plans * CALLS_A_PLAN,
    seconds: Math.ceil(
      requests / rate + Math.max(blocksWaited * blockSeconds, plans / PLANS_A_SECOND),
    ),
  };
}
