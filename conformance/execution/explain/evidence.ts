import type { ChainState } from '../../model/chain-state.ts';
import type { ExplainedSettlement, SettlementEvidence } from '../../model/evidence.ts';
import type { Address } from '../../model/trade-request.ts';
import type { ForkSource } from '../../service/fork-option.ts';
import { type Fork, openFork } from '../fork/fork.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { ampleGas } from '../scenario/circumstances.ts';
import { simulateWithCalls } from '../settle/trace-call.ts';
import { describeSettlement, readScenario, shareOf } from './explain.ts';
import { namesOf } from './name-accounts.ts';

/** The evidence of a repeated settlement, compared with the original evidence. */
export type Replayed = {
  readonly evidence: SettlementEvidence;
  /** True if the effects are the same, to the base unit. */
  readonly isSame: boolean;
  /** True if the settlement no longer fails: its effects differ, and are within the limit. */
  readonly isGone: boolean;
};

const RULES_REQUIRING_REVERT: ReadonlySet<string> = new Set(['execution/protects']);

/**
 * Repeats a settlement on a fork of its block. `maxTimeMs` limits the time from the fork to the
 * result.
 *
 * @throws {OtherChainError} if the node has another block with that number
 * @throws {ReplayTimeoutError} if the settlement takes longer than `maxTimeMs`
 * @throws the errors of `openFork`, if the chain cannot be forked
 */
export async function replayEvidence(
  source: ForkSource,
  evidence: SettlementEvidence,
  maxTimeMs: number,
): Promise<Replayed> {
  const fork = await openFork(
    { ...source, settleOn: 'anvil' },
    { blockNumber: evidence.block.number },
  );
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ReplayTimeoutError(maxTimeMs)), maxTimeMs);
  });
  try {
    if (fork.block.hash !== evidence.block.hash) throw new OtherChainError(evidence);
    const replaying = replayOn(fork, evidence);
    // After the fork has stopped, pending calls fail.
    replaying.catch(() => undefined);
    const now = await Promise.race([replaying, timeout]);
    const isSame =
      now.outcome.kind === evidence.outcome.kind &&
      JSON.stringify(actualChanges(now)) === JSON.stringify(actualChanges(evidence));
    const isSound = RULES_REQUIRING_REVERT.has(evidence.rule)
      ? now.outcome.kind === 'reverted'
      : now.outcome.kind === 'settled' && isWithinLimit(now);
    return { evidence: now, isSame, isGone: !isSame && isSound };
  } finally {
    clearTimeout(timer);
    await fork.stop();
  }
}

/**
 * Repeats a settlement within its gas limit and with ample gas, and returns all chain state that it
 * reads. With this state, no node is needed for further repetitions. Returns undefined if the node
 * does not return the state.
 */
export async function recordReplay(
  fork: Fork,
  { scenario }: ExplainedSettlement,
): Promise<ChainState | undefined> {
  const read = readScenario(scenario);
  return undefinedIfNodeFailed(() =>
    fork.recordState(async (copy) => {
      for (const gas of new Set([read.gas, ampleGas(fork.block)])) {
        await simulateWithCalls(copy, { ...read, gas });
      }
    }),
  );
}

async function replayOn(fork: Fork, evidence: SettlementEvidence): Promise<SettlementEvidence> {
  const settlement = await simulateWithCalls(fork, readScenario(evidence.scenario));
  const actualOf = (account: string, token: string) =>
    settlement.changes.find((each) => each.token === token && each.holder === account)?.amount ??
    0n;
  return {
    ...evidence,
    changes: evidence.changes.map((change) => {
      const actual = actualOf(change.account, change.token);
      return { ...change, actual: String(actual), ...shareOf(actual, BigInt(change.expected)) };
    }),
    ...describeSettlement(settlement, readNames(evidence), evidence.approvals),
  };
}

function actualChanges({ changes }: SettlementEvidence): readonly string[] {
  return changes.map(({ actual }) => actual);
}

/** Without calldata, there is no slippage tolerance, so no change may fall short of the plan. */
function isWithinLimit({ changes, limit }: SettlementEvidence): boolean {
  return changes.every(({ expected, actual }) => {
    const [planned, change] = [BigInt(expected), BigInt(actual)];
    if (planned < 0n) return -change <= (limit === undefined ? -planned : BigInt(limit.mostSold));
    return planned === 0n || change >= (limit === undefined ? planned : BigInt(limit.leastBought));
  });
}

function readNames({ changes, approvals, transfers, trace }: ExplainedSettlement) {
  const accounts = new Map<Address, string>();
  const call = (account: string | undefined, name: string | undefined) => {
    if (account !== undefined && name !== undefined) accounts.set(account as Address, name);
  };
  for (const { from, fromName, to, toName } of transfers) {
    call(from, fromName);
    call(to, toName);
  }
  for (const { spender, spenderName } of approvals) call(spender, spenderName);
  for (const { to, name } of trace) call(to, name);
  for (const { account, name } of changes) call(account, name);
  const tokens = new Map<Address, { symbol: string; decimals?: number }>();
  for (const { token, symbol, decimals } of [...changes, ...transfers, ...approvals]) {
    if (symbol !== undefined) {
      tokens.set(token as Address, { symbol, ...(decimals !== undefined && { decimals }) });
    }
  }
  return namesOf(accounts, tokens);
}

/** A node's block differs from the block in the evidence. */
export class OtherChainError extends Error {
  override readonly name = 'OtherChainError';

  constructor({ scenario, block }: SettlementEvidence) {
    super(
      `block ${block.number} of chain ${scenario.chainId} is not ${block.hash} on the node: ` +
        'the settlement was made on another chain with this id, or the block has been replaced',
    );
  }
}

/** A repeated settlement took too long. */
class ReplayTimeoutError extends Error {
  override readonly name = 'ReplayTimeoutError';

  constructor(maxTimeMs: number) {
    super(
      `the settlement could not be repeated within ${maxTimeMs / 1000} s: pass a larger --max-time`,
    );
  }
}
