import type { Clock } from '../client/clock.ts';
import type { Exchange } from '../client/exchange.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Rule } from '../model/rule.ts';
import { PASS } from '../rule-kit/faults.ts';
import { createExchangeJudge, type Say } from './judge-exchange.ts';
import type { Ledger, RequestSource } from './ledger.ts';

/** Lets every rule that fits judge an exchange that passes by. */
export type ReplyJudge = (
  exchange: Exchange,
  facts: Facts | undefined,
  source: RequestSource,
) => void;

export type ReplyJudgeOptions = {
  readonly rules: readonly Rule[];
  readonly ledger: Ledger;
  readonly tolerancePpm: number;
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
};

/**
 * Returns a judge by the reply and exchange rules among `rules`, which writes
 * into the ledger. A rule that throws is ours to mend: it is set back as one
 * that could not run, and judges no more.
 */
export function createReplyJudge({
  rules,
  ledger,
  tolerancePpm,
  clock,
}: ReplyJudgeOptions): ReplyJudge {
  const { judge, takePasses } = createExchangeJudge(rules, tolerancePpm, clock);
  ledger.awaitPasses(takePasses);
  return (exchange, facts, source) => {
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
    judge(exchange, facts, write);
  };
}
