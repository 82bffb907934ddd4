import { setImmediate } from 'node:timers/promises';
import type { Exchange } from '../client/exchange.ts';
import { RunStopped } from '../client/scheduler.ts';
import type { Facts } from '../discovery/facts.ts';
import type { ExchangeRule, ReplyRule, ReplyVerdict, Rule, Setback } from '../model/rule.ts';
import type { Ledger, RequestSource } from './ledger.ts';

/**
 * Lets every rule that fits judge an exchange that passes by. Between rules on
 * a large reply, others get their turn: a deadline or a signal is heard, and
 * `isOver` then ends the judging.
 */
export type ReplyJudge = (
  exchange: Exchange,
  facts: Facts | undefined,
  source: RequestSource,
  isOver?: () => boolean,
) => Promise<void>;

/** So long a large reply is judged at most before anything else gets its turn, but for a rule under way. */
const DEAF_MS = 50;
/** A reply of fewer characters takes no time that anyone would notice. */
const LARGE_CHARACTERS = 100_000;

/**
 * Returns a judge by the reply and exchange rules among `rules`, which writes
 * into the ledger. A rule that throws is ours to mend: it is set back as one
 * that could not run, and judges no more.
 */
export function createReplyJudge(
  rules: readonly Rule[],
  ledger: Ledger,
  tolerancePpm: number,
): ReplyJudge {
  const replyRules = rules.filter((rule): rule is ReplyRule => rule.kind === 'reply');
  const exchangeRules = rules.filter((rule): rule is ExchangeRule => rule.kind === 'exchange');
  return async (exchange, facts, source, isOver = () => false) => {
    const record = (rule: ReplyRule | ExchangeRule, judge: () => ReplyVerdict | undefined) => {
      if (ledger.tallies.get(rule.id)?.setback !== undefined) return;
      let verdict: ReplyVerdict | undefined;
      try {
        verdict = judge();
      } catch (cause) {
        ledger.setBack(rule, setbackOf(rule, cause));
      }
      if (verdict !== undefined) ledger.addVerdict(rule, verdict, exchange, source);
    };
    for (const rule of exchangeRules) record(rule, () => rule.judge(exchange));
    const { outcome: reply, endpoint } = exchange;
    if (reply.kind === 'no-reply' && reply.cause === 'too-large') {
      ledger.addUnread(endpoint, reply.message);
    }
    if (reply.kind !== 'reply') return;
    if (reply.status === 200 && endpoint !== undefined) ledger.addAnswered(endpoint);
    let heardAt = performance.now();
    for (const rule of replyRules) {
      if (rule.endpoint !== undefined && rule.endpoint !== endpoint) continue;
      if (reply.status === 429 && rule.level !== 'observe') continue;
      record(rule, () => rule.judge({ exchange, reply, facts, tolerancePpm }));
      if (reply.text.length < LARGE_CHARACTERS || performance.now() - heardAt < DEAF_MS) continue;
      await setImmediate();
      if (isOver()) return;
      heardAt = performance.now();
    }
  };
}

/** Why a rule that threw could not run: the run was stopped, or the rule is broken, which is ours to mend. */
export function setbackOf({ id }: Rule, cause: unknown): Setback {
  if (cause instanceof RunStopped) return { kind: 'could-not-run', why: cause.message };
  const message = cause instanceof Error ? cause.message : String(cause);
  const why = `the rule ${id} itself failed, which says nothing about the service: ${message}`;
  return { kind: 'could-not-run', why };
}
