import { openThread, type Thread, ThreadEnded } from '../../conformance/output/thread.ts';
import type { JudgedReplies } from '../model/load-result.ts';

/** What the threads that judge are started with. Plain data, so that it can go to a process of its own. */
export type JudgeOrder = {
  /** URL of the module that each thread runs. */
  readonly module: string;
  /** What that module needs to know. */
  readonly data: string;
  readonly threads: number;
};

/** One reply to judge. */
export type ReplyToJudge = {
  /** Path and query up to the API key, which is not in it. */
  readonly target: string;
  readonly endpoint: string;
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** When it was due, after the start of the run. */
  readonly dueMs: number;
  readonly latencyMs: number;
};

/** Replies on their way to a thread: their bodies stand in one block of memory, which is handed over and not copied. */
export type Batch = {
  readonly replies: readonly (Omit<ReplyToJudge, 'body'> & { readonly length: number })[];
  readonly bodies: ArrayBuffer;
};

/** What came of one batch. */
export type BatchAnswer = JudgedReplies & {
  /** Processor time that it took. */
  readonly cpuMs: number;
};

/** Hands replies to threads that judge them, as far as those can follow. */
export type JudgePool = {
  /** Resolves when every thread can judge. */
  readonly ready: Promise<unknown>;
  /** Copies a reply; leaves it out where the threads have fallen behind. */
  readonly offer: (reply: ReplyToJudge) => void;
  /** Hands over what waits for more. */
  readonly flush: () => void;
  /** Resolves when all that was taken is judged, or the threads have ended. */
  readonly drained: () => Promise<void>;
  /** Processor time that judging has taken. */
  readonly cpuMs: () => number;
  readonly end: () => void;
};

/** What a pool tells: how many replies came since, and what was found in those that were judged. */
export type Told = { readonly offered: number; readonly judged?: JudgedReplies };

/** Starts one thread. */
export type OpenJudge = (order: JudgeOrder) => Thread<Batch, BatchAnswer>;

/** Opens a pool; what it has not judged when it ends is left out. */
export function openJudgePool(
  order: JudgeOrder,
  onJudged: (told: Told) => void,
  open: OpenJudge = ({ module, data }) => openThread(new URL(module), data),
): JudgePool {
  const judges = Array.from({ length: order.threads }, () => ({ thread: open(order), waiting: 0 }));
  const underWay = new Set<Promise<void>>();
  let cpuMs = 0;
  let offered = 0;
  let filling: ReplyToJudge[] = [];
  let bytes = 0;
  const isFull = () => filling.length >= MOST_REPLIES || bytes >= MOST_BYTES;
  const handOver = async (judge: (typeof judges)[number], batch: Batch): Promise<void> => {
    judge.waiting += 1;
    try {
      const { cpuMs: tookMs, ...judged } = await judge.thread.ask(batch, [batch.bodies]);
      cpuMs += tookMs;
      onJudged({ offered: 0, judged });
    } catch (cause) {
      if (!(cause instanceof ThreadEnded)) throw cause;
    }
    judge.waiting -= 1;
  };
  const flush = (): void => {
    if (offered > 0) onJudged({ offered });
    offered = 0;
    const [judge] = judges.toSorted((a, b) => a.waiting - b.waiting);
    if (filling.length === 0 || judge === undefined || judge.waiting >= MOST_WAITING) return;
    const asked = handOver(judge, packed(filling, bytes)).finally(() => underWay.delete(asked));
    underWay.add(asked);
    filling = [];
    bytes = 0;
  };
  return {
    ready: Promise.all(judges.map((judge) => handOver(judge, packed([], 0)))),
    offer: (reply) => {
      offered += 1;
      if (isFull()) flush();
      if (isFull()) return;
      filling.push(reply);
      bytes += reply.body.length;
    },
    flush,
    drained: async () => {
      for (flush(); underWay.size > 0; flush()) await Promise.all(underWay);
    },
    cpuMs: () => cpuMs,
    end: () => {
      for (const { thread } of judges) thread.end();
    },
  };
}

function packed(replies: readonly ReplyToJudge[], bytes: number): Batch {
  const bodies = new ArrayBuffer(bytes);
  const block = new Uint8Array(bodies);
  let at = 0;
  const packing = replies.map(({ body, ...reply }) => {
    block.set(body, at);
    at += body.length;
    return { ...reply, length: body.length };
  });
  return { replies: packing, bodies };
}

/** A thread that is sent one reply after another would do little else than receive them. */
const MOST_REPLIES = 256;
const MOST_BYTES = 2 ** 20;
/** Batches that wait for one thread; beyond, replies are left out. */
const MOST_WAITING = 4;
