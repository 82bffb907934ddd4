import type { Exchange } from '../client/exchange.ts';
import type { RouterNames } from '../client/router-names.ts';
import type { Facts } from '../discovery/facts.ts';
import type { ReplyVerdict, Rule, Setback } from '../model/rule.ts';
import { openThread, type Thread } from '../output/thread.ts';

/** What a thread judges by. */
export type ThreadOrder = {
  /** URL of a module whose `CATALOG` holds the rules: no rule can be sent to a thread. */
  readonly catalog: string;
  /** What the service calls its routers. */
  readonly routerNames?: RouterNames | undefined;
};

/** What a thread is started with. */
export type JudgeOrder = ThreadOrder & {
  readonly ruleIds: readonly string[];
  readonly tolerancePpm: number;
};

/** A reply to judge, its body as text: reading that again is cheaper than sending what was read. */
export type JudgeQuestion = {
  readonly exchange: Exchange;
  /** Absent where they are as before. */
  readonly learned?: { readonly facts: Facts | undefined };
};

/** What the rules say, by their ids, and how long they took. */
export type JudgeAnswer = readonly (readonly [
  ruleId: string,
  said: ReplyVerdict | Setback,
  tookMs: number,
])[];

/** Judges in a thread, which is ended with the run whatever it is at. */
export type ThreadJudge = ReturnType<typeof createThreadJudge>;

/** Returns a judge whose thread starts with the first exchange. */
export function createThreadJudge(
  order: ThreadOrder,
  rules: readonly Rule[],
  tolerancePpm: number,
) {
  let thread: Thread<JudgeQuestion, JudgeAnswer> | undefined;
  let told: JudgeQuestion['learned'];
  const close = (): void => {
    thread?.end();
    thread = undefined;
    told = undefined;
  };
  const open = () =>
    openThread<JudgeQuestion, JudgeAnswer>(ENTRY, {
      ...order,
      ruleIds: rules.map(({ id }) => id),
      tolerancePpm,
    } satisfies JudgeOrder);
  return {
    close,
    /**
     * Returns what the rules say; undefined where `ending` aborted before.
     *
     * @throws {ThreadEnded} where a reply was too much for the thread.
     */
    judge: async (
      exchange: Exchange,
      facts: Facts | undefined,
      ending: AbortSignal | undefined,
    ): Promise<JudgeAnswer | undefined> => {
      if (ending?.aborted) return undefined;
      ending?.addEventListener('abort', close, { once: true });
      try {
        thread ??= open();
        const learned = told === undefined || told.facts !== facts ? { facts } : undefined;
        told = learned ?? told;
        return await thread.ask({ exchange: unread(exchange), ...(learned && { learned }) });
      } catch (cause) {
        if (ending?.aborted) return undefined;
        close();
        throw cause;
      } finally {
        ending?.removeEventListener('abort', close);
      }
    },
  };
}

function unread(exchange: Exchange): Exchange {
  const { outcome } = exchange;
  if (outcome.kind !== 'reply') return exchange;
  const document = { kind: 'not-json', reason: 'not read again yet' } as const;
  return { ...exchange, outcome: { ...outcome, document } };
}

// Beside this file: TypeScript in a checkout, JavaScript once built.
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './judge-thread-entry.ts' : './judge-thread-entry.js',
  import.meta.url,
);
