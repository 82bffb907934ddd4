import { isObject } from '../checks/reply-body.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import type { JudgedReply } from '../model/judged-reply.ts';
import type { Fault } from '../model/rule.ts';
import { ownWords, quote, statusCode, words } from '../model/statement.ts';
import { replyOf, statusData, statusWords } from './reply-status.ts';
import { type Fields, type Find, objectAt } from './reply-values.ts';

/** The statuses that the specification defines. */
export const SPECIFIED_STATUSES: readonly number[] = [200, 400, 500];

/** Returns whether an exchange is a GET of one of the four operations. */
export function isOperation({ endpoint, method }: Exchange): boolean {
  return endpoint !== undefined && method === 'GET';
}

/** Returns whether the specification defines the body of a reply. */
export function hasSpecifiedBody({ exchange, reply }: JudgedReply): boolean {
  return isOperation(exchange) && SPECIFIED_STATUSES.includes(reply.status);
}

/** The body of a 400 or 500, of any type. */
export const errorBody: Find<unknown> = ({ reply: { status, document } }) =>
  (status === 400 || status === 500) && document.kind === 'json'
    ? [{ pointer: '', value: document.value }]
    : NONE;

export const errorObject: Find<Fields> = (input) => {
  const [body] = errorBody(input);
  return body === undefined ? NONE : objectAt(body.value, '');
};

const NONE: readonly never[] = [];

/**
 * Returns whether a reply is enough to decide if its request was correctly rejected. For a 400, the
 * body must have been stored, since it must be an Error.
 */
export function showsRejection(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status === 400 ? replyOf(exchange) !== undefined : status !== undefined;
}

/** A way to break a request: `id` identifies it, `what` describes it. */
export type BrokenRequest = { readonly id: string; readonly what: string };

/** Returns a fault unless an invalid request was rejected with 400 and an Error. */
export function faultUnlessRejected(
  exchange: Exchange,
  { id, what }: BrokenRequest,
): Fault | undefined {
  const status = statusOf(exchange);
  const document = replyOf(exchange)?.document;
  const body = document?.kind === 'json' ? document.value : undefined;
  if (status === 400 && isError(body)) return undefined;
  const shown = document?.kind === 'json' ? quote(body) : 'no JSON';
  const actual = status === 400 ? words`${statusCode(400)} with ${shown}` : statusWords(exchange);
  const data = { ...statusData(exchange), broken: id };
  const expected = words`400 with an Error for ${ownWords(what)}`;
  return { fault: status === 400 ? 'no-error' : 'not-rejected', data, expected, actual };
}

/** Returns whether a value is an Error: `error` and `message` are strings. */
export function isError(value: unknown): value is Fields {
  return (
    isObject(value) && typeof value['error'] === 'string' && typeof value['message'] === 'string'
  );
}
