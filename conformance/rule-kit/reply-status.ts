import { isObject } from '../checks/reply-body.ts';
import { type Exchange, type Reply, statusOf } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import type { Finding } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { quote, type Statement, statusCode, words } from '../model/statement.ts';
import { statementText } from '../model/statement-text.ts';

/** Returns the reply of an exchange; undefined where none came, or none that could be kept. */
export function replyOf(exchange: Exchange): Reply | undefined {
  return exchange.outcome.kind === 'reply' ? exchange.outcome : undefined;
}

/**
 * Returns the status of an exchange in words: `400 "UNKNOWN_TOKEN"`, with the
 * error's value; where there is none, what came in its place: `401 without a body`.
 */
export function statusWords(exchange: Exchange): Statement {
  const reply = replyOf(exchange);
  const code = statusCode(statusOf(exchange));
  if (reply === undefined) return [code];
  const { status, document, text } = reply;
  const body = document.kind === 'json' ? document.value : undefined;
  const error = isObject(body) ? body['error'] : undefined;
  if (typeof error === 'string') return words`${code} ${quote(error.slice(0, 60))}`;
  if (status === 200) return [code];
  if (text === '') return words`${code} without a body`;
  return /^\s*</.test(text)
    ? words`${code} with HTML`
    : words`${code} with ${quote(text.slice(0, 60))}`;
}

/** Returns the same as text, for an observation. */
export function statusText(exchange: Exchange): string {
  return statementText(statusWords(exchange));
}

/** Returns what is wrong with an exchange that was not answered with 200. */
export function findingUnless200(
  exchange: Exchange,
  expected: Statement,
  actual = statusWords(exchange),
): Finding | undefined {
  return statusOf(exchange) === 200 ? undefined : { expected, actual, exchange };
}

/** Why nothing was asserted of what was asked. */
export const NOTHING_LEARNED = 'no reply came, or only 500, even to what was answered before';

/**
 * Returns whether a reply says something of what was asked: any but a 500 that
 * another request is answered with as well, since "Internal server error" can
 * answer everything. False where no reply came.
 */
export async function isInformative(
  { get }: Pick<Session, 'get'>,
  exchange: Exchange,
  other: RequestTarget,
): Promise<boolean> {
  const status = statusOf(exchange);
  if (status !== 500) return status !== undefined;
  return statusOf(await get(other)) !== 500;
}
