import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { type CreateAnvilOptions, createAnvil } from '@viem/anvil';
import { shorten } from '../../contract/cut-text.ts';
import { findAnvil } from './find-anvil.ts';
import { createRpc, hideUrl } from './json-rpc.ts';

/** Options of an Anvil node; all are optional. */
export type StartAnvilOptions = {
  /** Chain id. Default 31337, or the forked chain's. */
  readonly chainId?: number;
  /** The node whose chain to fork. `blockNumber` defaults to the latest block. */
  readonly fork?: { readonly url: string; readonly blockNumber?: number };
  /** File of a decompressed state from `anvil_dumpState` or `--dump-state`. */
  readonly loadState?: string;
  /** Unix time of the genesis block, in seconds. Default: now. */
  readonly timestamp?: number;
  /** Block gas limit. Default: 30 million, as in Anvil. */
  readonly gasLimit?: number;
  /** TCP port on 127.0.0.1. Default 0, a free port. */
  readonly port?: number;
  /** Path of the binary. Default: the result of `findAnvil`. */
  readonly binary?: string;
  /** Maximum time until the node listens, in milliseconds. Default 20000. */
  readonly startTimeoutMs?: number;
  /** Platform of the node. Default: the platform of this process. */
  readonly platform?: NodeJS.Platform;
};

/** A running Anvil. It ends with this process, even after SIGKILL. */
export type AnvilNode = {
  /** JSON-RPC over HTTP and WebSocket: `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  /** Id of the process. */
  readonly pid: number;
  /** Resolves to the reason if the node ended by itself, and to undefined while it is running. */
  whyEnded(): Promise<string | undefined>;
  /** Ends the node at once, and resolves when it has ended. May be called twice. */
  stop(): Promise<void>;
};

/*
 * `exec` gives Anvil the shell's process id. The subshell in the background holds the read end of
 * our pipe. When this process ends, even by SIGKILL, the pipe closes and the subshell kills Anvil.
 * The limit on data ends Anvil if a trace fills the memory, since a trace stores the input of each
 * call and no option of Anvil limits that. Linux enforces the limit.
 */
const MAX_DATA_KIB = 2 ** 20;
const SUPERVISED = `ulimit -d ${MAX_DATA_KIB}; ulimit -c 0; exec 3<&0; (read -r _ <&3; kill -KILL $$) </dev/null >/dev/null 2>&1 & echo "pid $$"; exec "$@" 3<&- </dev/null`;

/**
 * Replaces the shell on Windows. The file is next to this one: TypeScript in a checkout, JavaScript
 * in a build.
 */
const SUPERVISOR = import.meta.url.endsWith('.ts')
  ? ['--import', 'tsx', join(import.meta.dirname, 'supervise-anvil.ts')]
  : [join(import.meta.dirname, 'supervise-anvil.js')];

/** Celo's native token is also an ERC-20, which a precompile moves. A flag of Anvil enables it. */
const CELO_CHAINS: ReadonlySet<number | undefined> = new Set([42_220, 44_787, 62_320, 11_142_220]);

/**
 * Anvil calls only nodes on the loopback interface, without a proxy. It must log in plain text that
 * it listens.
 */
const OWN_ENVIRONMENT = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1', RUST_LOG: '' };

/**
 * Starts Anvil and returns it when it listens. The node writes nothing to the console and ignores
 * Ctrl-C, so that an interrupted run can still use it.
 *
 * @throws {AnvilNotFoundError} if there is no binary
 * @throws {AnvilStartError} if Anvil does not start: an unreachable fork, a broken state, a port in
 * use
 * @example
 * const node = await startAnvil({ chainId: 31337 });
 * node.url // 'http://127.0.0.1:41435'
 * await node.stop();
 */
