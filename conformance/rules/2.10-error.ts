import { isObject } from '../checks/reply-body.ts';
import type { Reply } from '../client/exchange.ts';
import { ErrorSchema } from '../contract/resources.ts';
import type { ReplyRule } from '../model/rule.ts';
import { quote, verdictOf, verdictUnless } from '../rule-kit/faults.ts';
import { fieldRules, type Place } from '../rule-kit/field-rules.ts';
import { objectAt } from '../rule-kit/reply-objects.ts';

const isError = (reply: Reply) => reply.status === 400 || reply.status === 500;

function errorsOf(reply: Reply): readonly Place[] {
  return isError(reply) && reply.document.kind === 'json' ? objectAt(reply.document.value, '') : [];
}

/** "400 (body: Error) or 500 (body: Error)". */
const bodyIsObject: ReplyRule = {
  kind: 'reply',
  id: 'error/body',
  clause: '4 error body',
  level: 'must',
  title: 'the body of a 400 or 500 is an Error object',
  needs: 'a reply with status 400 or 500',
  judge: ({ reply, exchange }) => {
    if (!isError(reply) || reply.document.kind !== 'json' || exchange.endpoint === undefined) {
      return undefined;
    }
    const { value } = reply.document;
    return verdictUnless(
      isObject(value)
        ? undefined
        : {
            expected: 'an object with `error` and `message`',
            actual: quote(value),
            pointer: '',
          },
    );
  },
};

/** "Error type", "Human-readable message": a blank is neither. */
const saysSomething: ReplyRule = {
  kind: 'reply',
  id: 'error/not-blank',
  clause: '2.10 message',
  level: 'should',
  title: '`error` and `message` are not blank',
  needs: 'a reply with status 400 or 500',
  judge: ({ reply }) => {
    const said = errorsOf(reply).flatMap(({ object }) =>
      (['error', 'message'] as const).flatMap((field) => {
        const text = object[field];
        return typeof text === 'string' ? [{ field, text }] : [];
      }),
    );
    if (said.length === 0) return undefined;
    return verdictOf(
      said
        .filter(({ text }) => text.trim() === '')
        .map(({ field, text }) => ({
          expected: `\`${field}\` says something`,
          actual: quote(text),
          pointer: `/${field}`,
        })),
    );
  },
};

/** "The list of values of `error` [...]: not shown". */
const valuesSeen: ReplyRule = {
  kind: 'reply',
  id: 'error/values-observed',
  clause: '7 error values',
  level: 'observe',
  title: 'which values `error` takes',
  judge: ({ reply, exchange }) => {
    const body =
      isError(reply) && reply.document.kind === 'json' ? reply.document.value : undefined;
    if (!isObject(body) || exchange.endpoint === undefined) return undefined;
    return { findings: [], observed: `${reply.status} ${quote(body['error'])}` };
  },
};

/** @see Specification 2.10 */
export const errorRules: readonly ReplyRule[] = [
  bodyIsObject,
  ...fieldRules({
    section: '2.10',
    slug: 'error',
    schema: ErrorSchema,
    places: errorsOf,
  }),
  saysSomething,
  valuesSeen,
];
