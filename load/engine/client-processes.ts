import { type ChildProcess, fork } from 'node:child_process';
import type { StartClients } from './client.ts';
import type { FromClient, ToClient } from './client-entry.ts';
import type { RunResult } from './client-order.ts';

/** Starts each client in a separate process, which ends with its work and with this process. */
export const startClientProcesses: StartClients = (orders, onReport) => {
  const children: ChildProcess[] = [];
  const waitingFor = new Set<ChildProcess>();
  const sendToAll = (message: ToClient): void => {
    for (const child of children) if (child.connected) child.send(message);
  };
  const settle = (child: ChildProcess): void => {
    if (waitingFor.delete(child) && waitingFor.size === 0) sendToAll('go');
  };
  const results = orders.map(
    (order) =>
      new Promise<RunResult | undefined>((resolve) => {
        const child = fork(ENTRY, { execArgv: EXEC_ARGV, serialization: 'advanced' });
        children.push(child);
        waitingFor.add(child);
        let result: RunResult | undefined;
        child.on('message', (message: FromClient) => {
          if (message.kind === 'result') result = message.result;
          else if (message.kind === 'connected') settle(child);
          else onReport(message);
        });
        const end = (): void => {
          settle(child);
          resolve(result);
        };
        child.on('error', end).on('exit', end);
        child.send(order satisfies ToClient);
      }),
  );
  return { results: Promise.all(results), stop: () => sendToAll('stop') };
};

// Next to this file: TypeScript in a checkout, JavaScript after a build.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const ENTRY = new URL(FROM_SOURCE ? './client-entry.ts' : './client-entry.js', import.meta.url);
const EXEC_ARGV = FROM_SOURCE ? ['--import', 'tsx'] : [];
