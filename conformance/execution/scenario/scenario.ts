import { keccak256, stringToBytes } from 'viem';
import type { RouterName } from '../../contract/resources.ts';
import { createRandom } from '../../model/random.ts';
import type { Call, Overrides, Scenario } from '../../model/scenario.ts';
import {
  accountsOf,
  type Funds,
  type Holders,
  NATIVE_TOKEN,
  type Trade,
  type Transaction,
} from '../../model/settlement.ts';
import { type Address, maxSold, type TradeRequest } from '../../model/trade-request.ts';
import { gasPriceIn } from '../settle/gas-price.ts';
import { type Impossible, impossible, isImpossible } from '../settle/impossible.ts';
import { combine, NOTHING, type Provision } from '../settle/provision.ts';
import { poolsOf } from '../settle/read-swap-plan.ts';
import type { Accounts } from './accounts.ts';
import type { Approval } from './approvals.ts';
import { ampleCircumstances, ampleGas, type Block, type Circumstances } from './circumstances.ts';
import type { Funding } from './funding.ts';

/** A trade may be repeated this often to move its price. */
const MAX_REPEATS = 34n;
/** Most users hold at most the sold amount times two to this power. */
const AMPLE_POWER = 8n;
/** Range of the native tokens that a user holds besides those that it needs, as powers of ten. */
const SPARE_NATIVE_WEI = [17n, 21n] as const;
/** Range of a recipient's native tokens, as powers of ten. */
const RECIPIENT_WEI = [12n, 20n] as const;
/** Range of the parts of its supply into which another token is divided, as powers of ten. */
const SUPPLY_PARTS = [2n, 14n] as const;
/** Range of the base units of another token whose supply is unknown, as powers of ten. */
const OTHER_TOKEN_UNITS = [3n, 13n] as const;

/** Range of the seconds from a quote to the block of its transaction. */
const WAIT_S = [3n, 28n] as const;

/** A chain at one block, with what a scenario on it depends on. */
export type ForkedChain = {
  readonly chainId: number;
  readonly block: Block;
  /** Differs in every run without a seed. No contract knows it. */
  readonly salt: string;
  readonly accounts: Accounts;
  readonly wrappedNative: Address | undefined;
  /** ERC-20 contract of the native token, on chains that have one. */
  readonly nativeToken: Address | undefined;
  /** Tokens that users may hold and approve, besides the traded tokens. */
  readonly bystanders: readonly Address[];
  /** The distinct approvals that the user gives for all routers. */
  readonly approvals: readonly Approval[];
  /** Returns the approval that the user gives for a router. */
  readonly approvalOf: (router: RouterName) => Approval | undefined;
  /**
   * Returns the Unix time, in seconds, of the block that includes a transaction which is quoted now
   * and waits for the given time. Always after the forked block. If the chain agrees with the
   * service's clock rather than with this machine's, the service's clock counts.
   */
  readonly nextBlockTime: (waitS?: number) => number;
  /** Gives tokens and approvals to accounts in scenarios. */
  readonly funding: Funding;
};

/** Returns a scenario whose gas limit is at most that of the service's transaction. */
export function withinGasLimit(scenario: Scenario, { gasLimit }: Transaction): Scenario {
  return gasLimit < scenario.gas ? { ...scenario, gas: gasLimit } : scenario;
}

/** A plan with the transaction to settle it. */
export type PlannedTrade = Omit<Trade, 'exchange'>;

/** Returns the accounts that take part in a trade. */
export function holdersOf(
  fork: ForkedChain,
  { request, transaction }: Pick<Trade, 'request' | 'transaction'>,
): Holders {
  const { user, recipient = user } = request;
  const approval = fork.approvalOf(request.router);
  const hasProxy =
    approval !== undefined && !approval.viaPermit2 && approval.spender !== transaction.router;
  return {
    user,
    receiver: recipient,
    router: transaction.router,
    proxy: hasProxy ? approval.spender : undefined,
  };
}

/**
 * Returns the call with which the user sends a plan's transaction, including the native tokens that
 * it sells.
 */
export function callOf({ request, plan, transaction }: PlannedTrade): Call {
  const value = request.sell.native ? maxSold(request, plan) : 0n;
  return { from: request.user, to: transaction.router, value, data: transaction.calldata };
}

/**
 * Returns the scenario of a trade on the forked block, with ample gas. If the user cannot be given
 * the sold amount, returns the reason.
 */
