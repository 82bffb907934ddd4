/** What came of a trade on a copy of its chain. Amounts are base units. */
export type Settlement =
  | {
      readonly kind: 'settled';
      readonly sold: string;
      readonly bought: string;
      readonly gasUsed: string;
      readonly blockNumber: number;
    }
  | {
      readonly kind: 'reverted';
      readonly reason: string;
      readonly gasUsed: string;
      readonly blockNumber: number;
    }
  /** Nothing was settled. */
  | { readonly kind: 'unsettled'; readonly why: string };
