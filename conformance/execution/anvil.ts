import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type CreateAnvilOptions, createAnvil } from '@viem/anvil';
import { findAnvil } from './find-anvil.ts';
import { createRpc, hideUrl } from './json-rpc.ts';

/** How an Anvil node is to run. Everything is optional. */
export type StartAnvilOptions = {
  /** Chain id; default 31337, or the forked chain's. */
  readonly chainId?: number;
  /** Fork another node's chain; `blockNumber` defaults to its latest. */
  readonly fork?: { readonly url: string; readonly blockNumber?: number };
  /** File of a state that `anvil_dumpState` or `--dump-state` wrote, decompressed. */
  readonly loadState?: string;
  /** Unix time in seconds of the genesis block; default now. */
  readonly timestamp?: number;
  /** Block gas limit; default Anvil's 30 million. */
  readonly gasLimit?: number;
  /** TCP port on 127.0.0.1; default 0, a free one. */
  readonly port?: number;
  /** Path of the binary; default what `findAnvil` finds. */
  readonly binary?: string;
  /** Longest time to wait until it listens, in milliseconds; default 20000. */
  readonly startTimeoutMs?: number;
  /** What it runs on; default what this process runs on. */
  readonly platform?: NodeJS.Platform;
};

/** A running Anvil. It ends with this process, however this process ends. */
export type AnvilNode = {
  /** JSON-RPC over HTTP and WebSocket: `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  /** Ends the node at once; resolves when it is gone. May be called twice. */
  stop(): Promise<void>;
};

/*
 * `exec` makes the shell's process id that of Anvil. The subshell in the
 * background holds the read end of our pipe: when this process ends, even by
 * SIGKILL, the pipe closes and the subshell kills Anvil.
 */
const SUPERVISED =
  'exec 3<&0; (read -r _ <&3; kill -KILL $$) </dev/null >/dev/null 2>&1 & echo "pid $$"; exec "$@" 3<&- </dev/null';

/** What does the same where there is no such shell, beside this file: TypeScript in a checkout, JavaScript once built. */
const SUPERVISOR = import.meta.url.endsWith('.ts')
  ? ['--import', 'tsx', join(import.meta.dirname, 'supervise-anvil.ts')]
  : [join(import.meta.dirname, 'supervise-anvil.js')];

/** Chains of Celo, whose native token is also an ERC-20: it moves by a precompile that Anvil has if told so. */
const CELO_CHAINS: ReadonlySet<number | undefined> = new Set([42_220, 44_787, 62_320, 11_142_220]);

/** It asks nodes on the loopback alone, which no proxy reaches, and must say in plain words that it listens. */
const OWN_ENVIRONMENT = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1', RUST_LOG: '' };

/**
 * Starts Anvil and returns it once it listens. The node
 * writes nothing to the console and stays out of Ctrl-C, so that a run that is
 * interrupted can still finish with it.
 *
 * @throws {AnvilNotFoundError} if there is no binary
 * @throws {AnvilStartError} if Anvil ends or stays silent: a fork that cannot be reached, a broken state, a taken port
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
      // A process group of its own keeps the terminal's SIGINT away. Output is
      // piped away, not buffered: the buffer's cap would kill a long-lived node.
      {
        ...{ ...execaOptions, detached: true, cleanup: false, buffer: false },
        ...{ killSignal: 'SIGKILL', env: OWN_ENVIRONMENT },
      },
    ],
  });
  let output = '';
  const stopReading = anvil.on('message', (message) => {
    output = (output + message).slice(-16_000);
  });
  const exited = new Promise<'exited'>((resolve) => {
    anvil.on('exit', () => resolve('exited'));
  });
  try {
    await anvil.start();
  } catch (cause) {
    // Its end is told before its last words are read: they lie in pipes, which each turn of the loop empties.
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    throw new AnvilStartError(sentenceOf(output, String(cause)), options);
  }
  stopReading();
  const pid = Number(/^pid (\d+)$/m.exec(output)?.[1]);
  const port = Number(/Listening on \S+:(\d+)/.exec(output)?.[1]);
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    // Not '@viem/anvil' stop(): its timer keeps this process alive for ten seconds.
    if ((await Promise.race([exited, 'running'])) === 'running') process.kill(pid, 'SIGKILL');
    await exited;
  };
  try {
    await silence(url);
  } catch (cause) {
    await stop();
    const { message } = (cause as { cause?: Error }).cause ?? (cause as Error);
    throw new AnvilStartError(`it listens, but its first call failed: ${message}`, options);
  }
  return { url, port, stop };
}

/** A relay asks its node for so long at most. */
const FORK_TIMEOUT_MS = 120_000;

/** The flags for '@viem/anvil', which turns names into `--kebab-case`. */
function anvilFlags(options: StartAnvilOptions): CreateAnvilOptions {
  const { fork } = options;
  return {
    host: '127.0.0.1',
    port: options.port ?? 0,
    chainId: options.chainId,
    // Blocks are mined by `evm_mine` alone: automine loses transactions.
    noMining: true,
    timestamp: options.timestamp,
    blockBaseFeePerGas: 0,
    gasLimit: options.gasLimit,
    loadState: options.loadState,
    forkUrl: fork?.url,
    forkBlockNumber: fork?.blockNumber,
    // Its cache is keyed by chain and block alone: a rebuilt chain would be served stale.
    noStorageCaching: fork !== undefined,
    // Each account of its own would be read of the forked chain, and none is used there.
    accounts: fork === undefined ? undefined : 0,
    // Patience is the relay's: what it answers stands.
    noRateLimit: fork !== undefined,
    retries: fork === undefined ? undefined : 0,
    timeout: fork === undefined ? undefined : FORK_TIMEOUT_MS,
  };
}

/**
 * Turns off the line that Anvil logs for every request. Its own `--silent` also
 * hides the line by which '@viem/anvil' knows that the node listens.
 */
async function silence(url: string): Promise<void> {
  await createRpc(url)('anvil_setLoggingEnabled', [false]);
}

/** Returns what Anvil wrote before it ended as one sentence, each cause behind what it caused. */
function sentenceOf(output: string, cause: string): string {
  const wrote = output
    .split('\n')
    .map((line) => line.replace(/^(pid \d+|Context:|For more information.*)$/, ''))
    .map((line) => line.replace(/^(- )?(error( #\d+)?: )?/i, '').trim())
    .filter((line) => line !== '')
    .join(': ');
  if (wrote !== '') return wrote.slice(0, 1_000);
  return cause.includes('in time') ? 'it did not listen in time' : 'it ended and said nothing';
}

/** Thrown when Anvil ends, or stays silent, before it can be used. */
export class AnvilStartError extends Error {
  override readonly name = 'AnvilStartError';

  /** Keeps no cause: it would carry the same text, with the secrets in it. */
  constructor(reason: string, { fork }: StartAnvilOptions) {
    const text = `Anvil did not start: ${reason}`;
    super(fork === undefined ? text : hideUrl(text, fork.url));
  }
}
