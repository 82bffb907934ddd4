import { expect, test } from 'vitest';
import { JsonRpcError } from './json-rpc.ts';
import { rejectionOf, retryOf } from './node-losses.ts';
import { readLatestLogs } from './read-logs.ts';

const TOO_WIDE = [
  { code: -32_005, message: 'query returned more than 10000 results' },
  { code: -32_005, message: 'exceed maximum block range: 10' },
  { code: -32_602, message: 'You can make eth_getLogs requests with up to a 10 block range' },
  { code: -32_000, message: 'block range is too large' },
  {
    code: -32_600,
    message: 'Under the Free tier plan, the limit of eth_getLogs is a 10 block range',
  },
  { code: -32_603, message: 'internal error' },
];

test.each(TOO_WIDE)('$message -> not retried, and ends no run', (error) => {
  const rejection = new JsonRpcError('eth_getLogs', error);
  expect([retryOf(rejection), rejectionOf(rejection)]).toEqual([undefined, undefined]);
});

test('429 for logs -> retried, since the node limits the rate', () => {
  const limited = new JsonRpcError('eth_getLogs', { message: 'no' }, undefined, { status: 429 });
  expect(retryOf(limited)).toBe('slower');
});

function nodeWith(maxBlocks: number, logAt: readonly number[]) {
  const ranges: number[] = [];
  const rpc = async <Result>(method: string, [filter]: readonly unknown[] = []) => {
    const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
    const [from, to] = [Number(fromBlock), Number(toBlock)];
    ranges.push(to - from + 1);
    if (to - from + 1 > maxBlocks) throw new JsonRpcError(method, TOO_WIDE[1] ?? {});
    return logAt
      .filter((block) => block >= from && block <= to)
      .map((block) => ({ topics: [`0x${block}`] })) as Result;
  };
  return { rpc, ranges };
}

const range = { latest: 5_000, blocks: 1_000, enough: 2 };

test.each([10_000, 1_000, 100, 10, 1])(
  'a node that allows %i blocks -> the latest logs',
  async (most) => {
    const { rpc } = nodeWith(most, [3_000, 4_020, 4_990, 4_999]);
    const logs = await readLatestLogs(rpc, {}, { ...range, enough: 3 });
    expect(logs.map(({ topics }) => topics[0])).toEqual(['0x4020', '0x4990', '0x4999']);
  },
);

test('enough logs -> no further blocks are read', async () => {
  const { rpc, ranges } = nodeWith(10, [4_020, 4_990, 4_999]);
  expect(await readLatestLogs(rpc, {}, range)).toHaveLength(2);
  expect(ranges.length).toBeLessThan(6);
});

test('a node without logs -> none, after few requests', async () => {
  const { rpc, ranges } = nodeWith(0, [4_999]);
  expect(await readLatestLogs(rpc, {}, range)).toEqual([]);
  expect(ranges).toEqual([1_001, 100, 10, 1]);
});
