import {
  isMainThread,
  parentPort,
  type Transferable,
  Worker,
  workerData,
} from 'node:worker_threads';

/** A thread that answers one question after another, and can be ended whatever it is at. */
export type Thread<Question, Answer> = {
  /**
   * Resolves to the answer; what is transferred is its own from then on.
   *
   * @throws {ThreadEnded} where the thread ended before, by `end` or by a fault.
   */
  readonly ask: (question: Question, transfer?: readonly Transferable[]) => Promise<Answer>;
  readonly end: () => void;
};

/** Starts a thread that runs a module, which calls {@link answerQuestions}. It keeps no process from ending. */
export function openThread<Question, Answer>(
  module: URL,
  order: unknown,
): Thread<Question, Answer> {
  const worker = startWorker(module, order);
  const waiting: { resolve: (answer: Answer) => void; reject: (cause: Error) => void }[] = [];
  let ended: ThreadEnded | undefined;
  const end = (cause: ThreadEnded): void => {
    ended ??= cause;
    void worker.terminate();
    for (const { reject } of waiting.splice(0)) reject(ended);
  };
  worker.unref();
  worker.on('message', (answer: Answer) => {
    waiting.shift()?.resolve(answer);
    if (waiting.length === 0) worker.unref();
  });
  worker.on('error', (cause) => end(new ThreadEnded(cause.message, { cause })));
  worker.on('exit', () => end(new ThreadEnded('it ended by itself')));
  return {
    ask: (question, transfer = []) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        waiting.push({ resolve, reject });
        worker.ref();
        worker.postMessage(question, transfer);
      }),
    end: () => end(new ThreadEnded('it was ended')),
  };
}

/** Answers every question that this thread is asked; `order` is what it was started with. */
export async function answerQuestions<Order, Question, Answer>(
  prepare: (order: Order) => Promise<(question: Question) => Answer>,
): Promise<void> {
  if (isMainThread) throw new Error('only a thread is asked questions');
  const answer = prepare(workerData as Order);
  parentPort?.on('message', async (question: Question) => {
    parentPort?.postMessage((await answer)(question));
  });
  await answer;
}

/** Thrown where a thread ended with a question unanswered. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** Of TypeScript, in a checkout, a thread reads nothing without being told how. */
function startWorker(module: URL, order: unknown): Worker {
  if (!module.pathname.endsWith('.ts')) return new Worker(module, { workerData: order });
  const start = new URL('./typescript-thread.mjs', import.meta.url);
  return new Worker(start, { workerData: order, argv: [module.href] });
}
