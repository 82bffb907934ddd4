import { Command, CommanderError, Option } from 'commander';
import { type Static, Type } from '../../conformance/contract/schema.ts';
import {
  createRpc,
  JsonRpcError,
  originOf,
  quantity,
  type Rpc,
} from '../../conformance/execution/node/json-rpc.ts';
import { createPatientRpc } from '../../conformance/execution/node/patient-rpc.ts';
import { type RpcServer, serveRpc } from '../../conformance/execution/node/rpc-server.ts';
import { jsonReader } from '../../conformance/output/json-reader.ts';
import { wholeNumber } from '../../conformance/output/option-values.ts';
import { readText } from '../../conformance/output/read-file.ts';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { tryFile, writeWhole } from '../../conformance/output/write-reports.ts';

/*
 * npm run node:record -- FILE URL    forwards calls to a node, and writes them with results to FILE at Ctrl-C
 * npm run node:play -- FILE          returns the same results without a network
 */

const nodeError = Type.Object({ code: Type.Optional(Type.Number()), message: Type.String() });

const recording = Type.Object({
  chainId: Type.Integer(),
  /** The chain's latest block throughout the recording. */
  block: Type.Integer({ minimum: 0 }),
  /** Results, keyed by method and parameters. */
  calls: Type.Record(Type.String(), Type.Unknown()),
  /** Errors that the node returned, keyed by method and parameters. Older files lack this field. */
  refusals: Type.Optional(Type.Record(Type.String(), nodeError)),
});

type NodeError = Static<typeof nodeError>;
export type Recording = Static<typeof recording>;

const readRecording = jsonReader(recording, 'a recording of a node');

type RecordingNode = RpcServer & { readonly recorded: () => Recording };
type PlayingNode = RpcServer & {
  readonly missing: readonly string[];
};

/**
 * Forwards calls to the node at `url`, and records the calls with their results. Pins the chain to
 * its current latest block, so that a replayed run sees the same chain. The recording contains no
 * URL.
 */
export async function recordNode(url: string, port = 0): Promise<RecordingNode> {
  const rpc = createPatientRpc(createRpc(url), { origin: originOf(url) });
  const chainId = Number(await rpc<string>('eth_chainId'));
  const latest = await rpc<string>('eth_blockNumber');
  const calls = new Map<string, unknown>();
  const errors = new Map<string, NodeError>();
  const recording: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    rejectOverrides(method, params);
    const pinned = params.map((each) => (each === 'latest' ? latest : each));
    const key = keyOf(method, pinned);
    try {
      if (!calls.has(key)) {
        calls.set(key, method === 'eth_blockNumber' ? latest : await rpc(method, pinned));
      }
    } catch (error) {
      if (error instanceof JsonRpcError) {
        const message = error.message.slice(`${method}: `.length);
        errors.set(key, { message, ...(error.code !== undefined && { code: error.code }) });
      }
      throw error;
    }
    return calls.get(key) as Result;
  };
  const recorded = () => ({
    chainId,
    block: Number(latest),
    calls: inOrder(calls),
    refusals: inOrder(errors),
  });
  return { ...(await serveRpc(recording, { port })), recorded };
}

/** Starts a node that returns the recorded results, and an error for any other call. */
export async function playNode(
  { block, calls, refusals: errors = {} }: Recording,
  port = 0,
): Promise<PlayingNode> {
  const missing: string[] = [];
  const latest = quantity(block);
  const rpc: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    rejectOverrides(method, params);
    const key = keyOf(
      method,
      params.map((each) => (each === 'latest' ? latest : each)),
    );
    if (Object.hasOwn(calls, key)) return calls[key] as Result;
    if (Object.hasOwn(errors, key)) throw new JsonRpcError(method, errors[key] as NodeError);
    missing.push(key);
    throw new JsonRpcError(method, { message: `the recording lacks ${key}` });
  };
  return { ...(await serveRpc(rpc, { port })), missing };
}

function inOrder<T>(entries: ReadonlyMap<string, T>): Readonly<Record<string, T>> {
  return Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Rejects calls with state overrides. Clients must then read storage slots one by one, because the
 * groups of slots that they read together vary.
 */
function rejectOverrides(method: string, params: readonly unknown[]): void {
  if (params.length < 3 || method !== 'eth_call') return;
  throw new JsonRpcError(method, { message: 'state overrides are not recorded' });
}

function keyOf(method: string, params: readonly unknown[]): string {
  return `${method} ${JSON.stringify(params).toLowerCase()}`;
}

const port = () =>
  new Option('--port <NUMBER>', 'local port to listen on; 0 selects a free one')
    .argParser(wholeNumber(0, 65_535))
    .default(8545);

const program = new Command('recorded-node').exitOverride();
program
  .command('record')
  .description(
    'forward calls to the node at URL, and write them with their results to FILE at Ctrl-C',
  )
  .argument('<FILE>')
  .argument('<URL>')
  .addOption(port())
  .action(async (file: string, url: string, options: { readonly port: number }) => {
    // The message must not quote the URL, because that may contain a key.
    if (!URL.canParse(url) || !/^https?:/i.test(url)) {
      throw new UsageError('invalid URL of a node: expected http:// or https://');
    }
    await tryFile(file, 'FILE');
    const node = await recordNode(url, options.port);
    process.stdout.write(`recording ${originOf(url)} at ${node.url}, until Ctrl-C\n`);
    await interrupted();
    await node.stop();
    const recorded = node.recorded();
    await writeWhole(file, `${JSON.stringify(recorded, undefined, 1)}\n`);
    process.stdout.write(`${Object.keys(recorded.calls).length} calls in ${file}\n`);
  });
program
  .command('play')
  .description('respond to the calls recorded in FILE, until Ctrl-C')
  .argument('<FILE>')
  .addOption(port())
  .action(async (file: string, options: { readonly port: number }) => {
    const node = await playNode(readRecording(readText(file), file), options.port);
    process.stdout.write(`playing ${file} at ${node.url}\n`);
    await interrupted();
    await node.stop();
    for (const call of node.missing) process.stderr.write(`the recording lacks ${call}\n`);
    process.exitCode = node.missing.length > 0 ? 1 : 0;
  });

function interrupted(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
  });
}

/** Prints an error and sets the exit code. Commander has already reported its own errors. */
function printError(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 3;
}

/** Runs the program. Prints errors, and sets the exit code. */
export async function runRecordedNode(args: readonly string[]): Promise<void> {
  await program.parseAsync(args, { from: 'user' }).catch(printError);
}

if (process.argv[1] === import.meta.filename) await runRecordedNode(process.argv.slice(2));
