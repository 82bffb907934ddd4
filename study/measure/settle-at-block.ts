import { isForkError } from '../../conformance/execution/fork.ts';
import { type ForkSession, NEXT_BLOCK_S } from '../../conformance/execution/fork-session.ts';
import { NodeLossError } from '../../conformance/execution/node-losses.ts';
import { needsOf, type PlannedTrade } from '../../conformance/execution/planned-trade.ts';
import { tryTrade, tryTrades } from '../../conformance/execution/try-trades.ts';
import type { Outcome, Quoted } from '../model/measured-trade.ts';

/** A plan to settle, some blocks after its quote. */
export type Due = {
  readonly planned: PlannedTrade;
  /** Its outcome is added here. */
  readonly outcomes: Outcome[];
  readonly blocks: number;
  /** If set, the plan is mined as well, and its gas is added here. */
  readonly mined?: { readonly answer: Quoted; readonly gasPriceWei: bigint };
};

/**
 * Settles plans of one service on a fork at a block, and adds the outcome to each
 * answer. If the node no longer has the block, the outcome is unknown.
 */
export async function settleAtBlock(
  openSession: () => Promise<ForkSession>,
  blockNumber: number,
  dues: readonly Due[],
): Promise<void> {
  try {
    const session = await openSession();
    await session.refresh(blockNumber);
    if (session.fork().block.number !== blockNumber) throw new NodeLossError('history', 'the fork');
    await settle(session, dues);
  } catch (error) {
    if (!isLoss(error)) throw error;
    for (const due of dues) {
      const isKnown = due.outcomes.some(({ blocks }) => blocks === due.blocks);
      if (!isKnown) addOutcome(due, { kind: 'unknown', why: error.message });
    }
  }
}

/** Returns whether an error is the loss of a node or of one of its blocks. */
export function isLoss(error: unknown): error is Error {
  return isForkError(error) || error instanceof NodeLossError;
}

async function settle(session: ForkSession, dues: readonly Due[]): Promise<void> {
  const notFunded = await session.prepare(needsOf(dues.map(({ planned }) => planned)));
  const settled = dues.filter((due) => {
    const why = whyNotFunded(session, due.planned, notFunded);
    if (why !== undefined) addOutcome(due, { kind: 'unknown', why });
    return why === undefined;
  });
  const timestamp = session.fork().block.timestamp + NEXT_BLOCK_S;
  const trials = await tryTrades(
    session,
    settled.map(({ planned }) => ({ ...planned, timestamp })),
  );
  for (const [at, due] of settled.entries()) {
    const effect = trials[at]?.effects;
    if (effect?.kind === 'settled') {
      const [spent, received] = [String(effect.spent), String(effect.received)];
      addOutcome(due, { kind: 'settled', spent, received });
      const { planned, mined } = due;
      if (mined) mined.answer.mined = await mineTrade(session, planned, mined.gasPriceWei);
    } else if (effect === undefined) {
      addOutcome(due, {
        kind: 'unknown',
        why: 'the node did not return the state that the trade reads',
      });
    } else addOutcome(due, { kind: 'reverted', reason: effect.reason });
  }
}

function whyNotFunded(
  session: ForkSession,
  { request, plan }: PlannedTrade,
  notFunded: ReadonlyMap<string, string>,
): string | undefined {
  if (request.sell.native) return undefined;
  const isListed = session.approval(request.router) !== undefined;
  return isListed ? notFunded.get(plan.sell.token) : `/chainInfo lists no ${request.router}`;
}

async function mineTrade(
  session: ForkSession,
  planned: PlannedTrade,
  gasPriceWei: bigint,
): Promise<NonNullable<Quoted['mined']>> {
  const timestamp = session.blockTimeIn(NEXT_BLOCK_S);
  const trade = { ...planned, timestamp };
  const { mined } = await tryTrade(session, trade, planned.transaction.gasLimit);
  if (mined.kind === 'refused') return { kind: 'rejected', reason: mined.reason };
  const { success, gasUsed } = mined;
  const gas = { gasUsed: String(gasUsed), gasPriceWei: String(gasPriceWei) };
  return { kind: 'mined', success, ...gas };
}

function addOutcome({ outcomes, blocks }: Due, outcome: WithoutBlocks<Outcome>): void {
  outcomes.push({ blocks, ...outcome });
}

type WithoutBlocks<Union> = Union extends unknown ? Omit<Union, 'blocks'> : never;
