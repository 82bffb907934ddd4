import { toHex } from 'viem';
import { expect, test } from 'vitest';
import { openLiveMarket } from './live-market.ts';
import { type Action, addressOf, SimulatedChain, TICK_SPACING } from './simulated-chain.testing.ts';
import { answerAt, fetchOf, logsOf, type Part, type PartReply } from './simulated-node.testing.ts';
import { TURNS } from './tick-reader.ts';

const POOL = addressOf(0x200);

/** A position that moves no price: only its ticks and its logs tell of it. */
const aside = (pool = POOL, amount = 5n): Action => ({
  kind: 'position',
  pool,
  lower: TICK_SPACING,
  upper: 2 * TICK_SPACING,
  amount,
});

/** Opens the market of a chain whose node answers as `change` makes it, and counts what is asked of it. */
async function open(
  chain: SimulatedChain,
  change: (reply: PartReply, part: Part) => unknown = (reply) => reply,
) {
  const asked: string[] = [];
  const send = fetchOf((part) => {
    asked.push(part.method);
    return change(answerAt(chain, part), part) as PartReply;
  });
  const live = await openLiveMarket(chain.file, 'http://node.test', { fetch: send });
  const readNext = async () => {
    asked.length = 0;
    return live.readNext();
  };
  return { ...live, readNext, asked };
}

/** The market as it is at the head of a chain. */
const truth = (chain: SimulatedChain) => chain.marketAt(chain.head.hash);

/** A node with another result for a method. */
const resultOf = (method: string, result: () => unknown) => (reply: PartReply, part: Part) =>
  part.method === method ? { jsonrpc: '2.0', id: part.id, result: result() } : reply;

test('trades and positions, block by block and several at once -> what is true at the head', async () => {
  const chain = new SimulatedChain({ pairs: 2, concentrated: 3 });
  const { market, readNext } = await open(chain);
  expect(market).toEqual(truth(chain));
  chain.mine([{ kind: 'trade', pool: addressOf(0x100), reserve0: 7n, reserve1: 8n }]);
  expect(await readNext()).toEqual(truth(chain));
  chain.mine([aside()]);
  chain.mine([{ kind: 'move', pool: POOL, tick: TICK_SPACING + 1 }]);
  chain.mine([aside(addressOf(0x201))]);
  expect(await readNext()).toEqual(truth(chain));
  chain.mine([aside(POOL, -5n)]);
  expect(await readNext()).toEqual(truth(chain));
  expect(await readNext()).toBeUndefined();
});

test('a block whose filter shows no position of ours -> its logs are not asked for', async () => {
  const chain = new SimulatedChain();
  const { readNext, asked } = await open(chain);
  chain.mine([{ kind: 'move', pool: POOL, tick: 1 }]);
  await readNext();
  expect(asked).not.toContain('eth_getLogs');
  chain.mine([aside()]);
  await readNext();
  expect(asked).toContain('eth_getLogs');
});

const wrongLogs: readonly [string, (chain: SimulatedChain) => ReturnType<typeof resultOf>][] = [
  ['none', () => resultOf('eth_getLogs', () => [])],
  ['half of them', (chain) => resultOf('eth_getLogs', () => logsOf(chain.head).slice(0, 1))],
  [
    'those of another block',
    (chain) => resultOf('eth_getLogs', () => logsOf(chain.before(chain.head, 1))),
  ],
];
test.each(wrongLogs)(
  'a lagging node that tells of logs %s -> right all the same',
  async (_, lie) => {
    const chain = new SimulatedChain({ concentrated: 8 });
    const { readNext } = await open(chain, lie(chain));
    const late = addressOf(0x207);
    chain.mine([aside(addressOf(0x206))]);
    chain.mine([
      { kind: 'trade', pool: addressOf(0x100), reserve0: 7n, reserve1: 8n },
      aside(late),
    ]);
    expect(await readNext()).toEqual(truth(chain));
  },
);

test('a node without the logs of a block -> right all the same', async () => {
  const chain = new SimulatedChain({ concentrated: 8 });
  const { readNext } = await open(chain, (reply, { id, method }) =>
    method === 'eth_getLogs' ? { jsonrpc: '2.0', id, error: { code: -32000, message: '' } } : reply,
  );
  chain.mine([aside(addressOf(0x207))]);
  expect(await readNext()).toEqual(truth(chain));
});

