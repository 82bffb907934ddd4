import PQueue from 'p-queue';
import { createDeck } from '../../generate/deck.ts';
import { calldataRoutersOf } from '../../generate/forms.ts';
import type { Executed } from '../../model/executor.ts';
import type { Scenario } from '../../model/scenario.ts';
import {
  effectsOf,
  NATIVE_TOKEN,
  type SettledOnce,
  type SettledWithCode,
  type Trade,
} from '../../model/settlement.ts';
import {
  type Address,
  maxSold,
  type SwapKind,
  type TradeRequest,
  targetOf,
} from '../../model/trade-request.ts';
import type { ForkedMarket, ForkSession } from '../fork/fork-session.ts';
import { asContract, asDelegated, sentByOwner } from '../fork/wallets.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { pairsOf, type Side, SWAP_KINDS, tradePair } from '../requests/choose-requests.ts';
import { joined } from '../settle/provision.ts';
import { readSwapPlan } from '../settle/read-swap-plan.ts';
import { simulate } from '../settle/simulate.ts';
import { settleOnce } from './by-another.ts';

const ONE_PERCENT_BPS = 100;
const MAX_PAIRS = 4;
const CONCURRENT_TRADES = 16;
/** The last is paid a refund. */
const CASES = [
  ['contract recipient', 'buys native', SWAP_KINDS],
  ['delegating user', 'buys native', SWAP_KINDS],
  ['contract user', 'buys native', SWAP_KINDS],
  ['contract user', 'sells native', ['exact-output']],
] as const satisfies readonly (readonly [SettledWithCode['account'], Side, readonly SwapKind[]])[];

/**
 * Settles plans whose recipient or user is a contract, or delegates to one. Omits plans that do not
 * settle for accounts without code.
 */
export async function settleWithCode(forked: ForkedMarket): Promise<Executed<SettledWithCode>> {
  const requests = requestsFor(forked);
  const settle = (request: Request) => () =>
    undefinedIfNodeFailed(() => settleOne(forked, request));
  const settled = await new PQueue({ concurrency: CONCURRENT_TRADES }).addAll(requests.map(settle));
  return { items: settled.filter((item) => item !== undefined), skipped: [] };
}

type Request = {
  /** Trades of several pairs. The first trade that settles counts. */
  readonly requests: readonly TradeRequest[];
  readonly account: SettledWithCode['account'];
};

/**
 * Prefers trades that pay or refund the native token to the account with code. If no pair trades
 * it, uses other trades.
 */
function requestsFor({ market, service, session }: ForkedMarket): readonly Request[] {
  const { user, recipient } = session.accounts;
  const deckOf = (side: Side) => {
    const native = pairsOf(market, side);
    return createDeck(native.length > 0 ? native : market.pairs, service.seed);
  };
  const decks = { 'buys native': deckOf('buys native'), 'sells native': deckOf('sells native') };
  return calldataRoutersOf(market).flatMap((router, turn) =>
    CASES.map(([account, side, swapKinds], index): Request => {
      const swapKind = swapKinds[(turn + index) % swapKinds.length] ?? 'exact-input';
      const payee = account === 'contract recipient' ? recipient : undefined;
      const form = { router, swapKind, user, recipient: payee, slippageBps: ONE_PERCENT_BPS };
      const requests = Array.from({ length: MAX_PAIRS }, () =>
        tradePair(market, decks[side].deal(), form),
      );
      return { requests, account };
    }),
  );
}

async function settleOne(
  forked: ForkedMarket,
  { requests, account }: Request,
): Promise<SettledWithCode | undefined> {
  const { session } = forked;
  const owner = account === 'contract user' ? session.accounts.wallet : undefined;
  for (const request of requests) {
    const plain = await settlePlain(forked, request);
    if (plain?.effects.kind !== 'settled') continue;
    const scenario = await scenarioFor(session, plain, { account, owner });
    const settlement = await simulate(session.fork(), scenario);
    const effects = effectsOf(plain, plain.holders, settlement);
    const now = { scenario, settlement };
    return { ...plain, now, effects, usual: plain.effects, account, owner };
  }
  return undefined;
}

async function settlePlain(
  forked: ForkedMarket,
  request: TradeRequest,
): Promise<SettledOnce | undefined> {
  const exchange = await forked.service.get(targetOf(request));
  const plan = readSwapPlan(exchange);
  if (plan?.transaction === undefined) return undefined;
  return settleOnce(forked, { request, exchange, plan, transaction: plan.transaction });
}

async function scenarioFor(
  session: ForkSession,
  trade: SettledOnce,
  { account, owner }: Pick<SettledWithCode, 'account' | 'owner'>,
): Promise<Scenario> {
  const { scenario } = trade.now;
  const { user, recipient = user } = trade.request;
  if (account === 'contract recipient') return asContract(scenario, recipient);
  if (owner === undefined) return asDelegated(scenario, user);
  const { tokens, holders } = scenario.measured;
  const measured = {
    tokens: [...new Set([NATIVE_TOKEN, ...tokens])],
    holders: [...new Set([...holders, owner])],
  };
  return sentByOwner({ ...(await ownedBy(session, scenario, trade, owner)), measured }, owner);
}

/**
 * Returns a scenario in which the owner of a wallet also has the sold token and approvals, so that
 * a router could take the token from `tx.origin`.
 */
async function ownedBy(
  { funding, approval }: ForkSession,
  scenario: Scenario,
  { request, plan }: Trade,
  owner: Address,
): Promise<Scenario> {
  const approved = approval(request.router);
  if (request.sell.native || approved === undefined) return scenario;
  const { token } = plan.sell;
  const given = await funding.give(token, owner, maxSold(request, plan));
  if (typeof given === 'string') return scenario;
  const allowed = await funding.approve(token, owner, approved);
  return { ...scenario, ...joined(scenario, given, allowed) };
}
