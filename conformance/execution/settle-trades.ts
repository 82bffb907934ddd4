import type { Exchange } from '../client/exchange.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { exactInput, swapTarget } from '../generate/trades.ts';
import type { Session } from '../model/session.ts';
import { type Ask, describeAsk, requestOf } from './ask.ts';
import type { Bench } from './bench.ts';
import type { Effects, SettledPlan } from './execution.ts';
import { ForkBehindError } from './fork.ts';
import { emptyToken } from './funding.ts';
import { mostSold } from './limits.ts';
import { neighboursOf } from './neighbours.ts';
import { isolated, type Mined, mineCall } from './send.ts';
import { callOf, holdersOf, NEXT_BLOCK_S, type Trade, tryTrades } from './settle.ts';
import { type Address, readAddress, readSwapPlan, type SwapPlan } from './swap-plan.ts';
import { readDecimals } from './token-decimals.ts';
import { describeTraits } from './token-traits.ts';

/** What a batch of trades came to. */
export type Settled = {
  readonly items: readonly SettledPlan[];
  /** Why plans could not be tried. */
  readonly skipped: readonly string[];
};

/** Plans that are asked for before the fork is brought up to date: a live market has moved little then. */
const BATCH = 48;
/** How often a trade is asked for anew where the market may have moved away from its quote. */
const MAX_ATTEMPTS = 3;
/** A calldata should outlive the time a person takes to sign. */
const LATER_S = 60;
/** Fewer plans do not tell a node that lags from a service that errs. */
const FEWEST_TO_TELL = 4;

/** How plans are asked for and settled. */
export type SettleOptions = {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Makes the settlement of a plan; default the one that the service returned with it. */
  readonly encode?: (ask: Ask, plan: SwapPlan) => Promise<Trade['settlement'] | string>;
};

/**
 * Asks for plans, and settles each on a fork of the same moment: in a call
 * that tells all it did, again a minute later, and as a real transaction. On a
 * market that moves, trades that fail are asked for anew.
 *
 * @throws {ForkBehindError} if plans fail because the fork is old
 */
export async function settleTrades(
  session: Session,
  bench: Bench,
  asks: readonly Ask[],
  options: SettleOptions,
): Promise<Settled> {
  const items: SettledPlan[] = [];
  const skipped: string[] = [];
  for (let at = 0; at < asks.length; at += BATCH) {
    let waiting = asks.slice(at, at + BATCH);
    // What a service keeps of a request must not be its answer to the next.
    await Promise.all(neighboursOf(waiting, bench).map((ask) => session.get(requestOf(ask))));
    for (let attempt = 1; waiting.length > 0; attempt += 1) {
      const batch = await settleBatch(session, bench, waiting, options);
      const isLast = attempt === MAX_ATTEMPTS || session.frozen || bench.stoodStill();
      const final = isLast ? batch.items : batch.items.filter(({ effects }) => isSettled(effects));
      items.push(...final);
      skipped.push(...batch.skipped);
      waiting = batch.items.filter((item) => !final.includes(item)).map(({ ask }) => ask);
    }
  }
  if (!session.frozen) await refuseOldFork(session, bench, items, options.clock);
  return { items, skipped };
}

async function settleBatch(
  session: Session,
  bench: Bench,
  asks: readonly Ask[],
  { clock, encode }: SettleOptions,
): Promise<Settled> {
  const exchanges = await Promise.all(asks.map((ask) => session.get(requestOf(ask))));
  await bench.refresh();
  const skipped: string[] = [];
  const planned: (Trade & { readonly exchange: Exchange })[] = [];
  for (const [index, ask] of asks.entries()) {
    const exchange = exchanges[index] as Exchange;
    const plan = readSwapPlan(exchange);
    if (plan === undefined) continue;
    const settlement = encode === undefined ? plan.settlement : await encode(ask, plan);
    if (typeof settlement === 'string') skipped.push(`${describeAsk(ask)}: ${settlement}`);
    else if (settlement !== undefined) planned.push({ ask, plan, settlement, exchange });
  }
  const needs = new Map<`0x${string}`, bigint>();
  for (const { ask, plan } of planned) {
    const { token } = plan.sell;
    const most = mostSold(ask, plan);
    if (!ask.sell.native && most > (needs.get(token) ?? 0n)) needs.set(token, most);
  }
  const refused = await bench.prepare(needs);
  const trades = planned.filter(({ ask, plan }) => {
    const why = ask.sell.native ? undefined : refused.get(plan.sell.token);
    if (why !== undefined) skipped.push(`${describeAsk(ask)}: ${why}`);
    return why === undefined;
  });
  return { items: await settleAll(session, bench, trades, clock), skipped };
}

