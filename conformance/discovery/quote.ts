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

/** Reads what it can from the body of a `/swap`; undefined where that is no plan. */
export function readQuote(body: unknown): Quote | undefined {
  const { buy, nativeTokenUsdPrice, tokens } = fieldsOf(body);
  const { amount } = fieldsOf(buy);
  if (typeof amount !== 'string' || !/^[0-9]{1,78}$/.test(amount)) return undefined;
  const quoted = new Map<string, QuotedToken>();
  for (const token of Array.isArray(tokens) ? tokens.slice(0, 50) : []) {
    const { address, usdPrice, decimals } = fieldsOf(token);
    if (typeof address !== 'string') continue;
    quoted.set(address.toLowerCase(), {
      usdPrice: isPrice(usdPrice) ? usdPrice : undefined,
      decimals: isDecimals(decimals) ? decimals : undefined,
    });
  }
  return {
    buyAmount: BigInt(amount),
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

type Fields = Partial<
  Record<
    'buy' | 'amount' | 'nativeTokenUsdPrice' | 'tokens' | 'address' | 'usdPrice' | 'decimals',
    unknown
  >
>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value : {};
}
