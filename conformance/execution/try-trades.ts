import PQueue from 'p-queue';
import {
  accountsOf,
  type Effects,
  type Holders,
  type Mined,
  NATIVE_TOKEN,
  type Scene,
  tokenBought,
  tokenSold,
  type UserCall,
} from '../model/settlement.ts';
import { confirmStrays, NO_STRAYS, partiesOf } from './confirm-strays.ts';
import { findStrays, type Strays } from './find-strays.ts';
import type { ForkSession } from './fork-session.ts';
import { quantity, undefinedIfRejected } from './json-rpc.ts';
import { ampleGas, type Made, makeTrade, type TradeOnFork } from './make-trade.ts';
import { undefinedIfNodeFailed } from './node-losses.ts';
import { callOf, holdersOf, type PlannedTrade } from './planned-trade.ts';
import { isolated } from './send.ts';
import { simulateTrade } from './simulate-trade.ts';

/** Circumstances of a trial. */
export type TrialOptions = {
  /** Unix time in seconds. */
  readonly timestamp: number;
  /** Calls of the user before the trade. */
  readonly earlier?: readonly UserCall[] | undefined;
  /** Code of other accounts that those calls need. */
  readonly code?: Scene['code'];
  /** Whether to look for payments to strangers; default true. */
  readonly traces?: boolean;
};

/** Outcome of a trade in one transaction. */
export type Trial = {
  readonly effects: Effects;
  readonly mined: Mined;
  /** Payments to strangers; none are looked for if the trade reverts. */
  readonly strays: Strays;
};

/** Outcome of a trade that was tried with its own gas limit first. */
export type SettleTrial = Omit<Trial, 'mined'> & {
  /** Outcome within the gas limit; undefined if the trade does not settle with any gas. */
  readonly mined: Mined | undefined;
};

/**
 * Tries trades with the gas limit of their service, as users would, and with ample gas if that fails;
 * undefined for a trade whose state the node did not return.
 */
export async function settleEach(
  session: ForkSession,
  trades: readonly (PlannedTrade & TrialOptions)[],
): Promise<readonly (SettleTrial | undefined)[]> {
  const isRead = await readAhead(session, trades);
  const trials: (SettleTrial | undefined)[] = [];
  for (const [index, trade] of trades.entries()) {
    trials.push(
      isRead[index] ? await undefinedIfNodeFailed(() => settle(session, trade)) : undefined,
    );
  }
  return trials;
}

async function settle(
  session: ForkSession,
  trade: PlannedTrade & TrialOptions,
): Promise<SettleTrial> {
  const limited = await tryTrade(session, trade, trade.transaction.gasLimit);
  if (limited.effects.kind === 'settled') return limited;
  const ample = await tryTrade(session, trade, ampleGas(session.fork().block));
  const { mined } = limited;
  return { ...ample, mined: ample.effects.kind === 'settled' ? mined : undefined };
}

/**
 * Tries trades on the present fork, each independently, with ample gas and without a search for payments
 * to strangers, and returns their results; undefined for a trade whose state the node did not return.
 */
export async function tryTrades(
  session: ForkSession,
  trades: readonly (PlannedTrade & TrialOptions)[],
): Promise<readonly (Trial | undefined)[]> {
  const isRead = await readAhead(session, trades);
  const gas = ampleGas(session.fork().block);
  const trials: (Trial | undefined)[] = [];
  for (const [index, trade] of trades.entries()) {
    trials.push(
      isRead[index]
        ? await undefinedIfNodeFailed(() => tryTrade(session, { ...trade, traces: false }, gas))
        : undefined,
    );
  }
  return trials;
}

/** A trade and the outcome that no rule objects to. */
export type ExpectedTrade = PlannedTrade & TrialOptions & { readonly expected: Effects['kind'] };

/**
 * Simulates trades on the present fork, each independently. Those with an unexpected outcome are
 * repeated in a transaction, since rules judge only transactions. Returns undefined for a trade whose
 * state the node did not return.
 */
export async function checkTrades(
  session: ForkSession,
  trades: readonly ExpectedTrade[],
): Promise<readonly (Effects | undefined)[]> {
  const simulated = await simulateTrades(session, trades);
  const unexpected = trades.filter(
    ({ expected }, index) => simulated[index] !== 'lost' && simulated[index]?.kind !== expected,
  );
  const trials = await tryTrades(session, unexpected);
  return trades.map((trade, index) => {
    const effects = simulated[index];
    if (effects === 'lost') return undefined;
    return unexpected.includes(trade) ? trials[unexpected.indexOf(trade)]?.effects : effects;
  });
}

/** Maximum number of trades that are simulated or read ahead concurrently. */
const CONCURRENT_TRADES = 16;