test('a filter that is empty too -> pools of both kinds are right, by the logs alone', async () => {
  const chain = new SimulatedChain({ concentrated: 8 });
  const { readNext } = await open(chain, withoutFilter);
  chain.mine([aside(addressOf(0x207))]);
  expect(await readNext()).toEqual(truth(chain));
});

test('no trace of a change, neither in the filter nor in the logs -> healed once the pools had their turns', async () => {
  const chain = new SimulatedChain({ concentrated: TURNS });
  const { readNext } = await open(chain, (reply, part) =>
    withoutFilter(resultOf('eth_getLogs', () => [])(reply, part) as PartReply),
  );
  chain.mine();
  await readNext();
  // One that has just had its turn, and one that waits longest: it is found first, and with it the other.
  chain.mine([aside(addressOf(0x200)), aside(addressOf(0x200 + TURNS - 1))]);
  const blocks: boolean[] = [];
  for (let block = 1; block <= TURNS; block++) {
    const market = await readNext();
    blocks.push(JSON.stringify(poolsOf(market)) === JSON.stringify(poolsOf(truth(chain))));
    chain.mine();
  }
  expect(blocks.indexOf(true)).toBe(TURNS - 2);
  expect(blocks.slice(TURNS - 2)).not.toContain(false);
});

test('a branch that takes the place of another -> what is true on it, by what both have in common', async () => {
  const chain = new SimulatedChain({ concentrated: 8 });
  const { readNext, asked } = await open(chain);
  const fork = chain.mine([aside(addressOf(0x203))]);
  await readNext();
  chain.mine([aside(addressOf(0x204))]);
  const left = chain.head;
  await readNext();
  chain.mine([aside(addressOf(0x205))], fork);
  chain.mine([aside(addressOf(0x206))]);
  expect(await readNext()).toEqual(truth(chain));
  expect(asked.filter((method) => method === 'eth_call').length).toBe(1 + 2);
  chain.head = left;
  expect(await readNext()).toEqual(truth(chain));
});

test('a branch that has no block in common with what was read -> all of it is read', async () => {
  const chain = new SimulatedChain({ concentrated: 2 });
  const root = chain.head;
  chain.mine([aside()]);
  const { readNext } = await open(chain);
  for (let block = 0; block < 40; block++) {
    chain.mine(block === 3 ? [aside(addressOf(0x201))] : [], block === 0 ? root : chain.head);
  }
  expect(await readNext()).toEqual(truth(chain));
});

test.each<[string, (chain: SimulatedChain) => (part: Part) => PartReply, string]>([
  [
    'calls as of the block before',
    (chain) => (part) => {
      const before = chain.before(chain.head, 1);
      if (part.method !== 'eth_call') return answerAt(chain, part);
      return answerAt(chain, { ...part, params: [part.params[0], { blockHash: before.hash }] });
    },
    'it answers as of block 1 for another',
  ],
  [
    'another block for a parent',
    (chain) => (part) =>
      part.method === 'eth_getBlockByHash'
        ? answerAt(chain, { ...part, params: [chain.head.hash] })
        : answerAt(chain, part),
    'it gives another block for ',
  ],
  [
    'the id of another chain',
    (chain) => (part) =>
      part.method === 'eth_chainId'
        ? { jsonrpc: '2.0', id: part.id, result: toHex(5) }
        : answerAt(chain, part),
    'it is a node of chain 5',
  ],
])('%s -> not read', async (_, lie, why) => {
  const chain = new SimulatedChain();
  let answer = (part: Part) => answerAt(chain, part);
  const send = fetchOf((part) => answer(part));
  const { readNext } = await openLiveMarket(chain.file, 'http://node.test', { fetch: send });
  chain.mine();
  chain.mine();
  answer = lie(chain);
  await expect(readNext()).rejects.toThrow(why);
  answer = (part) => answerAt(chain, part);
  expect(await readNext()).toEqual(truth(chain));
});

function withoutFilter(reply: PartReply): unknown {
  if (
    !('result' in reply) ||
    (reply.result as { logsBloom?: string } | null)?.logsBloom === undefined
  ) {
    return reply;
  }
  return { ...reply, result: { ...(reply.result as object), logsBloom: toHex(0, { size: 256 }) } };
}

function poolsOf(market: ReturnType<SimulatedChain['marketAt']>) {
  const text = JSON.stringify(market?.pools, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return text;
}
