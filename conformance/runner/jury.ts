import type { Exchange } from '../client/exchange.ts';
import type { Endpoint } from '../contract/paths.ts';
import type { Facts } from '../discovery/facts.ts';
import type { Report } from '../model/report.ts';
import type { ExchangeRule, ReplyRule, ReplyVerdict, Rule } from '../model/rule.ts';
import type { Asked, Ledger } from './ledger.ts';

/** Lets every rule that fits judge every exchange that passes by. */
export type Jury = {
  readonly judge: (exchange: Exchange, facts: Facts | undefined, asked: Asked) => void;
  /** Whether an operation was ever answered with 200. */
  readonly sawSuccess: (endpoint: Endpoint) => boolean;
  readonly largestDust: () => Report['largestDust'];
};

/**
 * A jury of the reply and exchange rules among `rules`. A rule that throws is
 * ours to mend: it is set back as one that could not run, and judges no more.
 */
export function createJury(rules: readonly Rule[], ledger: Ledger, tolerancePpm: number): Jury {
  const replyRules = rules.filter((rule): rule is ReplyRule => rule.kind === 'reply');
  const exchangeRules = rules.filter((rule): rule is ExchangeRule => rule.kind === 'exchange');
  const successes = new Set<Endpoint>();
  let dust: Report['largestDust'];

  const record = (
    rule: ReplyRule | ExchangeRule,
    exchange: Exchange,
    asked: Asked,
    judge: () => ReplyVerdict | undefined,
  ) => {
    const tally = ledger.tallies.get(rule.id);
    if (tally === undefined || tally.setback !== undefined) return;
    let verdict: ReplyVerdict | undefined;
    try {
      verdict = judge();
    } catch (cause) {
      tally.setback = { kind: 'could-not-run', why: describeBug(rule.id, cause) };
      return;
    }
    if (verdict === undefined) return;
    ledger.addVerdict(rule, verdict, exchange, asked);
    if (
      verdict.dust !== undefined &&
      verdict.dust.partsPerMillion > (dust?.partsPerMillion ?? -1)
    ) {
      const { baseUnits, partsPerMillion, token } = verdict.dust;
      dust = { baseUnits: String(baseUnits), partsPerMillion, token, exchange: exchange.id };
    }
  };

  return {
    sawSuccess: (endpoint) => successes.has(endpoint),
    largestDust: () => dust,
    judge: (exchange, facts, asked) => {
      for (const rule of exchangeRules) {
        record(rule, exchange, asked, () => rule.judge(exchange));
      }
      const { outcome: reply, endpoint } = exchange;
      if (reply.kind !== 'reply') return;
      if (reply.status === 200 && endpoint !== undefined) successes.add(endpoint);
      for (const rule of replyRules) {
        if (rule.endpoint !== undefined && rule.endpoint !== endpoint) continue;
        if (reply.status === 429 && rule.level !== 'observe') continue;
        record(rule, exchange, asked, () => rule.judge({ exchange, reply, facts, tolerancePpm }));
      }
    },
  };
}

/** One sentence that says which rule of ours broke. */
export function describeBug(ruleId: string, cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return `the rule ${ruleId} is broken, which says nothing of the service: ${message}`;
}
