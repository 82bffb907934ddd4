import type { Exchange } from '../client/exchange.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { readQuote } from '../discovery/quote.ts';
import { exactInput, swapTarget } from '../generate/trades.ts';
import type { Executed, OpenExecutor } from '../model/executor.ts';
import type { Effects, SettledPlan, SwapPlan, Transaction } from '../model/settlement.ts';
import {
  type Address,
  describeTrade,
  mostSold,
  type TradeRequest,
} from '../model/trade-request.ts';
import { spelledTarget, varyRequests } from './choose-requests.ts';
import { confirmStrays, partiesOf } from './confirm-strays.ts';
import { yieldsOfOverspent, yieldsOfPools } from './direct-trades.ts';
import { findStrays } from './find-strays.ts';
import { ForkError } from './fork.ts';
import { type ForkSession, NEXT_BLOCK_S } from './fork-session.ts';
import { emptyToken } from './funding.ts';
import { describeOddity, readDecimals } from './inspect-tokens.ts';
import { quantity } from './json-rpc.ts';
import { unlessLost } from './node-losses.ts';
import { readAddress, readSwapPlan } from './read-swap-plan.ts';
import { isolated, mineCall } from './send.ts';
import { callOf, holdersOf, type PlannedTrade, tryTrades } from './try-trades.ts';

/** What a service trades on one chain, beside a fork of that chain. */
export type ForkedMarket = {
  readonly service: Parameters<OpenExecutor>[0];
  readonly market: ChainMarket;
  readonly session: ForkSession;
};

/** How the transactions of plans are made, where they are not those that the service returned. */
export type OwnEncoding = {
  /** Makes the transaction of a plan, or says why there is none. */
  readonly encode: (request: TradeRequest, plan: SwapPlan) => Promise<Transaction | string>;
  /** Returns what each trade yields by the service's own calldata, on the fork as it stands. */
  readonly yieldsBeside: (
    trades: readonly PlannedTrade[],
  ) => Promise<readonly (bigint | undefined)[]>;
};

/** Plans that are asked for before the fork is brought up to date: a live market has moved little then. */
const BATCH = 48;
/** How often a trade is asked for anew where the market may have moved away from its quote. */
const MAX_ATTEMPTS = 3;
/** A calldata should outlive the time a person takes to sign. */
const LATER_S = 60;
/** Why a plan is not judged whose state the node did not give; the run says once which fault the node has. */
const LOST = 'its state could not be read';
/** Fewer plans do not tell a node that lags from a service that errs. */
const FEWEST_TO_TELL = 4;

/**
 * Asks for plans, and settles each on a fork of the same moment: in a call
 * that tells all it did, again a minute later, and as a real transaction. On a
 * market that moves, trades that fail are asked for anew, and what a plan yields
 * is measured in another way on the same block.
 *
 * @throws {ForkError} if plans fail because the fork is old
 */
export async function settleTrades(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
  own?: OwnEncoding,
): Promise<Executed<SettledPlan>> {
  const { service, session } = forked;
  const items: SettledPlan[] = [];
  const skipped: string[] = [];
  for (let at = 0; at < requests.length; at += BATCH) {
    let waiting = requests.slice(at, at + BATCH);
    const failures = new Map<TradeRequest, number>();
    // What a service keeps of a request must not be its answer to the next.
    const others = varyRequests(waiting, session.wrappedNative);
    await Promise.all(others.map((request) => service.get(spelledTarget(request))));
    for (let attempt = 1; waiting.length > 0; attempt += 1) {
      const batch = await settleBatch(forked, waiting, own);
      const isLast = attempt === MAX_ATTEMPTS || isUnmoved(forked);
      const final = isLast ? batch.items : batch.items.filter(({ effects }) => isSettled(effects));
      for (const item of final) {
        items.push({ ...item, failedBefore: failures.get(item.request) ?? 0 });
      }
      skipped.push(...batch.skipped);
      waiting = batch.items.filter((item) => !final.includes(item)).map(({ request }) => request);
      for (const request of waiting) failures.set(request, attempt);
    }
  }
  if (!service.frozen) await refuseOldFork(forked, items);
  return { items, skipped };
}

type AnsweredTrade = PlannedTrade & { readonly exchange: Exchange };