async function settleAll(
  session: Session,
  bench: Bench,
  trades: readonly (Trade & { readonly exchange: Exchange })[],
  clock: () => number,
): Promise<readonly SettledPlan[]> {
  const timestamp = nextBlockTime(bench, clock);
  const at = (time: number) => trades.map((trade) => ({ ...trade, timestamp: time }));
  const effects = await tryTrades(bench, at(timestamp));
  const later = await tryTrades(bench, at(timestamp - NEXT_BLOCK_S + LATER_S));
  const withCode = await findCode(bench, trades);
  const decimalsOnChain = await readDecimals(
    bench.rpc(),
    trades.flatMap(({ plan }) => plan.tokens),
  );
  const items: SettledPlan[] = [];
  for (const [index, trade] of trades.entries()) {
    const effect = await explain(bench, trade, effects[index] as Effects);
    items.push({
      ...trade,
      unmoved: session.frozen || bench.stoodStill(),
      routerHasCode: withCode.has(trade.settlement.router),
      decimalsOnChain,
      poolsWithoutCode: poolsOf(trade).filter((pool) => !withCode.has(pool)),
      effects: effect,
      effectsLater: later[index] as Effects,
      mined: isSettled(effect) ? await mineTrade(bench, trade, timestamp) : undefined,
      holders: holdersOf(bench, trade),
      bystanders: bench.bystanders(),
    });
  }
  return items;
}

/** Returns when a transaction that is sent now is mined, in Unix seconds: after the fork's block in any case. */
export function nextBlockTime(bench: Bench, clock: () => number): number {
  return Math.max(bench.fork().block.timestamp, Math.floor(clock() / 1000)) + NEXT_BLOCK_S;
}

/** Mines a trade as its user would, who holds none of what is bought: the most gas it can take. */
function mineTrade(bench: Bench, trade: Trade, timestamp: number): Promise<Mined> {
  const rpc = bench.rpc();
  const { user } = trade.ask;
  return isolated(rpc, async () => {
    if (!trade.ask.buy.native && trade.ask.recipient === undefined) {
      await emptyToken(rpc, trade.plan.buy.token, user);
    }
    const { gasLimit } = trade.settlement;
    return mineCall(rpc, user, callOf(trade), { gasLimit, timestamp });
  });
}

/** Which routers and pools of the trades are contracts. */
async function findCode(bench: Bench, trades: readonly Trade[]): Promise<ReadonlySet<Address>> {
  const named = trades.flatMap((trade) => [trade.settlement.router, ...poolsOf(trade)]);
  const addresses = [...new Set(named)];
  const codes = await Promise.all(
    addresses.map((address) => bench.rpc()<string>('eth_getCode', [address, 'latest'])),
  );
  return new Set(addresses.filter((_, index) => codes[index] !== '0x'));
}

/** Pools that go by an address; those within one contract go by longer identifiers. */
function poolsOf({ plan }: Trade): readonly Address[] {
  return [...new Set(plan.steps.flatMap(({ pool }) => readAddress(pool) ?? []))];
}

/** Adds to a failure what is odd about the tokens of the plan. */
async function explain(bench: Bench, { ask, plan }: Trade, effects: Effects): Promise<Effects> {
  if (effects.kind === 'settled') return effects;
  const sold = ask.sell.native ? undefined : plan.sell;
  const traits = sold === undefined ? '' : await describeTraits(bench.rpc(), ask.user, sold);
  return traits === '' ? effects : { ...effects, reason: `${effects.reason}; ${traits}` };
}

function isSettled(effects: Effects): boolean {
  return effects.kind === 'settled';
}

/**
 * A node that lags shows a market that is past: its chain stands still, most
 * plans are far from their quotes, and the service's quotes have moved since
 * discovery.
 */
async function refuseOldFork(
  session: Session,
  bench: Bench,
  items: readonly SettledPlan[],
  clock: () => number,
): Promise<void> {
  if (!bench.stoodStill() || items.length < FEWEST_TO_TELL) return;
  const off = items.filter((item) => isOff(item));
  if (off.length * 2 <= items.length || !(await quotesHaveMoved(session, bench.chainId))) return;
  const { block } = bench.fork();
  throw new ForkBehindError(bench.chainId, block, Math.floor(clock() / 1000) - block.timestamp);
}

function isOff({ effects, ask, plan }: SettledPlan): boolean {
  if (effects.kind === 'reverted') return true;
  const [did, quoted] =
    ask.trade === 'exact-input'
      ? [effects.received, plan.buy.amount]
      : [effects.spent, plan.sell.amount];
  return (did > quoted ? did - quoted : quoted - did) * 10_000n > quoted;
}

/** Asks a few of discovery's quotes again. */
async function quotesHaveMoved({ facts, get }: Session, chainId: number): Promise<boolean> {
  const market = facts.markets.get(chainId);
  const pairs = market?.pairs.slice(0, FEWEST_TO_TELL) ?? [];
  const quotes = await Promise.all(
    pairs.map(async (pair) => {
      const query = exactInput({ market: market as ChainMarket, pair });
      return readSwapPlan(await get(swapTarget(query)))?.buy.amount;
    }),
  );
  return quotes.some((quote, index) => quote !== undefined && quote !== pairs[index]?.buyAmount);
}
