import { isObject } from '../checks/reply-body.ts';
import type { Exchange } from '../client/exchange.ts';
import type { JudgedReply } from '../model/rule.ts';
import { type Fields, type Find, objectAt } from './reply-values.ts';

/** The statuses that the specification speaks of. */
export const SPECIFIED_STATUSES: readonly number[] = [200, 400, 500];

/** Returns whether an exchange is a GET of one of the four operations. */
export function isOperation({ endpoint, method }: Exchange): boolean {
  return endpoint !== undefined && method === 'GET';
}

/** Returns whether the specification says what the body of a reply is. */
export function hasSpecifiedBody({ exchange, reply }: JudgedReply): boolean {
  return isOperation(exchange) && SPECIFIED_STATUSES.includes(reply.status);
}

/** The body of a 400 or 500, whatever it is. */
export const errorBody: Find<unknown> = ({ reply: { status, document } }) =>
  (status === 400 || status === 500) && document.kind === 'json'
    ? [{ pointer: '', value: document.value }]
    : [];

/** The body of a 400 or 500, where it is an object. */
export const errorObject: Find<Fields> = (input) =>
  errorBody(input).flatMap(({ pointer, value }) => objectAt(value, pointer));

/** Returns whether a value is an Error: `error` and `message` are texts. */
export function isError(value: unknown): boolean {
  return (
    isObject(value) && typeof value['error'] === 'string' && typeof value['message'] === 'string'
  );
}
