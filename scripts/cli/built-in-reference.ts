import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { webAssemblyFix } from '../../conformance/client/web-assembly.ts';
import type { Subject } from '../../conformance/commands/judge.ts';
import { builtInChain } from '../../fixtures/chains/built-in-chain.ts';

/** What the child process sends once its service listens. */
export type Started = Pick<Subject, 'url' | 'apiKey'> & { readonly chainIds: readonly number[] };

/**
 * Starts the reference in a separate process, so that it takes no CPU time from the thread that
 * judges or measures it. The chains start only when a plan is executed.
 */
export async function startBuiltInReference(): Promise<Subject> {
  const { url, apiKey, chainIds, close, ended } = await startProcess();
  const chains = chainIds.flatMap((chainId) => {
    const chain = builtInChain(chainId);
    return chain === undefined ? [] : [{ chainId, ...chain }];
  });
  return {
    ...{ url, apiKey, ended },
    forks: chains.map(({ chainId, start }) => ({ chainId, rpcUrl: start, isPrivate: true })),
    close: async () => {
      await Promise.all([...chains.map(({ stop }) => stop()), close()]);
    },
  };
}

type OwnProcess = Started & Required<Pick<Subject, 'close' | 'ended'>>;

function startProcess(): Promise<OwnProcess> {
  return new Promise((resolve, reject) => {
    const child = fork(ENTRY, { execArgv: EXEC_ARGV });
    const ending = new AbortController();
    const exited = new Promise<void>((done) => child.once('exit', () => done()));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const fix = webAssemblyFix();
      const hint = fix === undefined ? '' : `; WebAssembly cannot allocate memory: ${fix}`;
      const why = `the built-in reference service ended with ${code ?? signal}${hint}`;
      ending.abort(why);
      reject(new Error(why));
    });
    child.once('message', (started: Started) =>
      resolve({
        ...started,
        ended: ending.signal,
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
