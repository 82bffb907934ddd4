import PQueue from 'p-queue';
import type { TradedPair } from '../../discovery/facts.ts';
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
import { type Address, maxSold, type TradeRequest, targetOf } from '../../model/trade-request.ts';
import type { ForkedMarket, ForkSession } from '../fork/fork-session.ts';
import { asContract, asDelegated, sentByOwner } from '../fork/wallets.ts';
import { undefinedIfNodeFailed } from '../node/node-losses.ts';
import { pairsOf, SWAP_KINDS, tradePair } from '../requests/choose-requests.ts';
import { joined } from '../settle/provision.ts';
import { readSwapPlan } from '../settle/read-swap-plan.ts';
import { simulate } from '../settle/simulate.ts';
import { settleOnce } from './by-another.ts';

const ONE_PERCENT_BPS = 100;
const MAX_PAIRS = 4;
const CONCURRENT_TRADES = 16;
const ACCOUNTS = ['contract recipient', 'delegating user', 'contract user'] as const;

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
 * Prefers trades that buy the native token, since the account with code then receives it. If no
 * pair buys the native token, uses other trades.
 */
function requestsFor({ market, service, session }: ForkedMarket): readonly Request[] {
  const native = pairsOf(market, 'buys native');
  const pairs = native.length > 0 ? native : pairsOf(market, 'neither');
  if (pairs.length === 0) return [];
  const deck = createDeck<TradedPair>(pairs, service.seed);
  const { user, recipient } = session.accounts;
  return calldataRoutersOf(market).flatMap((router, turn) =>
    ACCOUNTS.map((account, index): Request => {
      const swapKind = SWAP_KINDS[(turn + index) % SWAP_KINDS.length] ?? 'exact-input';
      const payee = account === 'contract recipient' ? recipient : undefined;
      const form = { router, swapKind, user, recipient: payee, slippageBps: ONE_PERCENT_BPS };
      const requests = Array.from({ length: MAX_PAIRS }, () =>
        tradePair(market, deck.deal(), form),
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
    return { ...plain, now: { scenario, settlement }, effects, account, owner };
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
