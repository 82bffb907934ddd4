import { type StudySettings, tradesIn } from '../model/settings.ts';

/** What a study is about to cost, told before it begins. */
export type Budget = {
  /** To each service. */
  readonly requests: number;
  readonly nodeCalls: number;
  readonly seconds: number;
};

/** Requests by which a chain is discovered, at most. */
const DISCOVERY_REQUESTS = 340;
/** Requests that are wrong in one way each. */
const PROBE_REQUESTS = 12;
/** To fork at a block and give an account what it sells there; and to settle a plan on the fork. */
const CALLS_A_FORK = 40;
const CALLS_A_PLAN = 10;

/** Returns what a study costs, `blockSeconds` being the longest time from block to block of its chains. */
export function budgetOf(settings: StudySettings, services: number, blockSeconds: number): Budget {
  const { sizes, blocks, chains } = settings;
  const asked = tradesIn(settings);
  const ladders = asked / sizes.length;
  const forks = services * ladders * blocks.length;
  const laddersAChain = Math.ceil(ladders / chains.length);
  return {
    requests: DISCOVERY_REQUESTS * chains.length + asked + PROBE_REQUESTS,
    nodeCalls: forks * CALLS_A_FORK + services * asked * blocks.length * CALLS_A_PLAN,
    seconds: Math.ceil((laddersAChain + Math.max(...blocks)) * blockSeconds),
  };
}
