import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { parseGwei } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { findOptionalProgram } from '../../../fixtures/testing/external-programs.testing.ts';
import { startProgram } from '../../../fixtures/testing/start-program.testing.ts';
import { createRpc, quantity, type Rpc } from './json-rpc.ts';

/** The program, or undefined if it is missing: then tests with geth are skipped. */
export const GETH = findOptionalProgram('geth');

/** Ends geth when this process ends, even by SIGKILL, because the pipe then closes. */
const SUPERVISED = 'exec 3<&0; (read -r _ <&3; kill -KILL $$) >/dev/null 2>&1 & exec "$@" 3<&-';
const MAX_WAIT_MS = 60_000;
const POLL_MS = 20;
const BLOCK_GAS_LIMIT = 30_000_000;
/** Blocks after the genesis, so that a scenario never starts at the first block. */
const BLOCKS = 3;
/** The first account of every Anvil. It has ETH in all chains that Anvil dumps. */
const SENDER = mnemonicToAccount('test test test test test test test test test test test junk');

/** Every fork up to Osaka from the first block. Also the gas schedule of Anvil. */
const FORKS = {
  ...Object.fromEntries(
    'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london'
      .split(' ')
      .map((name) => [`${name}Block`, 0]),
  ),
  ...{ shanghaiTime: 0, cancunTime: 0, pragueTime: 0, osakaTime: 0, terminalTotalDifficulty: 0 },
  blobSchedule: Object.fromEntries(
    ['cancun', 'prague', 'osaka'].map((name) => [
      name,
      { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
    ]),
  ),
};

type DumpedAccount = {
  readonly nonce: number | string;
  readonly balance: string;
  readonly code: string;
  readonly storage: Readonly<Record<string, string>>;
};

/**
 * Starts geth on a copy of an Anvil's state, and mines a few blocks. Like a public node, it limits
 * the gas and the time of calls.
 */
export async function startGeth(anvil: Rpc) {
  const folder = mkdtempSync(join(tmpdir(), 'swapcheck-geth-'));
  const chainId = Number(await anvil<string>('eth_chainId'));
  const dump = await anvil<string>('anvil_dumpState');
  const datadir = ['--datadir', join(folder, 'data')];
  const genesis = join(folder, 'genesis.json');
  writeFileSync(genesis, JSON.stringify(genesisOf(chainId, dump)));
  execFileSync(GETH ?? 'geth', ['init', ...datadir, genesis], { stdio: 'pipe' });
  const [port, authPort] = [await freePort(), await freePort()];
  const http = ['--http', '--http.port', String(port), '--http.api', 'eth,net,web3,debug'];
  const quiet = ['--ipcdisable', '--nat', 'none', '--authrpc.port', String(authPort)];
  const chain = ['--networkid', String(chainId), '--miner.gaslimit', String(BLOCK_GAS_LIMIT)];
  const args = [GETH ?? 'geth', '--dev', ...datadir, ...chain, ...http, ...quiet];
  const { child, printed, ended } = startProgram('/bin/sh', ['-c', SUPERVISED, 'geth', ...args]);
  const url = `http://127.0.0.1:${port}`;
  const rpc = createRpc(url);
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(printed.stderr.slice(-2_000));
    return (await rpc('eth_chainId').catch(() => undefined)) !== undefined;
  });
  for (let nonce = 0; nonce < BLOCKS; nonce += 1) await mineTransfer(rpc, chainId);
  return {
    url,
    rpc,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a genesis with the state of an Anvil and the contracts that every chain has. */
function genesisOf(chainId: number, dump: string) {
  const { accounts } = JSON.parse(gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString()) as {
    readonly accounts: Readonly<Record<string, DumpedAccount>>;
  };
  const ofGeth = JSON.parse(
    execFileSync(GETH ?? 'geth', ['--dev', 'dumpgenesis'], { stdio: 'pipe' }).toString(),
  );
  const alloc = Object.entries(accounts).map(([address, { nonce, ...account }]) => [
    address.slice(2).toLowerCase(),
    { ...account, nonce: quantity(BigInt(nonce)) },
  ]);
  return {
    ...ofGeth,
    config: { chainId, ...FORKS },
    gasLimit: quantity(BLOCK_GAS_LIMIT),
    baseFeePerGas: quantity(parseGwei('1')),
    alloc: { ...ofGeth.alloc, ...Object.fromEntries(alloc) },
  };
}

/** Geth's development chain mines a block for each transaction. */
async function mineTransfer(rpc: Rpc, chainId: number): Promise<void> {
  const nonce = Number(await rpc<string>('eth_getTransactionCount', [SENDER.address, 'pending']));
  const head = await rpc('eth_blockNumber');
  const fees = { maxFeePerGas: parseGwei('9'), maxPriorityFeePerGas: parseGwei('1') };
  await rpc('eth_sendRawTransaction', [
    await SENDER.signTransaction({ chainId, nonce, to: SENDER.address, gas: 21_000n, ...fees }),
  ]);
  await waitUntil(async () => (await rpc('eth_blockNumber')) !== head);
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  const signal = AbortSignal.timeout(MAX_WAIT_MS);
  while (!(await condition())) await setTimeout(POLL_MS, undefined, { signal });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