export async function startAnvil(options: StartAnvilOptions = {}): Promise<AnvilNode> {
  const binary = options.binary ?? findAnvil();
  const [program, ...before] =
    (options.platform ?? process.platform) === 'win32'
      ? [process.execPath, ...SUPERVISOR]
      : ['/bin/sh', '-c', SUPERVISED, 'anvil'];
  const anvil = createAnvil({
    ...anvilFlags(options),
    startTimeout: options.startTimeoutMs ?? 20_000,
    execArgs: ([, args, execaOptions]) => [
      program,
      [...before, binary, ...args, ...(CELO_CHAINS.has(options.chainId) ? ['--celo'] : [])],
      // A separate process group does not receive the terminal's SIGINT. Output is not buffered,
      // because a full buffer would end a long-running node.
      {
        ...execaOptions,
        detached: true,
        cleanup: false,
        buffer: false,
        killSignal: 'SIGKILL',
        env: OWN_ENVIRONMENT,
      },
    ],
  });
  let output = '';
  anvil.on('message', (message) => {
    output = (output + message).slice(-16_000);
  });
  const exited = new Promise<'exited'>((resolve) => {
    anvil.on('exit', () => resolve('exited'));
  });
  try {
    await anvil.start();
  } catch (cause) {
    // The exit event may arrive before the last output. Each turn of the event loop reads more of
    // it from the pipes.
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    throw new AnvilStartError(sentenceOf(output, String(cause)), options);
  }
  const pid = Number(/^pid (\d+)$/m.exec(output)?.[1]);
  const port = Number(/Listening on \S+:(\d+)/.exec(output)?.[1]);
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    // The stop() of '@viem/anvil' is not used, since its timer keeps this process alive for ten
    // seconds.
    if ((await Promise.race([exited, 'running'])) === 'running') process.kill(pid, 'SIGKILL');
    await exited;
  };
  const whyEnded = async (): Promise<string | undefined> => {
    const isRunning = setTimeout(MAX_MS_FROM_LOST_CONNECTION_TO_END, 'running');
    if ((await Promise.race([exited, isRunning])) === 'running') return undefined;
    const panic = PANIC.exec(output)?.[1] ?? 'it gave no reason';
    return OUT_OF_MEMORY.test(output) ? FILLED_MEMORY : `Anvil ended by itself: ${panic}`;
  };
  try {
    await silence(url);
  } catch (cause) {
    await stop();
    const { message } = (cause as { cause?: Error }).cause ?? (cause as Error);
    throw new AnvilStartError(`it listens, but its first call failed: ${message}`, options);
  }
  return { url, port, pid, whyEnded, stop };
}

const MAX_MS_FROM_LOST_CONNECTION_TO_END = 1_000;
/** Matches Anvil's message for an internal fault, such as a failed read during mining. */
const PANIC = /panicked[^\n]*\s+Message:\s+([^\n]{1,500})/;
const OUT_OF_MEMORY = /memory allocation of \d+ bytes failed/;
const FILLED_MEMORY =
  'a transaction used too much memory and ended Anvil: its contracts call each other with too much data';
/** A relay may retry a call for this long. */
const MAX_RELAY_RETRY_MS = 120_000;

function anvilFlags(options: StartAnvilOptions): CreateAnvilOptions {
  const { fork } = options;
  return {
    host: '127.0.0.1',
    port: options.port ?? 0,
    chainId: options.chainId,
    // Blocks are mined only by `evm_mine`, since automine loses transactions.
    noMining: true,
    timestamp: options.timestamp,
    blockBaseFeePerGas: 0,
    gasLimit: options.gasLimit,
    loadState: options.loadState,
    forkUrl: fork?.url,
    forkBlockNumber: fork?.blockNumber,
    // Anvil's cache is keyed only by chain and block, so a rebuilt chain would get stale state.
    noStorageCaching: fork !== undefined,
    // Otherwise, Anvil would read its default accounts from the forked chain, although none is
    // used.
    accounts: fork === undefined ? undefined : 0,
    // The relay retries, so its replies are final.
    noRateLimit: fork !== undefined,
    retries: fork === undefined ? undefined : 0,
    timeout: fork === undefined ? undefined : MAX_RELAY_RETRY_MS,
  };
}

/**
 * Anvil logs a line for every request. Its own `--silent` would also hide the line that shows
 * '@viem/anvil' that the node listens.
 */
async function silence(url: string): Promise<void> {
  await createRpc(url)('anvil_setLoggingEnabled', [false]);
}

function sentenceOf(output: string, cause: string): string {
  const wrote = output
    .split('\n')
    .map((line) => line.replace(/^(pid \d+|Context:|For more information.*)$/, ''))
    .map((line) => line.replace(/^(- )?(error( #\d+)?: )?/i, '').trim())
    .filter((line) => line !== '')
    .join(': ');
  if (wrote !== '') return shorten(wrote, 1_000);
  return cause.includes('in time') ? 'it did not listen in time' : 'it ended without a message';
}

/** Anvil ended early, or did not listen in time. */
export class AnvilStartError extends Error {
  override readonly name = 'AnvilStartError';

  /** Omits the cause, which would contain the same text with its secrets. */
  constructor(reason: string, { fork }: StartAnvilOptions) {
    const text = `Anvil did not start: ${reason}`;
    super(fork === undefined ? text : hideUrl(text, fork.url));
  }
}
