import type { Clock } from '../client/clock.ts';
import type { Rule } from '../model/rule.ts';
import { createLedger, type LedgerOptions } from './ledger.ts';
import type { OmittedRule } from './not-judged.ts';
import { createReplyJudge } from './reply-judge.ts';
import { selectRules } from './select-rules.ts';
import type { Gate } from './verdict.ts';
import { openWaivers, type Waiver } from './waivers.ts';

/** Options for judging replies, whether from a service or from files. */
export type JudgingOptions = {
  readonly rules: readonly Rule[];
  /** Rule ids, clause ids or sections, in the format of JUnit too, `*` for any text; empty and unset, all. */
  readonly only?: readonly string[] | undefined;
  /** `must` omits all other rules. Unset and `should`, all take part. */
  readonly level?: Gate | undefined;
  /** The subject of the report: the base URL, or the files. */
  readonly target: string;
  /** Description of the target, shown next to it. */
  readonly targetName?: string | undefined;
  /** The version of swapcheck in the report. */
  readonly version: string;
  /** Conservation tolerance at intermediate tokens, in parts per million. Default 1. */
  readonly tolerancePpm?: number | undefined;
  readonly waivers?: readonly Waiver[] | undefined;
  /**
   * Receives each waiver that no longer matches a failure, which then is not stale; if unset, it
   * counts against the verdict.
   */
  readonly dropIdleWaiver?: ((waiver: Waiver) => void) | undefined;
  /** Measures the time of the rules. Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Ends the judging early; the report is still written. */
  readonly signal?: AbortSignal | undefined;
};

/** The participating rules, and the ledger of their verdicts. */
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
  const waivers = openWaivers(options.waivers ?? [], today, options.dropIdleWaiver);
  const ledger = createLedger({ rules, weigh, waiverOf: waivers.waiverOf });
  const { tolerancePpm, clock } = options;
  const judge = createReplyJudge({ rules, ledger, tolerancePpm, clock });
  return {
    ...{ options, startedAt, rules, omitted: [...unselected, ...omitted] },
    ...{ waivers, ledger, judge },
  };
}
