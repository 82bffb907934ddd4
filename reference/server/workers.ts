import cluster, { type Worker } from 'node:cluster';

/** What a supervisor does and tells. */
type SupervisorOptions = {
  /** How many processes serve, at least 1. */
  readonly count: number;
  /** Called once, when all of them listen on this port. */
  readonly onReady: (port: number) => void;
  /** Called when one died and another is about to take its place. */
  readonly onRestart: (died: { readonly pid: number; readonly how: string }) => void;
};

/** What a worker tells when it listens no more, and what all are told when none does. */
const CLOSED = 'swapcheck: closed';
const ALL_CLOSED = 'swapcheck: all closed';

/** In how long a signal to all processes has surely come to the supervisor too. */
const SIGNALLED_MS = 100;
/** The longest that a worker waits for the others. */
const MOST_WAIT_MS = 5_000;

/** A worker that lived shorter than this is replaced only after as long. */
const RESTART_PAUSE_MS = 500;

/**
 * Runs this program again in `count` workers that share one port, and replaces
 * a worker that dies. The first starts alone: if it cannot, none will, and the
 * supervisor finishes with its exit code.
 *
 * @see https://nodejs.org/docs/latest-v20.x/api/cluster.html
 */
export function superviseWorkers({ count, onReady, onRestart }: SupervisorOptions) {
  const startedAt = new Map<number, number>();
  const listening = new Set<number>();
  const closed = new Set<number>();
  let isReady = false;
  let isStopping = false;

  const fork = () => {
    if (isStopping) return;
    startedAt.set(cluster.fork().id, performance.now());
  };
  /** Passes a signal on to every worker. */
  const signal = (name: NodeJS.Signals) => {
    for (const worker of liveWorkers()) worker.process.kill(name);
  };
  /** Tells every worker to drain and starts no more. */
  const stop = () => {
    isStopping = true;
    signal('SIGTERM');
  };

  cluster.on('listening', ({ id }, { port }) => {
    listening.add(id);
    if (isReady) return;
    if (listening.size === 1) for (let more = 1; more < count; more++) fork();
    if (listening.size < count) return;
    isReady = true;
    onReady(port);
  });

  /** Tells those that listen no more once it is so of all; one that ends alone need not wait. */
  const tellClosed = () => {
    const workers = liveWorkers();
    if (isStopping && !workers.every(({ id }) => closed.has(id))) return;
    for (const worker of workers) if (closed.has(worker.id)) worker.send(ALL_CLOSED, () => {});
  };
  cluster.on('message', (worker, message) => {
    if (message !== CLOSED) return;
    closed.add(worker.id);
    if (isStopping) tellClosed();
    else setTimeout(tellClosed, SIGNALLED_MS);
  });

  /** Resolves to the exit code once all workers are gone. */
  const finished = new Promise<number>((resolve) => {
    let exitCode = 0;
    cluster.on('exit', (worker, code, signal) => {
      if (!isReady && !isStopping) {
        exitCode = code || 1;
        stop();
      }
      if (isStopping) {
        if (liveWorkers().length === 0) resolve(exitCode);
        tellClosed();
        return;
      }
      onRestart({ pid: worker.process.pid ?? 0, how: signal ?? `exit code ${code}` });
      const livedMs = performance.now() - (startedAt.get(worker.id) ?? 0);
      startedAt.delete(worker.id);
      if (livedMs < RESTART_PAUSE_MS) setTimeout(fork, RESTART_PAUSE_MS);
      else fork();
    });
  });

  fork();
  return { stop, signal, finished };
}

/** In a worker that listens no more: resolves once no other does either, or ends alone. */
export function untilAllClosed(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      process.off('message', hear);
      resolve();
    };
    const hear = (message: unknown) => void (message === ALL_CLOSED && end());
    const timer = setTimeout(end, MOST_WAIT_MS).unref();
    process.on('message', hear);
    process.send?.(CLOSED, undefined, undefined, () => {}); // the supervisor may be gone
  });
}

function liveWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}
