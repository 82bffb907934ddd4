import PQueue from 'p-queue';

/** Trades settled at the same time: more would only wait for the node. */
const CONCURRENT_TRADES = 16;

/** Settles items concurrently. Returns the results in the order of the items. */
export function settleEach<Item, Result>(
  items: readonly Item[],
  settle: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const work = items.map((item) => () => settle(item));
  return new PQueue({ concurrency: CONCURRENT_TRADES }).addAll(work);
}
