import type { Clock } from '../client/clock.ts';
import type { Exchange } from '../client/exchange.ts';
import type { Facts } from '../discovery/facts.ts';
import { OWN_CLAUSE, type Rule } from '../model/rule.ts';
import { PASS } from '../rule-kit/faults.ts';
import { createExchangeJudge, type Say } from './judge-exchange.ts';
import type { ThreadJudge } from './judge-thread.ts';
import type { Ledger, RequestSource } from './ledger.ts';

/** Lets every rule that fits judge an exchange that passes by; where `ending` aborts before, it ends. */
export type ReplyJudge = (
  exchange: Exchange,
  facts: Facts | undefined,
  source: RequestSource,
  ending?: AbortSignal,
) => Promise<void>;

export type ReplyJudgeOptions = {
  readonly rules: readonly Rule[];
  readonly ledger: Ledger;
  readonly tolerancePpm: number;
  readonly thread?: ThreadJudge | undefined;
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
};

/** A reply of fewer characters takes no time in which a signal would be missed. */
const LARGE_CHARACTERS = 100_000;

/**
 * Returns a judge by the reply and exchange rules among `rules`, which writes
 * into the ledger. A rule that throws is ours to mend: it is set back as one
 * that could not run, and judges no more. Large replies are judged in a thread,
 * where one is given: a deadline or a signal is heard whatever they hold.
 */
export function createReplyJudge({
  rules,
  ledger,
  tolerancePpm,
  thread,
  clock,
}: ReplyJudgeOptions): ReplyJudge {
  const here = createExchangeJudge(rules, tolerancePpm, clock);
  // No thread can load the user's own rules, which may be functions of a program.
  const own = rules.filter(({ clause }) => clause === OWN_CLAUSE);
  const byOwn = createExchangeJudge(own, tolerancePpm, clock);
  for (const { takePasses } of [here, byOwn]) ledger.awaitPasses(takePasses);
  return async (exchange, facts, source, ending) => {
    const { outcome: reply, endpoint } = exchange;
    const write: Say = (rule, said, tookMs) => {
      if (said === PASS || !('kind' in said)) {
        return ledger.addVerdict(rule, said, exchange, source, tookMs);
      }
      ledger.addDuration(rule, tookMs);
      ledger.setBack(rule, said);
    };
    if (reply.kind === 'no-reply' && reply.cause === 'too-large') {
      ledger.addUnread(endpoint, reply.message);
    }
    const isAnswer = reply.kind === 'reply' && reply.status === 200;
    if (isAnswer && endpoint !== undefined) ledger.addAnswered(endpoint);
    const isLarge = reply.kind === 'reply' && reply.text.length >= LARGE_CHARACTERS;
    if (thread === undefined || !isLarge) return here.judge(exchange, facts, write);
    try {
      for (const [id, said, tookMs] of (await thread.judge(exchange, facts, ending)) ?? []) {
        const rule = ledger.tallies.get(id)?.rule;
        if (rule !== undefined) write(rule, said, tookMs);
      }
      byOwn.judge(exchange, facts, write);
    } catch (cause) {
      const { length } = reply.text;
      ledger.addUnread(endpoint, `a reply of ${length} characters could not be judged: ${cause}`);
    }
  };
}
