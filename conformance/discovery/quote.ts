import { fitsUint256 } from '../checks/amounts.ts';
import { addressKey } from '../checks/hex.ts';
import { swapBodyIn } from '../checks/plan.ts';
import type { Exchange } from '../client/exchange.ts';

/** The parts of a plan that discovery uses. */
export type Quote = {
  /** Undefined if the plan's amount cannot be read. */
  readonly buyAmount: bigint | undefined;
  readonly nativeTokenUsdPrice: number | undefined;
  /** Readable properties of each token in the plan, by {@link addressKey}. */
  readonly tokens: ReadonlyMap<
    string,
    { readonly usdPrice: number | undefined; readonly decimals: number | undefined }
  >;
};

/** Returns the readable parts of a reply to `/swap`; undefined if it is not a plan. */
export function readQuote(exchange: Exchange | undefined): Quote | undefined {
  const body = exchange?.outcome.kind === 'reply' ? swapBodyIn(exchange.outcome) : undefined;
  if (body === undefined) return undefined;
  const { amount } = body.buy;
  const buyAmount = amount !== undefined && fitsUint256(amount) ? amount : undefined;
  if (buyAmount === undefined && !body.routes?.length) return undefined;
  const tokens = (body.tokens ?? []).slice(0, 50).flatMap(({ address, usdPrice, decimals }) => {
    if (address === undefined) return [];
    return [[addressKey(address), { usdPrice: priceIn(usdPrice), decimals }] as const];
  });
  const nativeTokenUsdPrice = priceIn(body.fields.nativeTokenUsdPrice);
  return { buyAmount, nativeTokenUsdPrice, tokens: new Map(tokens) };
}

function priceIn(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : undefined;
}
