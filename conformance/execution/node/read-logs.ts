import { quantity, type Rpc, undefinedIfRejected } from './json-rpc.ts';

type Log = { readonly topics: readonly `0x${string}`[] };

/**
 * Returns the latest logs that match a filter, in ascending order, within the given number of
 * blocks up to `latest`. Stops at `enough` logs. Many nodes limit the range of blocks, each with
 * another error, so after any error the range becomes ten times smaller.
 */
export async function readLatestLogs(
  rpc: Rpc,
  filter: object,
  {
    latest,
    blocks,
    enough,
  }: { readonly latest: number; readonly blocks: number; readonly enough: number },
): Promise<readonly Log[]> {
  const first = Math.max(0, latest - blocks);
  let logs: readonly Log[] = [];
  let [to, size] = [latest, latest - first + 1];
  while (to >= first && logs.length < enough) {
    const from = Math.max(first, to - size + 1);
    const range = { fromBlock: quantity(from), toBlock: quantity(to) };
    const found = await undefinedIfRejected(
      rpc<readonly Log[]>('eth_getLogs', [{ ...filter, ...range }]),
    );
    if (found !== undefined) {
      logs = [...found, ...logs];
      to = from - 1;
    } else if (size === 1) return logs;
    else size = Math.floor(size / 10);
  }
  return logs;
}
