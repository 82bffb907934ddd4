/** A file of the page, as it is sent. */
export type PageFile = { readonly type: string; readonly body: string | Buffer };

/** A trade that a reply has planned, with calldata: what it takes to settle it. */
export type PlannedTrade = {
  /** Body of `/chainInfo`, parsed. */
  readonly chainInfo: unknown;
  /** Body of `/swap`. */
  readonly plan: string;
  readonly query: ReadonlyMap<string, string>;
};

/**
 * What stands at `/` for people. The service knows no chain but through its
 * market, so whoever starts it hands in where trades can be settled.
 */
export interface Page {
  /** By path: `/`, and what it loads. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** Returns why trades of a chain cannot be settled here; undefined where they can. */
  whyUnsettled(chainId: number): string | undefined;
  /** Settles a trade on a copy of its chain, and returns what came of it as JSON data. */
  settle(trade: PlannedTrade): Promise<unknown>;
  close(): Promise<void>;
}
