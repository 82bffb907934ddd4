import { fitsUint256 } from '../checks/amounts.ts';
import { swapBodyIn } from '../checks/plan.ts';
import type { Exchange } from '../client/exchange.ts';

/** What discovery reads from a plan. */
export type Quote = {
  readonly buyAmount: bigint;
  readonly nativeTokenUsdPrice: number | undefined;
  /** By lower-case address. */
  readonly tokens: ReadonlyMap<string, QuotedToken>;
};

/** What a plan says of one of its tokens, as far as it can be read. */
export type QuotedToken = {
  readonly usdPrice: number | undefined;
  readonly decimals: number | undefined;
};

/** Reads what it can from the reply to a `/swap`; undefined where that is no plan. */
export function readQuote({ outcome }: Exchange): Quote | undefined {
  const body = outcome.kind === 'reply' ? swapBodyIn(outcome) : undefined;
  const buyAmount = body?.buy.amount;
  if (body === undefined || buyAmount === undefined || !fitsUint256(buyAmount)) return undefined;
  const { nativeTokenUsdPrice } = body.fields;
  const quoted = new Map<string, QuotedToken>();
  for (const { address, usdPrice, fields } of body.tokens?.slice(0, 50) ?? []) {
    if (address === undefined) continue;
    quoted.set(address.toLowerCase(), {
      usdPrice: isPrice(usdPrice) ? usdPrice : undefined,
      decimals: isDecimals(fields.decimals) ? fields.decimals : undefined,
    });
  }
  return {
    buyAmount,
    nativeTokenUsdPrice: isPrice(nativeTokenUsdPrice) ? nativeTokenUsdPrice : undefined,
    tokens: quoted,
  };
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value);
}

function isDecimals(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 18;
}
