import { swapBodyIn } from '../../conformance/checks/plan.ts';
import type { Exchange } from '../../conformance/client/exchange.ts';
import { type Redactor, redactDeep } from '../../conformance/client/redaction.ts';
import { RunStopped } from '../../conformance/client/scheduler.ts';
import { readQuote } from '../../conformance/discovery/quote.ts';
import type { PlannedTrade } from '../../conformance/execution/scenario/scenario.ts';
import { readSwapPlan } from '../../conformance/execution/settle/read-swap-plan.ts';
import { sketchPlan } from '../../conformance/model/plan-sketch.ts';
import { type TradeRequest, targetOf } from '../../conformance/model/trade-request.ts';
import { printable } from '../../conformance/output/printable.ts';
import type { Answer, Quoted, StudyTrade } from '../model/measured-trade.ts';
import type { StudySettings } from '../model/settings.ts';
import type { StudiedService } from './studied-service.ts';

/** A service's response, with the plan to settle, if any. */
export type TradeReply =
  | { readonly answer: Quoted; readonly planned: PlannedTrade }
  | { readonly answer: Answer; readonly planned: undefined };

/** Requests a trade with calldata for the study's tolerance. */
export async function requestTrade(
  service: StudiedService,
  trade: StudyTrade,
  { toleranceBps }: StudySettings,
): Promise<TradeReply> {
  const request = requestOf(service, trade, toleranceBps);
  try {
    return readAnswer(await service.get(targetOf(request)), request, service);
  } catch (error) {
    if (error instanceof RunStopped) return failed(error.message);
    throw error;
  }
}

function requestOf(
  { facts, user }: StudiedService,
  { chainId, sell, buy, swapKind, router, useRfq, amount }: StudyTrade,
  slippageBps: number,
): TradeRequest {
  return {
    chainId,
    router,
    sell: { ...sell, usdPrice: undefined },
    buy: { ...buy, usdPrice: undefined },
    swapKind,
    amount: BigInt(amount),
    slippageBps,
    user,
    recipient: undefined,
    useRfq,
    requiredParameters: facts.markets.get(chainId)?.requiredParameters,
  };
}

function readAnswer(
  exchange: Exchange,
  request: TradeRequest,
  { redactor }: StudiedService,
): TradeReply {
  const { outcome, durationMs: latencyMs } = exchange;
  if (outcome.kind === 'no-reply') return failed(redactor.redactSentence(outcome.message));
  if (outcome.kind === 'large-reply') return failed('its reply is too large to be a plan');
  const shown = (text: string) => printable(redactor.redactText(text), 200);
  if (outcome.status !== 200) {
    return {
      answer: { kind: 'rejected', latencyMs, ...rejectionIn(outcome, redactor) },
      planned: undefined,
    };
  }
  const plan = readSwapPlan(exchange);
  if (plan === undefined) return failed('its reply contains no readable plan');
  const { transaction, sell, buy, steps } = plan;
  if (transaction === undefined) return failed('its plan contains no readable calldata');
  const quote = readQuote(exchange);
  const priceOf = (token: string) => quote?.tokens.get(token)?.usdPrice;
  const prices = {
    sell: priceOf(sell.token),
    buy: priceOf(buy.token),
    native: quote?.nativeTokenUsdPrice,
  };
  const sketch = sketchPlan(swapBodyIn(outcome));
  const answer: Quoted = {
    kind: 'quoted',
    latencyMs,
    sold: String(sell.amount),
    bought: String(buy.amount),
    gasLimit: String(transaction.gasLimit),
    sources: [...new Set(steps.map(({ source }) => shown(source)))],
    swaps: steps.length,
    usdPrice: Object.fromEntries(Object.entries(prices).filter(([, usd]) => usd !== undefined)),
    outcomes: [],
    ...(sketch && { plan: redactDeep(sketch, redactor.redactText) }),
  };
  return { answer, planned: { request, plan, transaction } };
}

/**
 * Returns the error fields of a reply, or its whole text if it contains no JSON object. @see
 * Specification 2.10
 */
function rejectionIn(
  outcome: Exclude<Exchange['outcome'], { kind: 'no-reply' }>,
  redactor: Redactor,
) {
  const shown = (text: unknown) => printable(redactor.redactText(String(text)), 200);
  const isJson = outcome.kind === 'reply' && outcome.document.kind === 'json';
  const body = isJson ? outcome.document.value : undefined;
  const { error = '', message = '' }: { error?: unknown; message?: unknown } =
    typeof body === 'object' && body !== null ? body : { message: outcome.text };
  return { status: outcome.status, error: shown(error ?? ''), message: shown(message ?? '') };
}

function failed(why: string): TradeReply {
  return { answer: { kind: 'failed', why: printable(why, 200) }, planned: undefined };
}
