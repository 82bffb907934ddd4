import { type Clock, SYSTEM_CLOCK } from '../client/clock.ts';
import type { Exchange } from '../client/exchange.ts';
import { RunStopped } from '../client/scheduler.ts';
import type { Facts } from '../discovery/facts.ts';
import type {
  ExchangeRule,
  JudgedReply,
  ReplyRule,
  ReplyVerdict,
  Rule,
  Setback,
} from '../model/rule.ts';
import { PASS } from '../rule-kit/faults.ts';
import { carriesKey } from '../rule-kit/request-parameters.ts';
import { rulesByReply } from './rules-by-reply.ts';

/** Takes what one rule says of an exchange, or why it could not judge, and how long it took, with rules before it that said nothing. */
export type Say = (rule: Rule, said: ReplyVerdict | Setback, tookMs: number) => void;

export type ExchangeJudge = {
  /** Lets every rule that fits judge an exchange. A pass that is not timed is counted, and not said. */
  readonly judge: (exchange: Exchange, facts: Facts | undefined, hear: Say) => void;
  /** Hands over how often rules passed without a word since it was called last. */
  readonly takePasses: (take: (rule: Rule, passes: number) => void) => void;
};

/** Rules that judge the same exchanges, and how often each passed. */
type Group<Input> = {
  readonly rules: readonly (Rule & { judge(input: Input): ReplyVerdict | undefined })[];
  readonly passes: Uint32Array;
};

/** After as many exchanges, one in so many is timed, and counts for all of them: many a rule takes less than a look at the clock. */
const TIMED = 16;

/** Returns a judge by the reply and exchange rules among `rules`. */
export function createExchangeJudge(
  rules: readonly Rule[],
  tolerancePpm: number,
  { now }: Clock = SYSTEM_CLOCK,
): ExchangeJudge {
  const rulesOn = rulesByReply(rules);
  const onReplies = new Map<readonly ReplyRule[], Group<JudgedReply>>();
  const onExchanges = groupOf(
    rules.filter((rule): rule is ExchangeRule => rule.kind === 'exchange'),
  );
  let exchanges = 0;
  const judge: ExchangeJudge['judge'] = (exchange, facts, hear) => {
    const { outcome: reply, endpoint } = exchange;
    const weight = exchanges < TIMED ? 1 : exchanges % TIMED === 0 ? TIMED : 0;
    exchanges++;
    const timed = weight === 0 ? undefined : { since: now() };
    const say = (rule: Rule, said: ReplyVerdict | Setback) => {
      if (timed === undefined) return hear(rule, said, 0);
      const at = now();
      hear(rule, said, (at - timed.since) * weight);
      timed.since = at;
    };
    const hasKey = carriesKey(exchange);
    if (hasKey) judgeBy(onExchanges, exchange, say, weight > 0);
    if (reply.kind !== 'reply') return;
    const fitting = rulesOn(endpoint, reply, hasKey);
    const group = onReplies.get(fitting) ?? groupOf(fitting);
    onReplies.set(fitting, group);
    judgeBy(group, { exchange, reply, facts, tolerancePpm }, say, weight > 0);
  };
  const takePasses: ExchangeJudge['takePasses'] = (take) => {
    for (const { rules: fitting, passes } of [onExchanges, ...onReplies.values()]) {
      fitting.forEach((rule, at) => {
        const count = passes[at] ?? 0;
        if (count > 0) take(rule, count);
      });
      passes.fill(0);
    }
  };
  return { judge, takePasses };
}

function groupOf<Input>(rules: Group<Input>['rules']): Group<Input> {
  return { rules, passes: new Uint32Array(rules.length) };
}

function judgeBy<Input>(
  { rules, passes }: Group<Input>,
  input: Input,
  say: (rule: Rule, said: ReplyVerdict | Setback) => void,
  sayPasses: boolean,
): void {
  let at = 0;
  for (const rule of rules) {
    let said: ReplyVerdict | Setback | undefined;
    try {
      said = rule.judge(input);
    } catch (cause) {
      said = setbackOf(rule, cause);
    }
    if (said === PASS && !sayPasses) passes[at] = (passes[at] ?? 0) + 1;
    else if (said !== undefined) say(rule, said);
    at++;
  }
}

/** Why a rule that threw could not run: the run was stopped, or the rule is broken, which is ours to mend. */
export function setbackOf({ id }: Rule, cause: unknown): Setback {
  if (cause instanceof RunStopped) return { kind: 'could-not-run', why: cause.message };
  const message = cause instanceof Error ? cause.message : String(cause);
  const why = `the rule ${id} itself failed, which says nothing about the service: ${message}`;
  return { kind: 'could-not-run', why };
}
