import { readJson } from '../../conformance/client/read-json.ts';
import type { ChainInfo, RouterName } from '../../conformance/contract/resources.ts';
import { type ForkSource, isForkError } from '../../conformance/execution/fork.ts';
import {
  type ForkSession,
  NEXT_BLOCK_S,
  openForkSession,
} from '../../conformance/execution/fork-session.ts';
import { type Made, makeTrade } from '../../conformance/execution/make-trade.ts';
import { readSwapPlan } from '../../conformance/execution/read-swap-plan.ts';
import { needsOf } from '../../conformance/execution/settle-trades.ts';
import {
  callOf,
  type PlannedTrade as TradeOnChain,
} from '../../conformance/execution/try-trades.ts';
import { tokenBought, tokenSold } from '../../conformance/model/settlement.ts';
import type { Address, TradeRequest } from '../../conformance/model/trade-request.ts';
import type { PlannedTrade } from '../../reference/server/page.ts';
import type { Settlement } from './settlement.ts';

/** Makes a trade on a fork of its chain, by an account that is given what it sells, and returns what came of it. */
export async function settleTrade(source: ForkSource, trade: PlannedTrade): Promise<Settlement> {
  const read = readTrade(trade);
  if (read === undefined) {
    return { kind: 'unsettled', why: 'The reply has no calldata: ask for it to settle the trade.' };
  }
  const { request } = read;
  const info = trade.chainInfo as ChainInfo;
  let session: ForkSession | undefined;
  try {
    const { user } = request;
    session = await openForkSession({ source, info, listed: [], user, clock: Date.now });
    const refused = await session.prepare(needsOf([read]));
    const why = request.sell.native ? undefined : refused.get(read.plan.sell.token);
    if (why !== undefined) return { kind: 'unsettled', why: `The trade cannot be made: ${why}.` };
    return tell(await make(session, read), read, session.fork().block.number);
  } catch (error) {
    if (isForkError(error)) return { kind: 'unsettled', why: `${error.message}.` };
    throw error;
  } finally {
    await session?.stop();
  }
}

function readTrade({ query, plan: text }: PlannedTrade): TradeOnChain | undefined {
  const outcome = { kind: 'reply', status: 200, headers: {}, text, document: readJson(text) };
  const plan = readSwapPlan({ outcome } as Parameters<typeof readSwapPlan>[0]);
  const transaction = plan?.transaction;
  if (plan === undefined || transaction === undefined) return undefined;
  const addressIn = (name: string) => query.get(name)?.toLowerCase() as Address | undefined;
  const asset = (name: string) => {
    const address = addressIn(name) ?? '0x';
    const native = /^0x(0{40}|e{40})$/.test(address);
    return { address, symbol: '', decimals: 18, usdPrice: undefined, native };
  };
  const sells = query.has('sellAmount');
  const request: TradeRequest = {
    chainId: Number(query.get('chainId')),
    router: (query.get('router') ?? 'default-router') as RouterName,
    sell: asset('sellToken'),
    buy: asset('buyToken'),
    swapKind: sells ? 'exact-input' : 'exact-output',
    amount: BigInt(query.get(sells ? 'sellAmount' : 'buyAmount') ?? 0),
    slippageBps: Math.round(Number(query.get('slippageTolerance')) * 10_000),
    user: addressIn('userAddress') ?? '0x',
    recipient: addressIn('recipientAddress'),
  };
  return { request, plan, transaction };
}

function make(session: ForkSession, trade: TradeOnChain): Promise<Made> {
  const { user, recipient = user } = trade.request;
  return makeTrade(session.rpc(), {
    user,
    earlier: [],
    trade: callOf(trade),
    gas: trade.transaction.gasLimit,
    timestamp: session.blockTimeIn(NEXT_BLOCK_S),
    tokens: [tokenSold(trade), tokenBought(trade)],
    holders: [...new Set([user, recipient])],
  });
}

function tell({ mined, changes }: Made, trade: TradeOnChain, blockNumber: number): Settlement {
  const { user, recipient = user } = trade.request;
  if (mined.kind === 'refused') return { kind: 'unsettled', why: `${mined.reason}.` };
  const gasUsed = `${mined.gasUsed}`;
  if (!mined.success) {
    return { kind: 'reverted', reason: mined.reason ?? 'without a reason', gasUsed, blockNumber };
  }
  const changeOf = (account: Address, token: Address) =>
    changes.find((each) => each.account === account && each.token === token)?.amount ?? 0n;
  const sold = `${-changeOf(user, tokenSold(trade))}`;
  const bought = `${changeOf(recipient, tokenBought(trade))}`;
  return { kind: 'settled', sold, bought, gasUsed, blockNumber };
}
