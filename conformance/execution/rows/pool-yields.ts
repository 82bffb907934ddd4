import type { Effects, SettledPlan, SwapPlan, TokenAmount } from '../../model/settlement.ts';
import type { Address, TradeRequest } from '../../model/trade-request.ts';
import type { Fork } from '../fork/fork.ts';
import { poolTradeIn } from '../fork/pool-scenario.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { type Impossible, impossible, isImpossible } from '../settle/impossible.ts';
import { searchMarkets } from '../settle/market-search.ts';
import { MILLION, type PoolTrade, traderAt } from '../settle/pool-trader.ts';
import { combine, NOTHING, type Provision } from '../settle/provision.ts';

type Planned = { readonly request: TradeRequest; readonly plan: SwapPlan };

/** Provision with which a trader can sell at most `maxMove` millionths of a moving trade. */
export type Trader = Provision & { readonly maxMove: bigint };

const DIVISORS_FOR_LIMITED_BALANCES = [1n, 1n << 7n, 1n << 14n];

/**
 * Returns a provision that gives an account the trader's code. It also gives enough tokens for the
 * maximum of a moving trade and for three times another amount, by default the trade's own.
 * `maxMove` is smaller if the account cannot be given enough. If it can be given nothing, returns
 * the reason.
 */
export async function traderFor(
  { funding, accounts }: Pick<Fork, 'funding' | 'accounts'>,
  moving: PoolTrade,
  maxMove: bigint,
  {
    account = accounts.trader,
    sold = moving.needs,
  }: { readonly account?: Address; readonly sold?: TokenAmount | undefined } = {},
): Promise<Trader | Impossible> {
  let why = '';
  for (const divisor of DIVISORS_FOR_LIMITED_BALANCES) {
    const needs = needsOf(moving, maxMove / divisor, sold);
    const given = await Promise.all(
      needs.map(([token, amount]) => giveDirectly(funding, token, account, amount)),
    );
    const failed = given.find(isImpossible);
    if (failed === undefined) {
      const provisions = given.flatMap((each) => (isImpossible(each) ? [] : [each]));
      return { ...combine(traderAt(account), ...provisions), maxMove: maxMove / divisor };
    }
    why = failed.why;
  }
  return impossible(`our trader cannot be given what it sells: ${why}`);
}

/** Gives tokens only through overrides, since a call cannot run other calls before its trade. */
async function giveDirectly(
  funding: Fork['funding'],
  token: Address,
  account: Address,
  amount: bigint,
): Promise<Provision | Impossible> {
  const given = await funding.give(token, account, amount);
  return isImpossible(given) || given.before.length === 0
    ? given
    : impossible(`no storage slot is a balance of ${token}`);
}

function needsOf({ needs }: PoolTrade, maxMove: bigint, sold: TokenAmount | undefined) {
  const total = new Map<Address, bigint>();
  const add = (need: TokenAmount | undefined, millionths: bigint) => {
    if (need === undefined) return;
    const amount = (need.amount * millionths) / MILLION + 1n;
    total.set(need.token, (total.get(need.token) ?? 0n) + amount);
  };
  add(needs, maxMove);
  add(sold, 3n * MILLION);
  return [...total];
}

const PRESENT_MARKET = { first: 1n, last: 0n, nearness: 0n, rises: false, limits: [] } as const;

/**
 * Returns the yield of a plan's pools on the current fork for an amount of the sold token, after
 * the given calls; undefined if its pools cannot be traded with directly.
 */
export async function yieldOfPools(
  fork: Fork,
  planned: Planned,
  sold: bigint,
  earlier: Provision = NOTHING,
): Promise<bigint | undefined> {
  const { amount } = planned.plan.sell;
  const trade = poolTradeIn(fork, planned);
  if (isImpossible(trade) || amount === 0n) return undefined;
  const millionths = (sold * MILLION) / amount;
  return undefinedIfNodeFailed(async () => {
    const trader = await traderFor(fork, trade, millionths);
    if (isImpossible(trader)) return undefined;
    const provision = combine(earlier, trader);
    const [market] = await searchMarkets(fork, {
      account: fork.accounts.trader,
      provision,
      measured: { trade, millionths },
      search: PRESENT_MARKET,
    });
    return market?.received;
  });
}

/**
 * For an exact-output trade that cost more than quoted, returns what its pools yield for the quoted
 * cost and for the actual cost.
 */
export async function yieldsOfOverspent(
  fork: Fork,
  trade: Planned,
  effects: Effects,
): Promise<SettledPlan['poolsGive']> {
  const { request, plan } = trade;
  const isMore = effects.kind === 'settled' && effects.spent > plan.sell.amount;
  if (!isMore || request.swapKind !== 'exact-output') return undefined;
  const forQuoted = await yieldOfPools(fork, trade, plan.sell.amount);
  const forSpent = await yieldOfPools(fork, trade, effects.spent);
  return forQuoted === undefined || forSpent === undefined ? undefined : { forQuoted, forSpent };
}
