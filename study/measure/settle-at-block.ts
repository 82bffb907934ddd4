import type { Fork } from '../../conformance/execution/fork/fork.ts';
import { isForkError } from '../../conformance/execution/fork/source.ts';
import {
  NodeLossError,
  undefinedIfNodeFailed,
} from '../../conformance/execution/node/node-losses.ts';
import { fairEffects } from '../../conformance/execution/rows/fair-effects.ts';
import { NEXT_BLOCK_S } from '../../conformance/execution/scenario/circumstances.ts';
import {
  type PlannedTrade,
  scenarioOf,
  withinGasLimit,
} from '../../conformance/execution/scenario/scenario.ts';
import { isImpossible } from '../../conformance/execution/settle/impossible.ts';
import { settleEach } from '../../conformance/execution/settle/settle-each.ts';
import { simulate } from '../../conformance/execution/settle/simulate.ts';
import type { Settlement } from '../../conformance/model/scenario.ts';
import type { Outcome, Quoted } from '../model/measured-trade.ts';

/** A plan to settle, some blocks after its quote. */
export type Due = {
  readonly planned: PlannedTrade;
  /** The plan's outcome is added here. */
  readonly outcomes: Outcome[];
  readonly blocks: number;
  /** If set, the plan is also settled with its gas limit, and the gas used is added here. */
  readonly mined?: { readonly answer: Quoted; readonly gasPriceWei: bigint };
};

/**
 * Settles one service's plans on a fork at a block, and adds an outcome for each plan. If the node
 * no longer has the block, the outcome is unknown.
 */
export async function settleAtBlock(
  openSession: () => Promise<Fork>,
  blockNumber: number,
  dues: readonly Due[],
): Promise<void> {
  try {
    const fork = await openSession();
    await fork.refresh(blockNumber);
    if (fork.block.number !== blockNumber) throw new NodeLossError('no longer has the block');
    await settle(fork, dues);
  } catch (error) {
    if (!isLoss(error)) throw error;
    for (const due of dues) {
      const isKnown = due.outcomes.some(({ blocks }) => blocks === due.blocks);
      if (!isKnown) addOutcome(due, { kind: 'unknown', why: error.message });
    }
  }
}

/** Returns whether an error means that a node, or one of its blocks, is no longer available. */
export function isLoss(error: unknown): error is Error {
  return isForkError(error) || error instanceof NodeLossError;
}

async function settle(fork: Fork, dues: readonly Due[]): Promise<void> {
  await settleEach(dues, async (due) => {
    const isKnown = await undefinedIfNodeFailed(async () => {
      await settleDue(fork, due);
      return true;
    });
    if (isKnown) return;
    const why = 'the node did not return the state that the trade reads';
    addOutcome(due, { kind: 'unknown', why });
  });
}

async function settleDue(fork: Fork, due: Due): Promise<void> {
  const { planned, mined } = due;
  const time = fork.block.timestamp + NEXT_BLOCK_S;
  const scenario = await scenarioOf(fork, planned, undefined, time);
  if (isImpossible(scenario)) {
    addOutcome(due, { kind: 'unknown', why: scenario.why });
    return;
  }
  const settled = { scenario, settlement: await simulate(fork, scenario) };
  const effects = await fairEffects(fork, planned, settled, true);
  if (effects.kind === 'reverted') {
    addOutcome(due, { kind: 'reverted', reason: effects.reason });
    return;
  }
  const [spent, received] = [String(effects.spent), String(effects.received)];
  addOutcome(due, { kind: 'settled', spent, received });
  if (mined === undefined) return;
  const limited = withinGasLimit(scenario, planned.transaction);
  mined.answer.mined = minedBy(await simulate(fork, limited), mined.gasPriceWei);
}

function minedBy(
  { outcome, gasUsed, reason = '' }: Settlement,
  gasPriceWei: bigint,
): NonNullable<Quoted['mined']> {
  if (outcome === 'rejected') return { kind: 'rejected', reason };
  const gas = { gasUsed: String(gasUsed), gasPriceWei: String(gasPriceWei) };
  return { kind: 'mined', success: outcome === 'settled', ...gas };
}

function addOutcome({ outcomes, blocks }: Due, outcome: WithoutBlocks<Outcome>): void {
  outcomes.push({ blocks, ...outcome });
}

type WithoutBlocks<Union> = Union extends unknown ? Omit<Union, 'blocks'> : never;
