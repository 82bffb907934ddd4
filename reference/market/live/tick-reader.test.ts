import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import {
  emptyFilter,
  FAULTS,
  type Fault,
  noFilter,
  noTraceOfLogs,
  withoutLogs,
} from './faulty-node.testing.ts';
import { openLiveMarket } from './live-market.ts';
import { type Action, addressOf, SimulatedChain, TICK_SPACING } from './simulated-chain.testing.ts';
import { partsOf } from './simulated-node.testing.ts';
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

/** Opens the market of a chain whose node has the fault of that time, and counts what is asked of it. */
async function open(chain: SimulatedChain, fault: () => Fault = () => FAULTS.none) {
  const asked: string[] = [];
  const { signal } = new AbortController();
  const send: typeof fetch = async (_input, init) => {
    const parts = partsOf(init);
    asked.push(...parts.map(({ method }) => method));
    return fault()({ chain, parts, random: () => 0.5, signal, since: chain.head });
  };
  const live = await openLiveMarket(chain.file, 'http://node.test', { fetch: send });
  const readNext = async () => {
    asked.length = 0;
    return live.readNext();
  };
  return { ...live, readNext, asked };
}

/** The market as it is at the head of a chain. */
const truth = (chain: SimulatedChain) => chain.marketAt(chain.head.hash);

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

test.each([
  ['no logs', FAULTS['no logs']],
  ['half of the logs', FAULTS['half of the logs']],
  ['the logs of another block', FAULTS['the logs of the block before']],
  ['an error instead of logs', withoutLogs],
  ['an empty filter', emptyFilter],
  ['no filter', noFilter],
])('a node that tells of %s -> right all the same', async (_, fault) => {
  const chain = new SimulatedChain({ concentrated: 8 });
  const { readNext } = await open(chain, () => fault);
  chain.mine([aside(addressOf(0x206))]);
  chain.mine([
    { kind: 'trade', pool: addressOf(0x100), reserve0: 7n, reserve1: 8n },
    aside(addressOf(0x207)),
  ]);
  expect(await readNext()).toEqual(truth(chain));
});

test('no trace of a change, neither in the filter nor in the logs -> healed once the pools had their turns', async () => {
  const chain = new SimulatedChain({ concentrated: TURNS });
  const { readNext } = await open(chain, () => noTraceOfLogs);
  chain.mine();
  await readNext();
  // One that has just had its turn, and one that waits longest: it is found first, and with it the other.
  chain.mine([aside(addressOf(0x200)), aside(addressOf(0x200 + TURNS - 1))]);
  const blocks: boolean[] = [];
  for (let block = 1; block <= TURNS; block++) {
    const market = await readNext();
    blocks.push(isDeepStrictEqual(market?.pools, truth(chain)?.pools));
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

test.each([
  ['calls as of the block before', 'it answers as of block 1 for another'],
  ['another parent', 'it gives another block for '],
  ['another chain', 'it is a node of chain 5'],
] as const)('%s -> not read', async (name, why) => {
  const chain = new SimulatedChain();
  let fault: Fault = FAULTS.none;
  const { readNext } = await open(chain, () => fault);
  chain.mine();
  chain.mine();
  fault = FAULTS[name];
  await expect(readNext()).rejects.toThrow(why);
  fault = FAULTS.none;
  expect(await readNext()).toEqual(truth(chain));
});
