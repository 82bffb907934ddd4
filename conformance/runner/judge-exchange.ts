import { type Clock, SYSTEM_CLOCK } from '../client/clock.ts';
import type { Exchange } from '../client/exchange.ts';
import { RunStopped } from '../client/scheduler.ts';
import type { Facts } from '../discovery/facts.ts';
import type { ExchangeRule, JudgedReply, ReplyVerdict, Rule, Setback } from '../model/rule.ts';
import { rulesByReply } from './rules-by-reply.ts';

/** Takes what one rule says of an exchange, or why it could not judge, and how long it took, with rules before it that said nothing. */
export type Say = (rule: Rule, said: ReplyVerdict | Setback, tookMs: number) => void;

/** Lets every rule that fits judge an exchange. */
export type JudgeExchange = (exchange: Exchange, facts: Facts | undefined, hear: Say) => void;

/** After as many exchanges, one in so many is timed, and counts for all of them: many a rule takes less than a look at the clock. */
const TIMED = 16;

/** Returns a judge by the reply and exchange rules among `rules`. */
export function createExchangeJudge(
  rules: readonly Rule[],
  tolerancePpm: number,
  { now }: Clock = SYSTEM_CLOCK,
): JudgeExchange {
  const rulesOn = rulesByReply(rules);
  let exchanges = 0;
  const exchangeRules = rules.filter((rule): rule is ExchangeRule => rule.kind === 'exchange');
  return (exchange, facts, hear) => {
    const { outcome: reply, endpoint } = exchange;
    const weight = exchanges < TIMED ? 1 : exchanges % TIMED === 0 ? TIMED : 0;
    exchanges++;
    let since = weight === 0 ? 0 : now();
    const say = (rule: Rule, said: ReplyVerdict | Setback) => {
      const at = weight === 0 ? 0 : now();
      hear(rule, said, (at - since) * weight);
      since = at;
    };
    judgeBy(exchangeRules, exchange, say);
    if (reply.kind !== 'reply') return;
    const judged: JudgedReply = { exchange, reply, facts, tolerancePpm };
    judgeBy(rulesOn(endpoint, reply), judged, say);
  };
}

function judgeBy<Input>(
  rules: readonly (Rule & { judge(input: Input): ReplyVerdict | undefined })[],
  input: Input,
  say: (rule: Rule, said: ReplyVerdict | Setback) => void,
): void {
  for (const rule of rules) {
    let said: ReplyVerdict | Setback | undefined;
    try {
      said = rule.judge(input);
    } catch (cause) {
      said = setbackOf(rule, cause);
    }
    if (said !== undefined) say(rule, said);
  }
}

/** Why a rule that threw could not run: the run was stopped, or the rule is broken, which is ours to mend. */
export function setbackOf({ id }: Rule, cause: unknown): Setback {
  if (cause instanceof RunStopped) return { kind: 'could-not-run', why: cause.message };
  const message = cause instanceof Error ? cause.message : String(cause);
  const why = `the rule ${id} itself failed, which says nothing about the service: ${message}`;
  return { kind: 'could-not-run', why };
}