async function settleBatch(
  forked: ForkedMarket,
  requests: readonly TradeRequest[],
  own: OwnEncoding | undefined,
): Promise<Executed<SettledPlan>> {
  const { service, session } = forked;
  const exchanges = await Promise.all(
    requests.map(async (request) => ({
      request,
      exchange: await service.get(spelledTarget(request)),
    })),
  );
  await session.refresh();
  const skipped: string[] = [];
  const planned: AnsweredTrade[] = [];
  for (const { request, exchange } of exchanges) {
    const plan = readSwapPlan(exchange);
    if (plan === undefined) continue;
    const transaction =
      own === undefined
        ? plan.transaction
        : ((await unlessLost(() => own.encode(request, plan))) ?? LOST);
    if (typeof transaction === 'string') skipped.push(`${describeTrade(request)}: ${transaction}`);
    else if (transaction !== undefined) planned.push({ request, plan, transaction, exchange });
  }
  const refused = await session.prepare(needsOf(planned));
  const trades = planned.filter(({ request, plan }) => {
    const isListed = session.approval(request.router) !== undefined;
    const unlisted = `/chainInfo lists no ${request.router}, so that nobody knows whom to approve`;
    const whyNotPaid = isListed ? refused.get(plan.sell.token) : unlisted;
    const why = request.sell.native ? undefined : whyNotPaid;
    if (why !== undefined) skipped.push(`${describeTrade(request)}: ${why}`);
    return why === undefined;
  });
  const settled = await settleAll(forked, trades, own);
  const lost = trades.filter((_, index) => settled[index] === undefined);
  skipped.push(...lost.map(({ request }) => `${describeTrade(request)}: ${LOST}`));
  return { items: settled.filter((item) => item !== undefined), skipped };
}

/** Returns the most of each token that any one of the trades may sell. */
export function needsOf(trades: readonly PlannedTrade[]): ReadonlyMap<Address, bigint> {
  const needs = new Map<Address, bigint>();
  for (const { request, plan } of trades) {
    const { token } = plan.sell;
    const most = mostSold(request, plan);
    if (!request.sell.native && most > (needs.get(token) ?? 0n)) needs.set(token, most);
  }
  return needs;
}

/** Returns whether the market is known to be as it was when plans were quoted. */
export function isUnmoved({ service, session }: ForkedMarket): boolean {
  return service.frozen || session.stoodStill();
}

/** Settles trades on the fork as it stands; undefined where its node did not give what one reads. */
async function settleAll(
  forked: ForkedMarket,
  trades: readonly AnsweredTrade[],
  own: OwnEncoding | undefined,
): Promise<readonly (SettledPlan | undefined)[]> {
  const { session } = forked;
  const unmoved = isUnmoved(forked);
  const timestamp = session.blockTimeIn(NEXT_BLOCK_S);
  const later = session.blockTimeIn(LATER_S);
  const at = (time: number) => trades.map((trade) => ({ ...trade, timestamp: time }));
  const effects = await tryTrades(session, at(timestamp));
  const effectsLater = await tryTrades(session, at(later));
  const exactInputs = unmoved
    ? []
    : trades.filter(({ request }) => request.swapKind === 'exact-input');
  const yields = await (own?.yieldsBeside(exactInputs) ?? yieldsOfPools(session, exactInputs));
  const overspent = own === undefined ? trades : [];
  const poolsGive = await yieldsOfOverspent(session, overspent, effects);
  const blockGasLimit = await unlessLost(() => readGasLimit(session));
  const transactionGasCap = await unlessLost(session.gasCap);
  const items: (SettledPlan | undefined)[] = [];
  for (const [index, trade] of trades.entries()) {
    const [did, didLater] = [effects[index], effectsLater[index]];
    const settle = async (): Promise<SettledPlan | undefined> => {
      if (did === undefined || didLater === undefined) return undefined;
      if (did.kind === 'reverted')
        await Promise.all(trade.plan.tokens.map(session.fork().checkToken));
      const withCode = await findCode(session, trade);
      const effect = await explain(session, trade, did);
      return {
        ...trade,
        unmoved,
        yieldBeside: yields[exactInputs.indexOf(trade)],
        poolsGive: poolsGive.get(trade),
        failedBefore: 0,
        blockGasLimit,
        transactionGasCap,
        routerHasCode: withCode.has(trade.transaction.router),
        decimalsOnChain: await readDecimals(session.rpc(), trade.plan.tokens),
        poolsWithoutCode: poolsOf(trade).filter((pool) => !withCode.has(pool)),
        effects: effect,
        effectsLater: didLater,
        ...(isSettled(effect) ? await mineTrade(session, trade, timestamp) : NOT_MINED),
        holders: holdersOf(session, trade),
        bystanders: session.bystanders(),
      };
    };
    items.push(await unlessLost(settle));
  }
  return items;
}

