import { fork } from 'node:child_process';
import { extname } from 'node:path';
import type { Subject } from '../../conformance/commands/judge.ts';
import { builtInChain } from '../../fixtures/chains/built-in-chain.ts';

/** What the child process sends once its service listens. */
export type Started = Pick<Subject, 'url' | 'apiKey'> & { readonly chainIds: readonly number[] };

/**
 * Starts the reference in a separate process, so that it takes no CPU time from the thread that
 * judges or measures it. The chains start only when a plan is executed.
 */
export async function startBuiltInReference(): Promise<Subject> {
  const { url, apiKey, chainIds, close } = await startProcess();
  const chains = chainIds.flatMap((chainId) => {
    const chain = builtInChain(chainId);
    return chain === undefined ? [] : [{ chainId, ...chain }];
  });
  return {
    ...{ url, apiKey },
    forks: chains.map(({ chainId, start }) => ({ chainId, rpcUrl: start, isOurs: true })),
    close: async () => {
      await Promise.all([...chains.map(({ stop }) => stop()), close()]);
    },
  };
}

function startProcess(): Promise<Started & { readonly close: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const child = fork(ENTRY, { execArgv: EXEC_ARGV });
    const exited = new Promise<void>((done) => child.once('exit', () => done()));
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`the reference exited with ${code} during startup`)),
    );
    child.once('message', (started: Started) =>
      resolve({
        ...started,
        close: () => {
          if (child.connected) child.disconnect();
          return exited;
        },
      }),
    );
  });
}

// Next to this file: TypeScript in a checkout, JavaScript in a build.
const EXTENSION = extname(import.meta.url);
const ENTRY = new URL(`./built-in-reference-entry${EXTENSION}`, import.meta.url);
const EXEC_ARGV = EXTENSION === '.ts' ? ['--import', 'tsx'] : [];
