import { isObject } from '../checks/reply-body.ts';
import { type Exchange, type Reply, statusOf } from '../client/exchange.ts';
import type { RequestTarget } from '../client/request.ts';
import { copyStart } from '../contract/cut-text.ts';
import { formatStatement } from '../model/format-statement.ts';
import type { Fault, FaultData } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { jsonType, quote, type Statement, statusCode, words } from '../model/statement.ts';

/**
 * Returns the reply of an exchange; undefined if there is none, or if it was too large to be
 * stored.
 */
export function replyOf(exchange: Exchange): Reply | undefined {
  return exchange.outcome.kind === 'reply' ? exchange.outcome : undefined;
}

const MAX_QUOTED_CHARACTERS = 60;

/**
 * Describes the reply of an exchange by its status and error: `400 "UNKNOWN_TOKEN"`. If there is no
 * error, describes the body: `401 without a body`.
 */
export function statusWords(exchange: Exchange): Statement {
  const reply = replyOf(exchange);
  const code = statusCode(statusOf(exchange));
  if (reply === undefined) return [code];
  const { status, document, text } = reply;
  const body = document.kind === 'json' ? document.value : undefined;
  const error = isObject(body) ? body['error'] : undefined;
  if (typeof error === 'string')
    return words`${code} ${quote(copyStart(error, MAX_QUOTED_CHARACTERS))}`;
  if (status === 200) return [code];
  if (text === '') return words`${code} without a body`;
  return isMarkup(text)
    ? words`${code} with HTML`
    : words`${code} with ${quote(copyStart(text, MAX_QUOTED_CHARACTERS))}`;
}

/** Returns the result of `statusWords` as text, for an observation. */
export function formatStatus(exchange: Exchange): string {
  return formatStatement(statusWords(exchange));
}

/**
 * Returns the data of a fault in a reply: the status and, unless the status is 200, the kind of the
 * body.
 */
export function statusData(exchange: Exchange): FaultData {
  const status = statusOf(exchange);
  if (status === undefined) return {};
  const reply = replyOf(exchange);
  return reply === undefined || status === 200 ? { status } : { status, body: bodyKind(reply) };
}

function bodyKind({ document, text }: Reply): string {
  if (document.kind === 'json') return jsonType(document.value);
  if (text === '') return 'empty';
  return isMarkup(text) ? 'html' : 'no-json';
}

function isMarkup(text: string): boolean {
  return /^\s*</.test(text);
}

/** Returns a fault unless the status is 200. */
export function faultUnless200(
  exchange: Exchange,
  { fault, data, expected, actual = statusWords(exchange) }: Expectation,
): Fault | undefined {
  if (statusOf(exchange) === 200) return undefined;
  return { fault, data: { ...statusData(exchange), ...data }, expected, actual };
}

type Expectation = Pick<Fault, 'fault' | 'data' | 'expected'> & { readonly actual?: Statement };

/** The reason why a probe asserted nothing. */
export const NOTHING_LEARNED = 'no reply, or only 500, even to requests that returned 200 before';

/**
 * Returns whether a reply depends on its request. Returns false if there is no reply, or if the
 * reply is a 500 and another request also gets a 500.
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
