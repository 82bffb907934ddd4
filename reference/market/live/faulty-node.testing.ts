import { toHex } from 'viem';
import { type SimulatedBlock, SimulatedChain } from './simulated-chain.testing.ts';
import { callOf, type RpcCall, replyAt, responseOf } from './simulated-node.testing.ts';

type Received = {
  readonly chain: SimulatedChain;
  readonly call: RpcCall;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly since: SimulatedBlock;
};

/** Responds to a call, usually wrongly. */
export type Fault = (received: Received) => Response | Promise<Response>;

const OTHER_CHAIN = new SimulatedChain({ timestamp: 2_000_000_000 });
const NO_BLOCK_HASHES = { error: { code: -32602, message: 'invalid argument 1' } };

/**
 * Faults of a node, or of several nodes behind one URL. None of them returns a wrong state with the
 * number and time of the requested block.
 */
export const FAULTS = {
  none: ({ chain, call }) => responseOf(replyAt(chain, call)),
  slow: async ({ chain, call, random, signal }) => {
    await pause(random() * 15_000, signal);
    return responseOf(replyAt(chain, call));
  },
  silent: ({ signal }) => pause(Number.POSITIVE_INFINITY, signal).then(() => new Response()),
  stalled: ({ signal }) => new Response(startOfBody(signal)),
  cut: async ({ chain, call, random }) => {
    const text = JSON.stringify(replyAt(chain, call));
    return new Response(text.slice(0, random() * text.length));
  },
  unreachable: () => Promise.reject(new TypeError('fetch failed')),
  unavailable: () => new Response('busy', { status: 503, headers: { 'Retry-After': '3600' } }),
  'rate limit': ({ chain, call, random }) =>
    random() < 0.5 ? new Response('', { status: 429 }) : responseOf(replyAt(chain, call)),
  lagging: ({ chain, call, random }) => responseOf(replyAt(chain, call, earlier(chain, random))),
  'its head does not move': ({ chain, call, since }) => responseOf(replyAt(chain, call, since)),
  'another chain': ({ call }) => {
    const reply = replyAt(OTHER_CHAIN, call);
    return responseOf(call.method === 'eth_chainId' ? { result: toHex(5) } : reply);
  },
  'calls at the block before': ({ chain, call }) =>
    responseOf(replyAt(chain, call.method === 'eth_call' ? oneBlockEarlier(chain, call) : call)),
  'no block hashes': ({ chain, call }) =>
    responseOf(
      call.method === 'eth_call' && typeof call.params[1] === 'object'
        ? NO_BLOCK_HASHES
        : replyAt(chain, call),
    ),
  'an empty state': ({ chain, call }) =>
    responseOf(call.method === 'eth_call' ? { result: '0x' } : replyAt(chain, call)),
} satisfies Record<string, Fault>;

/** Returns the state of the previous block with the number and time of the requested block. */
export const staleState: Fault = ({ chain, call }) => {
  if (call.method !== 'eth_call') return responseOf(replyAt(chain, call));
  const [, at] = call.params as [unknown, { readonly blockHash: SimulatedBlock['hash'] }];
  const block = chain.blocks.get(at.blockHash) ?? chain.head;
  const stale = { ...block, pools: chain.before(block, 1).pools };
  const blocks = new Map([...chain.blocks, [block.hash, stale]]);
  const staleChain = Object.assign(Object.create(SimulatedChain.prototype), { ...chain, blocks });
  return responseOf(replyAt(staleChain, call, chain.head));
};

/** Never resolves if `ms` is infinite; rejects like `fetch` when aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(signal.reason);
    const end = () => {
      signal.removeEventListener('abort', fail);
      resolve();
    };
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail);
    if (ms < Number.POSITIVE_INFINITY) setTimeout(end, Math.floor(ms));
  });
}

/** Returns a `fetch` that responds with the current fault after a short random delay. */
export function fetchWith(
  chain: SimulatedChain,
  random: () => number,
  current: () => { readonly fault: Fault; readonly since: SimulatedBlock },
): typeof fetch {
  return async (_input, init) => {
    const signal = init?.signal ?? new AbortController().signal;
    await pause(10 + random() * 90, signal);
    const { fault, since } = current();
    return fault({ chain, call: callOf(init), random, signal, since });
  };
}

function earlier(chain: SimulatedChain, random: () => number): SimulatedBlock {
  return chain.before(chain.head, Math.floor(random() * 4));
}

function oneBlockEarlier(chain: SimulatedChain, { method, params }: RpcCall): RpcCall {
  const [data, at] = params as [unknown, { readonly blockHash: SimulatedBlock['hash'] } | string];
  if (typeof at === 'string') return { method, params: [data, toHex(Math.max(0, Number(at) - 1))] };
  const blockHash = chain.blocks.get(at.blockHash)?.parentHash;
  return { method, params: [data, { blockHash }] };
}

/** Returns a body that sends its first bytes and then stalls until it is aborted. */
export function startOfBody(signal: AbortSignal): ReadableStream {
  return new ReadableStream({
    start: (body) => {
      body.enqueue(new TextEncoder().encode('{"jsonrpc":'));
      signal.addEventListener('abort', () => body.error(signal.reason));
    },
  });
}
