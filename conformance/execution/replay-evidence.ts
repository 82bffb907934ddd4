import type { Hex } from 'viem';
import type { ChainState } from '../model/chain-state.ts';
import type { Explained, SettlementEvidence } from '../model/evidence.ts';
import { NATIVE_TOKEN, type UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { describeSettlement, shareOf } from './explain-settlement.ts';
import { type Fork, type ForkSource, openFork, startSource } from './fork.ts';
import type { ForkSession } from './fork-session.ts';
import { fundToken, setNative } from './funding.ts';
import { ampleGas, makeTrade } from './make-trade.ts';
import { namesOf } from './name-accounts.ts';
import { NodeLossError } from './node-losses.ts';
import { isolated, mineAll } from './send.ts';

/** A repeated settlement: its effects, and a comparison with the original ones. */
export type Replayed = {
  readonly evidence: SettlementEvidence;
  /** Whether its effects are the same, to the base unit. */
  readonly isSame: boolean;
  /** Whether it no longer fails: its effects differ, and are within the limit. */
  readonly isGone: boolean;
};

type Call = SettlementEvidence['earlier'][number];

/** Rules whose trades must revert. */
const WANT_REVERT: ReadonlySet<string> = new Set(['execution/protects']);

/**
 * Repeats a settlement on a fork of its block.
 *
 * `maxTimeMs` limits the time after the chain was forked.
 *
 * @throws {OtherChainError} if the node has another block of that number
 * @throws {ReplayTimeoutError} if it takes longer than `maxTimeMs`
 * @throws the errors of `openFork`, if the chain cannot be forked
 */
export async function replayEvidence(
  source: ForkSource,
  evidence: SettlementEvidence,
  maxTimeMs: number,
): Promise<Replayed> {
  const fork = await openFork(await startSource(source), { blockNumber: evidence.block.number });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ReplayTimeoutError(maxTimeMs)), maxTimeMs);
  });
  try {
    if (fork.block.hash !== evidence.block.hash) throw new OtherChainError(evidence);
    const replaying = isolated(fork.rpc, () => replayOn(fork, evidence));
    // After the fork has stopped, pending calls fail.
    replaying.catch(() => undefined);
    const now = await Promise.race([replaying, timeout]);
    const isSame =
      now.outcome.kind === evidence.outcome.kind &&
      JSON.stringify(actualsOf(now)) === JSON.stringify(actualsOf(evidence));
    const isSound = WANT_REVERT.has(evidence.rule)
      ? now.outcome.kind === 'reverted'
      : now.outcome.kind === 'settled' && isWithinLimit(now);
    return { evidence: now, isSame, isGone: !isSame && isSound };
  } finally {
    clearTimeout(timer);
    await fork.stop();
  }
}

/**
 * Returns all chain state that a repeated settlement reads, with its own gas limit and with ample gas:
 * enough to repeat it without a node. Undefined if it cannot be repeated.
 */
export async function recordReplay(
  session: ForkSession,
  explained: Explained,
): Promise<ChainState | undefined> {
  const { transaction } = explained;
  try {
    return await session.recordState(async () => {
      const fork = session.fork();
      for (const gas of new Set([transaction.gas, String(ampleGas(fork.block))])) {
        const again = { ...explained, transaction: { ...transaction, gas } };
        await isolated(fork.rpc, () => replayOn(fork, again));
      }
    });
  } catch (error) {
    if (error instanceof CannotEquipError || error instanceof NodeLossError) return undefined;
    throw error;
  }
}

async function replayOn<Evidence extends Explained>(
  fork: Pick<Fork, 'rpc' | 'block'>,
  evidence: Evidence,
): Promise<Evidence> {
  const { rpc } = fork;
  const { transaction, overrides, approvals, earlier, changes } = evidence;
  const user = transaction.from as Address;
  await rpc('anvil_impersonateAccount', [user]);
  await setNative(rpc, user, BigInt(overrides.native));
  for (const { account, code } of overrides.code) await rpc('anvil_setCode', [account, code]);
  for (const { account, token, symbol = token, amount } of overrides.tokens) {
    const given = await fundToken(rpc, token as Address, account as Address, BigInt(amount));
    if (given === undefined) throw new CannotEquipError(symbol);
  }
  await mineAll(
    rpc,
    user,
    approvals.flatMap(({ calls }) => calls.map(read)),
  );
  const unique = (all: readonly string[]) => [...new Set(all)] as Address[];
  const made = await makeTrade(fork, {
    user,
    earlier: earlier.map(read),
    trade: read(transaction),
    gas: BigInt(transaction.gas),
    timestamp: transaction.timestamp,
    tokens: unique([NATIVE_TOKEN, ...changes.map(({ token }) => token)]),
    holders: unique([user, ...changes.map(({ account }) => account)]),
  });
  const actualOf = (account: string, token: string) =>
    made.change(token as Address, account as Address) ?? 0n;
  return {
    ...evidence,
    changes: changes.map((change) => {
      const actual = actualOf(change.account, change.token);
      return { ...change, actual: String(actual), ...shareOf(actual, BigInt(change.expected)) };
    }),
    ...describeSettlement(made, readNames(evidence), approvals),
  };
}

function read({ to, value, data }: Call): UserCall {
  return { to: to as Address, value: BigInt(value), data: data as Hex };
}

function actualsOf({ changes }: SettlementEvidence): readonly string[] {
  return changes.map(({ actual }) => actual);
}

function isWithinLimit({ changes, limit }: SettlementEvidence): boolean {
  if (limit === undefined) return true;
  return changes.every(({ expected, actual }) =>
    BigInt(expected) < 0n
      ? -BigInt(actual) <= BigInt(limit.mostSold)
      : BigInt(expected) === 0n || BigInt(actual) >= BigInt(limit.leastBought),
  );
}

/** Returns the names of accounts and tokens in the file. */
function readNames({ changes, approvals, transfers, trace, overrides }: Explained) {
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
  for (const { token, symbol, decimals } of [
    ...changes,
    ...transfers,
    ...approvals,
    ...overrides.tokens,
  ]) {
    if (symbol !== undefined) {
      tokens.set(token as Address, { symbol, ...(decimals !== undefined && { decimals }) });
    }
  }
  return namesOf(accounts, tokens);
}

/** A node has another block than that of the settlement. */
export class OtherChainError extends Error {
  override readonly name = 'OtherChainError';

  constructor({ chainId, block }: SettlementEvidence) {
    super(
      `the node has another block ${block.number} of chain ${chainId} than ${block.hash}: ` +
        'the settlement was made on another chain of this id, or the block has been replaced',
    );
  }
}

/** A repeated settlement takes too long. */
export class ReplayTimeoutError extends Error {
  override readonly name = 'ReplayTimeoutError';

  constructor(maxTimeMs: number) {
    super(
      `the settlement was not made again within ${maxTimeMs / 1000} s: pass a larger --max-time`,
    );
  }
}

/** An account could not be funded as in the original settlement. */
export class CannotEquipError extends Error {
  override readonly name = 'CannotEquipError';

  constructor(token: string) {
    super(`no way was found to give the sender ${token}`);
  }
}
