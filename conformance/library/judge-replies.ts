import type { Exchange } from '../client/exchange.ts';
import { packageVersion } from '../client/package-version.ts';
import type { RouterNames } from '../client/router-names.ts';
import type { Report } from '../model/report.ts';
import type { RunOptions } from '../runner/run-options.ts';
import type { OwnRule } from './define-rule.ts';

/** A reply that was received, and the request that brought it. */
export type CapturedReply = {
  /** The whole URL, or what follows the host; its `apiKey` is shown nowhere. Unset, the operation is told by the body. */
  readonly url?: string;
  /** Default GET. */
  readonly method?: string;
  /** Default: 200, or 400 for an Error. */
  readonly status?: number;
  /** By name, in any letter case; values of a name that was repeated in a list. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The text as it was received, or the JSON value that was read from it, which tells less of numbers. */
  readonly body: unknown;
};

export type RepliesOptions = Pick<
  RunOptions,
  'only' | 'level' | 'tolerancePpm' | 'waivers' | 'signal'
> & {
  /** What the service calls the routers of the specification. */
  readonly routerNames?: RouterNames;
  /** Rules of your own, those on replies alone. */
  readonly rules?: readonly OwnRule[];
  /** What the report calls the replies; default `replies`. */
  readonly target?: string;
};

/**
 * Judges replies that were received, by the rules on replies, and returns the
 * report. Rules that would have to ask do not apply.
 *
 * @throws {CaptureError} naming the reply, from 1, that is none of the interface.
 * @throws {UnknownRuleError} when `only` names nothing.
 * @throws {OwnRuleError} for a rule that is not what `defineRule` takes.
 * @example
 * const report = await judgeReplies([{ url: '/api/v1.0/chains', status: 200, body: '[]' }]);
 * report.verdict // 'conforming'
 */
export async function judgeReplies(
  replies: Iterable<CapturedReply> | AsyncIterable<CapturedReply>,
  { rules = [], routerNames = {}, target = 'replies', ...options }: RepliesOptions = {},
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
    ...{ target, routerNames, rules: judging, apiKeys, version: packageVersion() },
  });
}