/** Returns simulated outcomes of trades: undefined if Anvil cannot simulate one, 'lost' if the node did not return its state. */
function simulateTrades(
  session: ForkSession,
  trades: readonly (PlannedTrade & TrialOptions)[],
): Promise<readonly (Effects | 'lost' | undefined)[]> {
  const simulateOne = (trade: PlannedTrade & TrialOptions) => async () => {
    const simulated = await undefinedIfNodeFailed(async () => ({
      effects: await simulate(session, trade),
    }));
    return simulated === undefined ? 'lost' : simulated.effects;
  };
  return new PQueue({ concurrency: CONCURRENT_TRADES }).addAll(trades.map(simulateOne));
}

async function simulate(
  session: ForkSession,
  trade: PlannedTrade & TrialOptions,
): Promise<Effects | undefined> {
  const fork = session.fork();
  const request = tradeOnFork(session, trade, ampleGas(fork.block));
  const made = await simulateTrade(fork, { ...request, code: trade.code });
  return made && effectsIn(session, trade, request, made);
}

/** Makes a trade in a transaction, and reverts it. */
export async function tryTrade(
  session: ForkSession,
  trade: PlannedTrade & TrialOptions,
  gas: bigint,
): Promise<Trial> {
  const fork = session.fork();
  const request = tradeOnFork(session, trade, gas);
  return isolated(fork.rpc, async () => {
    for (const each of Object.entries(trade.code ?? {})) await fork.rpc('anvil_setCode', each);
    await session.emptyBuyer(trade);
    const made = await makeTrade(fork, request);
    const effects = effectsIn(session, trade, request, made);
    const { mined, calls } = made;
    if (effects.kind === 'reverted' || calls === undefined) {
      return { effects, mined, strays: NO_STRAYS };
    }
    const found = findStrays(calls, partiesOf(session, trade));
    return { effects, mined, strays: await confirmStrays(fork.rpc, trade, found) };
  });
}

/**
 * Lets the fork read the state that trades need, for many trades at once, so that no transaction waits
 * for one slot after another. Returns for each trade whether the node returned its state.
 */
function readAhead(
  session: ForkSession,
  trades: readonly (PlannedTrade & TrialOptions)[],
): Promise<readonly boolean[]> {
  const rpc = session.rpc();
  const gas = quantity(ampleGas(session.fork().block));
  const readOne = (trade: PlannedTrade & TrialOptions) => async () => {
    const { to, value, data } = callOf(trade);
    const call = { from: trade.request.user, to, data, value: quantity(value), gas };
    // A trade that reverts has read everything that it will read.
    const read = await undefinedIfNodeFailed(async () => {
      await undefinedIfRejected(rpc('eth_call', [call, 'latest']));
      return true;
    });
    return read ?? false;
  };
  return new PQueue({ concurrency: CONCURRENT_TRADES }).addAll(trades.map(readOne));
}

/** Returns a trade for a fork, in which all its accounts are measured. */
function tradeOnFork(
  session: ForkSession,
  trade: PlannedTrade & TrialOptions,
  gas: bigint,
): TradeOnFork {
  const { wrappedNative = [] } = session;
  const tokens = [NATIVE_TOKEN, trade.plan.tokens, wrappedNative, session.bystanders()].flat();
  const { user, wallet } = trade.request;
  return {
    user,
    earlier: trade.earlier,
    trade: callOf(trade),
    gas,
    timestamp: trade.timestamp,
    nativeToken: session.nativeToken,
    traces: trade.traces,
    tokens: [...new Set(tokens)],
    holders: [...new Set([...accountsOf(holdersOf(session, trade)), wallet ?? user])],
  };
}

/** Returns the effects of a trade, with its circumstances. */
function effectsIn(
  session: ForkSession,
  trade: PlannedTrade & TrialOptions,
  request: TradeOnFork,
  made: Made,
): Effects {
  const { number: blockNumber } = session.fork().block;
  const scene = { ...request, chainId: session.chainId, blockNumber, code: trade.code };
  return { ...effectsOf(made, trade, holdersOf(session, trade)), scene };
}

function effectsOf(made: Made, trade: PlannedTrade, { user, receiver }: Holders): Effects {
  const { mined, failedEarlier, change } = made;
  if (failedEarlier.length > 0) {
    return { kind: 'reverted', reason: 'a trade before it failed', error: 'earlier-trade' };
  }
  if (mined.kind === 'refused' || !mined.success) {
    return { kind: 'reverted', reason: mined.reason ?? 'it reverted', error: mined.error };
  }
  const spent = change(tokenSold(trade), user);
  const received = change(tokenBought(trade), receiver);
  if (spent === undefined || received === undefined) {
    const why = 'a token of the trade does not report a balance';
    return { kind: 'reverted', reason: why, error: 'no-balance' };
  }
  return { kind: 'settled', gasUsed: mined.gasUsed, spent: -spent, received, change };
}
