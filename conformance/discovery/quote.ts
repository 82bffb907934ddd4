/** What discovery reads from a plan. */
export type Quote = {
  readonly buyAmount: bigint;
  readonly nativeTokenUsdPrice: number | undefined;
  /** By lower-case address. */
  readonly usdPrices: ReadonlyMap<string, number>;
};

/** Reads what it can from the body of a `/swap`; undefined where that is no plan. */
export function readQuote(body: unknown): Quote | undefined {
  const { buy, nativeTokenUsdPrice, tokens } = fieldsOf(body);
  const { amount } = fieldsOf(buy);
  if (typeof amount !== 'string' || !/^[0-9]{1,78}$/.test(amount)) return undefined;
  const usdPrices = new Map<string, number>();
  for (const token of Array.isArray(tokens) ? tokens.slice(0, 50) : []) {
    const { address, usdPrice } = fieldsOf(token);
    if (typeof address === 'string' && isPrice(usdPrice)) {
      usdPrices.set(address.toLowerCase(), usdPrice);
    }
  }
  return {
    buyAmount: BigInt(amount),
    nativeTokenUsdPrice: isPrice(nativeTokenUsdPrice) ? nativeTokenUsdPrice : undefined,
    usdPrices,
  };
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value);
}

type Fields = Partial<
  Record<'buy' | 'amount' | 'nativeTokenUsdPrice' | 'tokens' | 'address' | 'usdPrice', unknown>
>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value : {};
}
