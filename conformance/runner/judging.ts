import { type Clock, SYSTEM_CLOCK } from '../client/clock.ts';
import type { Exchange, Reply } from '../client/exchange.ts';
import { isRateLimit } from '../client/rate-limiter.ts';
import { RunStopped } from '../client/scheduler.ts';
import { messageOf } from '../contract/message-of.ts';
import { ENDPOINTS, type Endpoint } from '../contract/paths.ts';
import type { Facts } from '../discovery/facts.ts';
import { indexFacts } from '../discovery/known-chain.ts';
import { readJudgedReply } from '../model/judged-reply.ts';
import {
  type Check,
  judgesMissingReplies,
  type Obstacle,
  type ReplyRule,
  type Rule,
} from '../model/rule.ts';
import { carriesKey } from '../rule-kit/request-parameters.ts';
import { EqualReplies } from './equal-replies.ts';
import { Ledger, type LedgerOptions, type RequestSource } from './ledger.ts';
import type { JudgingOptions } from './run-options.ts';
import { type OmittedRule, selectRules } from './select-rules.ts';
import { openWaivers } from './waivers.ts';

/** The participating rules, and the ledger that records their verdicts. */
export type Judging<Options extends JudgingOptions = JudgingOptions> = ReturnType<
  typeof openJudging<Options>
>;

/**
 * Opens an empty ledger for the participating rules.
 *
 * @throws {UnknownRuleError} if an entry of `only` matches nothing.
 */
export function openJudging<Options extends JudgingOptions>(
  given: Options,
  weigh: LedgerOptions['weigh'],
  excluded: (rule: Rule) => Omit<OmittedRule, 'id'> | undefined = () => undefined,
) {
  const options = { ...given, tolerancePpm: given.tolerancePpm ?? 1 };
  const startedAt = new Date();
  const { selected, omitted: unselected } = selectRules(options.rules, options);
  const rules = selected.filter((rule) => excluded(rule) === undefined);
  const omitted = selected.flatMap((rule): OmittedRule[] => {
    const reason = excluded(rule);
    return reason === undefined ? [] : [{ id: rule.id, ...reason }];
  });
  const today = startedAt.toISOString().slice(0, 10);
  const waivers = openWaivers(
    options.waivers ?? [],
    today,
    options.dropIdleWaiver,
    options.recordFailure,
  );
  const ledger = new Ledger({ rules, weigh, waiverOf: waivers.waiverOf });
  const { tolerancePpm, clock } = options;
  const judgeReply = createReplyJudge({ rules, ledger, tolerancePpm, clock });
  const equalReplies = new EqualReplies();
  const judge: ReplyJudge = (exchange, ...context) => {
    equalReplies.add(exchange);
    judgeReply(exchange, ...context);
  };
  return {
    ...{ options, startedAt, rules, omitted: [...unselected, ...omitted] },
    ...{ waivers, ledger, equalReplies, judge },
  };
}

/** Lets every relevant rule judge an exchange. */
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
 * Returns a function that judges an exchange by the reply rules among `rules`, and records their
 * verdicts in the ledger. If a rule throws, the ledger records that it could not run.
 */
export function createReplyJudge({
  rules,
  ledger,
  tolerancePpm,
  clock: { now } = SYSTEM_CLOCK,
}: ReplyJudgeOptions): ReplyJudge {
  const rulesOn = rulesByReply(rules);
  const onMissing = replyRulesIn(rules).filter(judgesMissingReplies);
  let known = indexFacts(undefined);
  return (exchange, facts, source, isServedLater) => {
    const { outcome: reply, endpoint } = exchange;
    if (reply.kind === 'no-reply' && reply.cause === 'too-large') {
      ledger.unread.set(endpoint, reply.message);
    }
    const isAnswer = reply.kind === 'reply' && reply.status === 200;
    if (isAnswer && endpoint !== undefined) ledger.answered.add(endpoint);
    if (facts !== known.facts) known = indexFacts(facts);
    let since = now();
    ledger.judging(exchange, source);
    const judgeBy = <Input>(rule: Rule, check: RuleCheck<Input> | undefined, input: Input) => {
      const tally = ledger.tallyOf(rule);
      if (tally === undefined || check === undefined) return;
      try {
        check(input, tally);
      } catch (cause) {
        tally.block(obstacleOf(rule, cause));
      }
      const at = now();
      tally.durationMs += at - since;
      since = at;
    };
    const hasKey = carriesKey(exchange);
    if (reply.kind !== 'reply') {
      if (!hasKey) return;
      for (const rule of onMissing) judgeBy(rule, rule.checkMissing, exchange);
      return;
    }
    const input = readJudgedReply(exchange, reply, { known, tolerancePpm, isServedLater });
    if (hasKey && input.plan !== undefined) ledger.addDust(input.plan, exchange.id);
    since = now();
    for (const rule of rulesOn(endpoint, reply, hasKey)) judgeBy(rule, rule.check, input);
  };
}

type RuleCheck<Input> = (input: Input, t: Check) => void;

function replyRulesIn(rules: readonly Rule[]): readonly ReplyRule[] {
  return rules.filter((rule) => rule.kind === 'reply');
}

/** Returns why a rule that threw could not run: the run had been stopped, or the rule has a bug. */
export function obstacleOf({ id }: Pick<Rule, 'id'>, cause: unknown): Obstacle {
  if (cause instanceof RunStopped) return obstacleOfStop(cause);
  const why = `the rule ${id} itself failed, which reveals nothing about the service: ${messageOf(cause)}`;
  return { kind: 'could-not-run', why };
}

/** Returns why a rule could not run after a stop of all requests, or of those to one operation. */
export function obstacleOfStop({ message: why, scope }: RunStopped): Obstacle {
  return { kind: 'could-not-run', why, ...(scope === 'run' && { sharedCause: 'run-ended' }) };
}

/**
 * Returns a function that looks up the rules that are relevant to a reply, in order. Irrelevant
 * rules would only cost time.
 *
 * @see Specification 5.3: "Response to a missing or invalid key [...]: not shown."
 */
export function rulesByReply(
  rules: readonly Rule[],
): (endpoint: Endpoint | undefined, reply: Reply, hasKey: boolean) => readonly ReplyRule[] {
  const onReplies = replyRulesIn(rules);
  const onAny = onReplies.filter(({ endpoint }) => endpoint === undefined);
  const onOther = onAny.filter(({ ofErrors }) => ofErrors === undefined);
  const observing = onAny.filter(({ level }) => level === 'observe');
  const onRateLimit = onAny.filter(
    (rule) => rule.level === 'observe' || judgesMissingReplies(rule),
  );
  const onSuccess = new Map(
    ENDPOINTS.map((each) => [
      each,
      onReplies.filter(
        ({ endpoint, ofErrors }) => (endpoint ?? each) === each && ofErrors === undefined,
      ),
    ]),
  );
  return (endpoint, reply, hasKey) => {
    const { status } = reply;
    if (!hasKey) return observing;
    if (isRateLimit(reply)) return onRateLimit;
    if (status === 400 || status === 500) return onAny;
    const concerned =
      status === 200 && endpoint !== undefined ? onSuccess.get(endpoint) : undefined;
    return concerned ?? onOther;
  };
}