export async function scenarioOf(
  fork: ForkedChain,
  trade: PlannedTrade,
  circumstances?: Circumstances,
  time: number = fork.nextBlockTime(waitS(fork, trade)),
): Promise<Scenario | Impossible> {
  const { request, plan } = trade;
  const { block } = fork;
  const { funds, fields } = circumstances ?? ampleCircumstances(fork);
  const gas = ampleGas(block);
  const call = callOf(trade);
  const draw = createDraw(fork, trade);
  const spare = drawMagnitude(draw, SPARE_NATIVE_WEI);
  const repeated = funds.tokens === 'repeatable' ? call.value * MAX_REPEATS : 0n;
  const others = await otherTokensOf(fork, draw);
  const given = await provide(fork, trade, { funds, others, draw });
  if (isImpossible(given)) return given;
  const sellsNative = plan.sell.token === fork.nativeToken && !request.sell.native;
  const needed = call.value + (sellsNative ? maxSold(request, plan) : 0n);
  const gasCost = gas * gasPriceIn(fields);
  const balance = needed + gasCost + (funds.native === 'ample' ? repeated + spare : 0n);
  const native = { overrides: { [request.user]: { balance } }, before: [] };
  const existing = { overrides: nativeOfRecipient(request, draw), before: [] };
  const { wrappedNative = [] } = fork;
  const tokens = [NATIVE_TOKEN, plan.tokens, wrappedNative, [...others.keys()]].flat();
  const holders = [
    ...accountsOf(holdersOf(fork, trade)),
    ...otherPayers(fork, trade, funds),
    request.wallet ?? request.user,
  ];
  return {
    chainId: fork.chainId,
    block: block.number,
    time,
    fields,
    ...combine(existing, ...given, native),
    trade: call,
    gas,
    measured: { tokens: [...new Set(tokens)], holders: [...new Set(holders)] },
  };
}

/** Returns the seconds from the quote of a trade to its block. They differ between trades. */
export function waitS(fork: ForkedChain, trade: PlannedTrade): number {
  return Number(createDraw(fork, trade)(...WAIT_S));
}

/** Returns a random number between two others. */
type Draw = (min: bigint, max: bigint) => bigint;

/**
 * Returns a function that draws the same numbers whenever a trade is settled. They differ between
 * trades, and no contract can compute them, so that no balance shows that the judge made it.
 */
function createDraw({ salt }: ForkedChain, { request, transaction }: PlannedTrade): Draw {
  const { user, notationSeed = 0 } = request;
  const hash = keccak256(stringToBytes([salt, user, transaction.calldata, notationSeed].join(' ')));
  const random = createRandom(Number(BigInt(hash) & 0xffff_ffffn));
  return (min, max) => min + ((max - min) * BigInt(Math.floor(random() * 2 ** 32))) / (1n << 32n);
}

/** Draws a number from a range of powers of ten. Small and large numbers are equally likely. */
function drawMagnitude(draw: Draw, range: readonly [bigint, bigint]): bigint {
  const power = 10n ** draw(...range);
  return draw(power, power * 10n);
}

/**
 * Draws the tokens that the user holds and has approved besides those that it trades: none, half or
 * all of them.
 */
async function otherTokensOf(
  { bystanders: tokens, funding }: ForkedChain,
  draw: Draw,
): Promise<ReadonlyMap<Address, bigint>> {
  const count = Math.ceil((Number(draw(0n, 3n)) / 2) * tokens.length);
  const first = Number(draw(0n, BigInt(tokens.length)));
  const held = [...tokens, ...tokens].slice(first, first + count).map((token) => ({
    token,
    parts: drawMagnitude(draw, SUPPLY_PARTS),
    units: drawMagnitude(draw, OTHER_TOKEN_UNITS),
  }));
  return new Map(
    await Promise.all(
      held.map(async ({ token, parts, units }) => {
        const supply = await funding.supplyOf(token);
        return [token, supply === undefined ? units : supply / parts || 1n] as const;
      }),
    ),
  );
}

/**
 * Draws the native tokens of a recipient other than the user, since hardly any real recipient holds
 * none. Draws none if they are the bought token, which `Funds` describes.
 */
function nativeOfRecipient({ user, recipient = user, buy }: TradeRequest, draw: Draw): Overrides {
  const balance = drawMagnitude(draw, RECIPIENT_WEI);
  return recipient === user || buy.native ? {} : { [recipient]: { balance } };
}

/**
 * Draws a balance of the sold token that is more than the trade needs, but no more than the token's
 * supply, because some tokens fail for larger balances.
 */
