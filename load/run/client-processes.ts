import { type ChildProcess, fork } from 'node:child_process';
import type { EngineResult } from './engine.ts';
import type { WorkerOrder, WorkerReport } from './worker.ts';

/** Client processes that play one workload together. */
export type ClientProcesses = {
  /** One result a process; a process that died has none. */
  readonly results: Promise<readonly (EngineResult | undefined)[]>;
  /** Ends the run early; the results follow. */
  readonly stop: () => void;
};

/** What a client process tells while it works. */
export type ClientReport = Exclude<WorkerReport, { kind: 'result' | 'connected' }>;

/**
 * Starts one process an order, lets them begin together once all are connected,
 * and passes on what they report. The processes
 * are ours alone: they end with their work, and with this process.
 */
export function startClientProcesses(
  orders: readonly WorkerOrder[],
  onReport: (report: ClientReport) => void,
): ClientProcesses {
  const children: ChildProcess[] = [];
  const waitingFor = new Set<ChildProcess>();
  const settle = (child: ChildProcess): void => {
    if (!waitingFor.delete(child) || waitingFor.size > 0) return;
    for (const each of children) if (each.connected) each.send('go');
  };
  const results = orders.map(
    (order) =>
      new Promise<EngineResult | undefined>((resolve) => {
        const child = fork(WORKER, { execArgv: EXEC_ARGV });
        children.push(child);
        waitingFor.add(child);
        let result: EngineResult | undefined;
        child.on('message', (report: WorkerReport) => {
          if (report.kind === 'result') result = report.result;
          else if (report.kind === 'connected') settle(child);
          else onReport(report);
        });
        const end = (): void => {
          settle(child);
          resolve(result);
        };
        child.on('error', end).on('exit', end);
        child.send(order);
      }),
  );
  return {
    results: Promise.all(results),
    stop: () => {
      for (const child of children) if (child.connected) child.send('stop');
    },
  };
}

// Beside this file: TypeScript in a checkout, JavaScript once built.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(FROM_SOURCE ? './worker.ts' : './worker.js', import.meta.url);
const EXEC_ARGV = FROM_SOURCE ? ['--import', 'tsx'] : [];
