import { type Clock, SYSTEM_CLOCK } from '../client/clock.ts';
import type { Exchange } from '../client/exchange.ts';
import { RunStopped } from '../client/scheduler.ts';
import type { Facts } from '../discovery/facts.ts';
import { indexFacts } from '../discovery/known-chain.ts';
import { readJudgedReply } from '../model/judged-reply.ts';
import type { ExchangeRule, Obstacle, ReplyVerdict, Rule } from '../model/rule.ts';
import { carriesKey } from '../rule-kit/request-parameters.ts';
import type { Ledger, RequestSource } from './ledger.ts';
import { rulesByReply } from './rules-by-reply.ts';

/** Lets every rule that fits judge an exchange. */
export type ReplyJudge = (
  exchange: Exchange,
  facts: Facts | undefined,
  source: RequestSource,
  /** @see JudgedReply */
  isServedLater?: boolean,
) => void;

export type ReplyJudgeOptions = {
  readonly rules: readonly Rule[];
  readonly ledger: Ledger;
  readonly tolerancePpm: number;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
};

/**
 * Returns a judge by the reply and exchange rules among `rules`, which writes
 * into the ledger. A rule that throws gets an obstacle: it could not run.
 */
export function createReplyJudge({
  rules,
  ledger,
  tolerancePpm,
  clock: { now } = SYSTEM_CLOCK,
}: ReplyJudgeOptions): ReplyJudge {
  const rulesOn = rulesByReply(rules);
  const exchangeRules = rules.filter((rule): rule is ExchangeRule => rule.kind === 'exchange');
  let known = indexFacts(undefined);
  return (exchange, facts, source, isServedLater) => {
    const { outcome: reply, endpoint } = exchange;
    if (reply.kind === 'no-reply' && reply.cause === 'too-large') {
      ledger.addUnread(endpoint, reply.message);
    }
    const isAnswer = reply.kind === 'reply' && reply.status === 200;
    if (isAnswer && endpoint !== undefined) ledger.addAnswered(endpoint);
    if (facts !== known.facts) known = indexFacts(facts);
    let since = now();
    const write = (rule: Rule, result: ReplyVerdict | Obstacle | undefined) => {
      const at = now();
      ledger.addDuration(rule, at - since);
      since = at;
      if (result === undefined) return;
      if ('kind' in result) ledger.addObstacle(rule, result);
      else ledger.addVerdict(rule, result, exchange, source);
    };
    const hasKey = carriesKey(exchange);
    if (hasKey) {
      for (const rule of exchangeRules) write(rule, resultOf(rule, exchange));
    }
    if (reply.kind !== 'reply') return;
    const input = readJudgedReply(exchange, reply, { known, tolerancePpm, isServedLater });
    since = now();
    for (const rule of rulesOn(endpoint, reply, hasKey)) write(rule, resultOf(rule, input));
  };
}

function resultOf<Input>(
  rule: Rule & { judge(input: Input): ReplyVerdict | undefined },
  input: Input,
): ReplyVerdict | Obstacle | undefined {
  try {
    return rule.judge(input);
  } catch (cause) {
    return obstacleOf(rule, cause);
  }
}

/** Returns why a rule that threw could not run: the run was stopped, or the rule has a bug. */
export function obstacleOf({ id }: Rule, cause: unknown): Obstacle {
  if (cause instanceof RunStopped) {
    return { kind: 'could-not-run', why: cause.message, sharedCause: 'run-ended' };
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  const why = `the rule ${id} itself failed, which says nothing about the service: ${message}`;
  return { kind: 'could-not-run', why };
}