async function ampleBalance(
  { funding }: ForkedChain,
  token: Address,
  { most, tokens, draw }: { readonly most: bigint; readonly draw: Draw } & Pick<Funds, 'tokens'>,
): Promise<bigint> {
  const least = tokens === 'repeatable' ? most * MAX_REPEATS : most;
  const drawn = draw(least, least << draw(1n, AMPLE_POWER + 1n));
  const supply = await funding.supplyOf(token);
  if (supply === undefined || drawn <= supply) return drawn;
  return supply > least ? supply : least;
}

/**
 * Returns the accounts that faulty calldata may rob: they hold the sold token and approve the
 * router.
 */
function otherPayers(
  { accounts }: ForkedChain,
  { request: { user, recipient = user } }: PlannedTrade,
  { others }: Funds,
): readonly Address[] {
  const payers = others === 'approved' ? [recipient, accounts.approver] : [];
  return payers.filter((account) => account !== user);
}

/**
 * Returns the overrides and calls that give each account what it needs. If that is impossible for
 * an account, returns the reason.
 */
async function provide(
  fork: ForkedChain,
  trade: PlannedTrade,
  {
    funds,
    others: otherTokens,
    draw,
  }: {
    readonly funds: Funds;
    readonly others: ReadonlyMap<Address, bigint>;
    readonly draw: Draw;
  },
): Promise<readonly Provision[] | Impossible> {
  const { request, plan } = trade;
  const { funding, nativeToken, wrappedNative } = fork;
  const { user, wallet } = request;
  const most = maxSold(request, plan);
  const { token } = plan.sell;
  const pools = new Set(poolsOf(plan));
  const own: Provision[] = [];
  if (!request.sell.native) {
    const approval = fork.approvalOf(request.router);
    if (approval === undefined) {
      return impossible(
        `/chainInfo does not list ${request.router}, so the account to approve is unknown`,
      );
    }
    const { tokens } = funds;
    const amount =
      tokens === 'exact' ? most : await ampleBalance(fork, token, { most, tokens, draw });
    const approved = funds.approval === 'exact' ? most : undefined;
    // The wallet named in a request must not pay for a trade that another account sends.
    for (const account of new Set([user, wallet ?? user])) {
      own.push(await funding.approve(token, account, approval, approved));
      if (token === nativeToken) continue;
      const given = await funding.give(token, account, amount, pools);
      if (isImpossible(given)) return given;
      own.push(given);
    }
  }
  // Faulty calldata may take the wrapped token, or another token that the user has approved.
  const others = new Map(otherTokens);
  if (request.sell.native && wrappedNative !== undefined) others.set(wrappedNative, most);
  for (const [other, amount] of others) {
    if ([nativeToken, plan.buy.token].includes(other)) continue;
    if (other === token && !request.sell.native) continue;
    own.push(...(await withApprovals(fork, other, user, amount)));
  }
  const stealable = request.sell.native ? wrappedNative : token;
  for (const account of otherPayers(fork, trade, funds)) {
    if (stealable === undefined || stealable === nativeToken) continue;
    own.push(...(await withApprovals(fork, stealable, account, draw(most, most * 3n))));
  }
  if (funds.bought === 'some') own.push(await bought(fork, trade, draw));
  return own;
}

/**
 * Gives the receiver at least as much of the bought token as the trade buys, if a storage slot
 * holds it.
 */
async function bought(
  { funding, nativeToken }: ForkedChain,
  { request, plan }: PlannedTrade,
  draw: Draw,
): Promise<Provision> {
  const { user, recipient: receiver = user, buy, sell } = request;
  const { token } = plan.buy;
  const amount = draw(plan.buy.amount, plan.buy.amount * 3n);
  const isNative = buy.native || token === nativeToken;
  // The user's native balance is given for gas, and its balance of the sold token for the trade.
  if (receiver === user && (isNative || (token === plan.sell.token && !sell.native)))
    return NOTHING;
  if (isNative) return { overrides: { [receiver]: { balance: amount } }, before: [] };
  const given = await funding.give(token, receiver, amount);
  return isImpossible(given) || given.before.length > 0 ? NOTHING : given;
}

async function withApprovals(
  fork: ForkedChain,
  token: Address,
  account: Address,
  amount: bigint,
): Promise<readonly Provision[]> {
  const { funding } = fork;
  const given = await funding.give(token, account, amount);
  if (isImpossible(given) || given.before.length > 0) return [];
  const approvals = await Promise.all(
    fork.approvals.map((approval) => funding.approve(token, account, approval)),
  );
  return [given, ...approvals.filter(({ before }) => before.length === 0)];
}
