import { toHex } from 'viem';
import { hasAll } from './logs-bloom.ts';
import { filterOf, type SimulatedBlock, SimulatedChain } from './simulated-chain.testing.ts';
import { answerAt, logsOf, type Part, type PartReply, partsOf } from './simulated-node.testing.ts';

/** A request, and what its answer may depend on. */
type Asked = {
  readonly chain: SimulatedChain;
  readonly parts: readonly Part[];
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** The head when the fault began. */
  readonly since: SimulatedBlock;
};

/** Answers in the wrong way, or not. */
export type Fault = (asked: Asked) => Response | Promise<Response>;

const OTHER_CHAIN = new SimulatedChain({ timestamp: 2_000_000_000 });

/** Every way in which a node, or several behind one URL, may fail without lying of what is in a block by its hash. */
export const FAULTS = {
  none: (asked) => reply(answers(asked)),
  slow: async (asked) => {
    await pause(asked.random() * 15_000, asked.signal);
    return reply(answers(asked));
  },
  silent: ({ signal }) => pause(Number.POSITIVE_INFINITY, signal).then(() => reply([])),
  stalled: ({ signal }) => new Response(startOfBody(signal)),
  cut: async (asked) => {
    const text = JSON.stringify(answers(asked));
    return new Response(text.slice(0, asked.random() * text.length));
  },
  'in part': (asked) => reply(answers(asked).filter(() => asked.random() < 0.8)),
  'in another order': (asked) => reply(answers(asked).reverse()),
  unreachable: () => Promise.reject(new TypeError('fetch failed')),
  unavailable: () => new Response('busy', { status: 503, headers: { 'Retry-After': '3600' } }),
  lagging: (asked) => reply(answers(asked, () => earlier(asked))),
  'several, some lagging': ({ chain, parts, ...asked }) =>
    reply(parts.map((part) => answerAt(chain, part, earlier({ chain, parts, ...asked })))),
  'its head stands still': (asked) => reply(answers(asked, ({ since }) => since)),
  'another chain': (asked) =>
    reply(
      answers({ ...asked, chain: OTHER_CHAIN }).map((answer, i) =>
        asked.parts[i]?.method === 'eth_chainId' ? { ...answer, result: toHex(5) } : answer,
      ),
    ),
  'another parent': (asked) =>
    reply(answers(rewrite(asked, 'eth_getBlockByHash', () => [asked.chain.head.hash]))),
  'calls as of the block before': (asked) =>
    reply(
      answers(
        rewrite(asked, 'eth_call', ([data, at]) => [
          data,
          { blockHash: parentOf(asked.chain, (at as { blockHash: string }).blockHash) },
        ]),
      ),
    ),
  'no logs': (asked) => reply(withLogs(asked, () => [])),
  'the logs of the block before': (asked) =>
    reply(withLogs(asked, (block) => logsOf(asked.chain.before(block, 1)))),
  // Only where the filter shows it: what it cannot show heals in turns, and has its own test.
  'half of the logs': (asked) =>
    reply(
      withLogs(asked, (block) => {
        const logs = block.logs.slice(0, block.logs.length / 2);
        const isShown = !hasAll(filterOf({ ...block, logs }), filterOf(block));
        return logsOf(isShown ? { ...block, logs } : block);
      }),
    ),
} satisfies Record<string, Fault>;

/** As a few chains do: the filter in its headers is empty. */
export const emptyFilter: Fault = (asked) => reply(answers(asked).map(emptied));

/** The same without any filter in the headers. */
export const noFilter: Fault = (asked) =>
  reply(answers(asked).map((answer) => withFilter(answer, undefined)));

/** No node that follows the protocol: it tells of no logs, and the filter in its headers of none either. */
export const noTraceOfLogs: Fault = (asked) => reply(withLogs(asked, () => []).map(emptied));

/** Refuses to tell of logs. */
export const withoutLogs: Fault = (asked) =>
  reply(
    answers(asked).map(({ id, jsonrpc, ...answer }, i) =>
      asked.parts[i]?.method === 'eth_getLogs'
        ? { id, jsonrpc, error: { code: -32000, message: '' } }
        : { id, jsonrpc, ...answer },
    ),
  );

const emptied = (answer: PartReply) => withFilter(answer, toHex(0, { size: 256 }));

function withFilter(answer: PartReply, logsBloom: string | undefined): PartReply {
  const result = 'result' in answer ? (answer.result as { logsBloom?: string } | null) : null;
  return result?.logsBloom === undefined ? answer : { ...answer, result: { ...result, logsBloom } };
}

/** Resolves after so many milliseconds, never for infinity; rejects as `fetch` does when it is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(signal.reason);
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail);
    if (ms < Number.POSITIVE_INFINITY) setTimeout(resolve, Math.floor(ms));
  });
}

/** Returns a `fetch` that takes some time and then answers with the fault of that time. */
export function fetchWith(
  chain: SimulatedChain,
  random: () => number,
  current: () => { readonly fault: Fault; readonly since: SimulatedBlock },
): typeof fetch {
  return async (_input, init) => {
    const signal = init?.signal ?? new AbortController().signal;
    await pause(10 + random() * 90, signal);
    const { fault, since } = current();
    return fault({ chain, parts: partsOf(init), random, signal, since });
  };
}

function answers(
  asked: Asked,
  headOf: (asked: Asked) => SimulatedBlock = ({ chain }) => chain.head,
): PartReply[] {
  const head = headOf(asked);
  return asked.parts.map((part) => answerAt(asked.chain, part, head));
}

function reply(parts: readonly unknown[]): Response {
  return new Response(JSON.stringify(parts));
}

function earlier({ chain, random }: Asked): SimulatedBlock {
  return chain.before(chain.head, Math.floor(random() * 4));
}

function rewrite(
  asked: Asked,
  method: string,
  change: (params: readonly unknown[]) => readonly unknown[],
): Asked {
  const parts = asked.parts.map((part) =>
    part.method === method ? { ...part, params: change(part.params) } : part,
  );
  return { ...asked, parts };
}

function withLogs(
  asked: Asked,
  logs: (block: SimulatedBlock) => ReturnType<typeof logsOf>,
): PartReply[] {
  return answers(asked).map((answer, i) => {
    const { method, params } = asked.parts[i] as Part;
    if (method !== 'eth_getLogs') return answer;
    const block = blockAt(asked.chain, (params[0] as { blockHash: string }).blockHash);
    return { jsonrpc: '2.0', id: answer.id, result: logs(block) };
  });
}

function blockAt(chain: SimulatedChain, hash: string): SimulatedBlock {
  return chain.blocks.get(hash as SimulatedBlock['hash']) ?? chain.head;
}

function parentOf(chain: SimulatedChain, hash: string): string {
  return blockAt(chain, hash).parentHash;
}

/** Returns a body of which nothing comes after its start, until it is aborted. */
export function startOfBody(signal: AbortSignal): ReadableStream {
  return new ReadableStream({
    start: (body) => {
      body.enqueue(new TextEncoder().encode('[{"jsonrpc":'));
      signal.addEventListener('abort', () => body.error(signal.reason));
    },
  });
}
