import type { Access } from '../client/client.ts';
import type { Exchange } from '../client/exchange.ts';
import type { Report } from '../model/report.ts';
import type { JudgingSettings } from '../runner/run-options.ts';
import type { OwnRule } from './define-rule.ts';

/** A received reply, and its request. */
export type CapturedReply = {
  /**
   * The whole URL, or the part after the host. Output never shows its `apiKey`. If unset, the
   * operation is guessed from the body.
   */
  readonly url?: string;
  /** Method of the request. Default: GET. */
  readonly method?: string;
  /** Status of the reply. Default: 200, or 400 for an Error. */
  readonly status?: number;
  /** Header values by name, in any letter case. A repeated header has a list of values. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The text as received, or the parsed JSON value, which loses the format of numbers. */
  readonly body: unknown;
};

export type RepliesOptions = JudgingSettings &
  Pick<Access, 'routerNames'> & {
    /** Custom rules. Only rules on replies are used. */
    readonly rules?: readonly OwnRule[];
    /** Name of the replies in the report. Default: `replies`. */
    readonly target?: string;
  };

/**
 * Judges received replies against the reply rules, and returns the report. Rules that send requests
 * do not apply.
 *
 * @throws {CaptureError} naming the reply, counted from 1, that is not from the interface.
 * @throws {UnknownRuleError} if an entry of `only` matches no rule.
 * @throws {OwnRuleError} for a rule that `defineRule` would not accept.
 * @example const report = await judgeReplies([{ url: '/api/v1.0/chains', status: 200, body: '[]'
 * }]); report.verdict // 'no-failure', since one reply shows little of the interface
 */
export async function judgeReplies(
  replies: Iterable<CapturedReply> | AsyncIterable<CapturedReply>,
  { rules = [], target = 'replies', ...options }: RepliesOptions = {},
): Promise<Report> {
  const [{ readReplies }, { judgeCaptured }, { catalogWith }] = await Promise.all([
    import('../captured/read-capture.ts'),
    import('../captured/judge-captured.ts'),
    import('./own-rules.ts'),
  ]);
  const judging = catalogWith(rules);
  const apiKeys = new Set<string>();
  const exchanges: Exchange[] = [];
  for await (const exchange of readReplies(replies, apiKeys)) exchanges.push(exchange);
  return judgeCaptured(exchanges, {
    ...options,
    ...{ target, rules: judging, apiKeys },
  });
}
