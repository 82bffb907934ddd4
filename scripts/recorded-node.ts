import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  createRpc,
  JsonRpcError,
  originOf,
  quantity,
  type Rpc,
} from '../conformance/execution/json-rpc.ts';
import { createPatientRpc } from '../conformance/execution/patient-rpc.ts';
import { type RpcServer, serveRpc } from '../conformance/execution/rpc-server.ts';

/*
 * npm run node:record -- FILE URL    stands before a node, and writes down what it was asked at Ctrl-C
 * npm run node:play -- FILE          answers the same without a network
 */

/** Calls of a node at one block, each with its result; the same calls give the same file. */
export type Recording = {
  readonly chainId: number;
  /** The block that is the latest throughout. */
  readonly block: number;
  /** Results by method and parameters. */
  readonly calls: Readonly<Record<string, unknown>>;
  /** What the node refused, by method and parameters, in its words; older files have none. */
  readonly refusals?: Readonly<Record<string, Refused>>;
};

type Refused = { readonly code?: number; readonly message: string };

export type RecordingNode = RpcServer & { readonly recorded: () => Recording };
export type PlayingNode = RpcServer & {
  /** Calls that the recording lacks. */
  readonly missing: readonly string[];
};

/**
 * Stands before the node at `url`, and keeps every call with its result. The
 * chain stands still meanwhile at the block that is now its latest, so that a
 * run that is played back meets the same chain. The recording holds no URL.
 */
export async function recordNode(url: string, port = 0): Promise<RecordingNode> {
  const rpc = createPatientRpc(createRpc(url), { origin: originOf(url) });
  const chainId = Number(await rpc<string>('eth_chainId'));
  const latest = await rpc<string>('eth_blockNumber');
  const calls = new Map<string, unknown>();
  const refusals = new Map<string, Refused>();
  const recording: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    refuseOverrides(method, params);
    const pinned = params.map((each) => (each === 'latest' ? latest : each));
    const key = keyOf(method, pinned);
    try {
      if (!calls.has(key)) {
        calls.set(key, method === 'eth_blockNumber' ? latest : await rpc(method, pinned));
      }
    } catch (error) {
      if (error instanceof JsonRpcError) {
        const message = error.message.slice(`${method}: `.length);
        refusals.set(key, { message, ...(error.code !== undefined && { code: error.code }) });
      }
      throw error;
    }
    return calls.get(key) as Result;
  };
  const recorded = () => ({
    chainId,
    block: Number(latest),
    calls: inOrder(calls),
    refusals: inOrder(refusals),
  });
  return { ...(await serveRpc(recording, { port })), recorded };
}

/** Answers what was recorded as it was answered then, and anything else with an error. */
export async function playNode(
  { block, calls, refusals = {} }: Recording,
  port = 0,
): Promise<PlayingNode> {
  const missing: string[] = [];
  const latest = quantity(block);
  const rpc: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    refuseOverrides(method, params);
    const key = keyOf(
      method,
      params.map((each) => (each === 'latest' ? latest : each)),
    );
    if (Object.hasOwn(calls, key)) return calls[key] as Result;
    if (Object.hasOwn(refusals, key)) throw new JsonRpcError(method, refusals[key] as Refused);
    missing.push(key);
    throw new JsonRpcError(method, { message: `the recording lacks ${key}` });
  };
  return { ...(await serveRpc(rpc, { port })), missing };
}

function inOrder<T>(kept: ReadonlyMap<string, T>): Readonly<Record<string, T>> {
  return Object.fromEntries([...kept].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Which slots are read together is chance: they are to be read one by one. */
function refuseOverrides(method: string, params: readonly unknown[]): void {
  if (params.length < 3 || method !== 'eth_call') return;
  throw new JsonRpcError(method, { message: 'state overrides are not recorded' });
}

function keyOf(method: string, params: readonly unknown[]): string {
  return `${method} ${JSON.stringify(params).toLowerCase()}`;
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string', default: '8545' } },
  });
  const [verb, file, url] = positionals;
  const port = Number(values.port);
  if (file === undefined || (verb === 'record' && url === undefined)) {
    throw new Error('expected record FILE URL, or play FILE');
  }
  if (verb === 'play') {
    const node = await playNode(JSON.parse(readFileSync(file, 'utf8')), port);
    process.stdout.write(`plays ${file} at ${node.url}\n`);
    await interrupted();
    await node.stop();
    for (const call of node.missing) process.stderr.write(`the recording lacks ${call}\n`);
    process.exitCode = node.missing.length > 0 ? 1 : 0;
    return;
  }
  const node = await recordNode(url as string, port);
  process.stdout.write(`records ${originOf(url as string)} at ${node.url}, until Ctrl-C\n`);
  await interrupted();
  await node.stop();
  const recorded = node.recorded();
  writeFileSync(file, `${JSON.stringify(recorded, undefined, 1)}\n`);
  process.stdout.write(`${Object.keys(recorded.calls).length} calls in ${file}\n`);
}

function interrupted(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
  });
}

if (process.argv[1] === import.meta.filename) await main();
