import PQueue from 'p-queue';
import type { Overrides } from '../model/scenario.ts';
import { type Effects, effectsOf, type Settled, type Trade } from '../model/settlement.ts';
import type { ForkSession } from './fork-session.ts';
import { undefinedIfNodeFailed } from './node-losses.ts';
import { joined } from './provisions.ts';
import { holdersOf, scenarioOf } from './scenario.ts';
import type { UserCall } from './send.ts';
import { simulate } from './simulate.ts';

/** A trade after calls that move its market. */
export type MovedTrade = Omit<Trade, 'exchange'> & {
  /** Unix time in seconds. */
  readonly timestamp: number;
  /** Calls of the user before the trade. */
  readonly earlier?: readonly UserCall[] | undefined;
  /** Accounts that those calls need. */
  readonly overrides?: Overrides | undefined;
};

/** Maximum number of trades that are settled concurrently. */
const CONCURRENT_TRADES = 16;

/** Settles trades independently; undefined for one whose state the node did not return. */
export function settleMoved(
  session: ForkSession,
  trades: readonly MovedTrade[],
): Promise<readonly ((Settled & { readonly effects: Effects }) | undefined)[]> {
  const settleOne = (trade: MovedTrade) => () =>
    undefinedIfNodeFailed(async () => {
      const { request, timestamp, earlier = [], overrides = {} } = trade;
      const plain = await scenarioOf(session, trade, timestamp);
      if (typeof plain === 'string') return undefined;
      const before = earlier.map((call) => ({ ...call, from: request.user }));
      const scenario = { ...plain, ...joined(plain, { overrides, before }) };
      const settlement = await simulate(session.fork(), scenario);
      const effects = effectsOf(trade, holdersOf(session, trade), settlement);
      return { scenario, settlement, effects };
    });
  return new PQueue({ concurrency: CONCURRENT_TRADES }).addAll(trades.map(settleOne));
}