/** The gas of the block that was forked, if it tells: blocks of the fork itself hold more. */
async function readGasLimit(session: ForkSession): Promise<bigint | undefined> {
  const number = quantity(session.fork().block.number);
  const block = await session.rpc()<{ gasLimit?: string } | null>('eth_getBlockByNumber', [
    number,
    false,
  ]);
  const gasLimit = BigInt(block?.gasLimit ?? 0);
  return gasLimit === 0n ? undefined : gasLimit;
}

const NOT_MINED = { mined: undefined, strays: [], taken: [] } as const;

/** Mines a trade as its user would, who holds none of what is bought: the most gas it can take. */
async function mineTrade(
  session: ForkSession,
  trade: PlannedTrade,
  timestamp: number,
): Promise<Pick<SettledPlan, 'mined' | 'strays' | 'taken'>> {
  const rpc = session.rpc();
  const { user, buy, recipient } = trade.request;
  const { mined, calls } = await isolated(rpc, async () => {
    if (!buy.native && recipient === undefined) await emptyToken(rpc, trade.plan.buy.token, user);
    const { gasLimit } = trade.transaction;
    return mineCall(rpc, user, callOf(trade), { gasLimit, timestamp });
  });
  const strays = calls === undefined ? NOT_MINED : findStrays(calls, partiesOf(session, trade));
  return { ...(await confirmStrays(session, { ...trade, timestamp }, strays)), mined };
}

/** Which of a trade's router and pools are contracts. */
async function findCode(session: ForkSession, trade: PlannedTrade): Promise<ReadonlySet<Address>> {
  const addresses = [...new Set([trade.transaction.router, ...poolsOf(trade)])];
  const codes = await Promise.all(
    addresses.map((address) => session.rpc()<string>('eth_getCode', [address, 'latest'])),
  );
  return new Set(addresses.filter((_, index) => codes[index] !== '0x'));
}

/** Pools that go by an address; those within one contract go by longer identifiers. */
function poolsOf({ plan }: PlannedTrade): readonly Address[] {
  return [...new Set(plan.steps.flatMap(({ pool }) => readAddress(pool) ?? []))];
}

/** Adds to a failure what is odd about the tokens of the plan. */
async function explain(
  session: ForkSession,
  { request, plan }: PlannedTrade,
  effects: Effects,
): Promise<Effects> {
  if (effects.kind === 'settled' || request.sell.native) return effects;
  const oddity = await describeOddity(session.rpc(), request.user, plan.sell);
  return oddity === '' ? effects : { ...effects, reason: `${effects.reason}; ${oddity}` };
}

function isSettled(effects: Effects): boolean {
  return effects.kind === 'settled';
}

/**
 * A node that lags shows a market that is past: its chain stands still, most
 * plans are far from their quotes, and the service's quotes have moved since
 * discovery.
 */
async function refuseOldFork(forked: ForkedMarket, items: readonly SettledPlan[]): Promise<void> {
  const { market, session } = forked;
  if (!session.stoodStill() || items.length < FEWEST_TO_TELL) return;
  const off = items.filter((item) => isOff(item));
  if (off.length * 2 <= items.length || !(await quotesHaveMoved(forked))) return;
  throw new ForkError(
    `the fork of chain ${market.chainId} stands at block ${session.fork().block.number}, ` +
      `${session.secondsBehind()} s behind the service: its node lags: name one that is up to date`,
  );
}

function isOff({ effects, request, plan }: SettledPlan): boolean {
  if (effects.kind === 'reverted') return true;
  const [did, quoted] =
    request.swapKind === 'exact-input'
      ? [effects.received, plan.buy.amount]
      : [effects.spent, plan.sell.amount];
  return (did > quoted ? did - quoted : quoted - did) * 10_000n > quoted;
}

/** Asks a few of discovery's quotes again. */
async function quotesHaveMoved({ service, market }: ForkedMarket): Promise<boolean> {
  const moved = await Promise.all(
    market.pairs.slice(0, FEWEST_TO_TELL).map(async (pair) => {
      const quote = readQuote(await service.get(swapTarget(exactInput({ market, pair }))));
      return quote !== undefined && quote.buyAmount !== pair.buyAmount;
    }),
  );
  return moved.includes(true);
}
