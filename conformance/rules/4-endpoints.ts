import { isObject, successBody } from '../checks/reply-body.ts';
import type { Exchange, Reply } from '../client/exchange.ts';
import type { Facts } from '../discovery/facts.ts';
import type { ExchangeRule, ReplyRule } from '../model/rule.ts';
import { quote, quoteAll, verdictOf, verdictUnless } from '../rule-kit/faults.ts';
import {
  askedFor,
  carriesKey,
  chainAskedFor,
  isKnownToken,
  knownChain,
} from '../rule-kit/request-parameters.ts';

const SPECIFIED = [200, 400, 500];

/**
 * "Every endpoint can answer 200, 400 (body: Error) or 500 (body: Error)": it
 * answers. What becomes of methods other than GET is left open.
 */
const answers: ExchangeRule = {
  kind: 'exchange',
  id: 'endpoint/answers',
  clause: '4 status',
  level: 'must',
  title: 'every request gets a complete reply in time',
  judge: (exchange) => {
    const { outcome, target } = exchange;
    if (!isOperation(exchange) || isTooLong(target)) return undefined;
    if (outcome.kind !== 'no-reply') return { findings: [] };
    // We ended the exchange: that says nothing of the service.
    if (outcome.cause === 'aborted') return undefined;
    return verdictOf([{ expected: 'a complete reply in time', actual: outcome.message }]);
  },
};

/**
 * Redirects are not followed and fail here. What answers a missing key, or
 * chains and tokens that the service never named, is not said.
 */
const statusIsSpecified: ReplyRule = {
  kind: 'reply',
  id: 'endpoint/status',
  clause: '4 status',
  level: 'must',
  title: 'the status is 200, 400 or 500',
  judge: ({ reply, exchange, facts }) => {
    if (!isOperation(exchange) || !carriesKey(exchange)) return undefined;
    if (isTooLong(exchange.target)) return undefined;
    if (SPECIFIED.includes(reply.status)) return { findings: [] };
    if (reply.status === 429 || asksForUnknown(exchange, facts)) return undefined;
    const location = reply.headers['location']?.[0];
    return verdictOf([
      {
        expected: '200, 400 or 500',
        actual:
          location === undefined ? `${reply.status}` : `${reply.status} to ${quote(location)}`,
      },
    ]);
  },
};

/** "All operations [...] return `application/json`". */
const contentTypeIsJson: ReplyRule = {
  kind: 'reply',
  id: 'endpoint/content-type',
  clause: '0 content type',
  level: 'must',
  title: 'the content type is application/json',
  judge: ({ reply, exchange }) => {
    if (!isJudgedBody(exchange, reply) || exchange.origin === 'body-only') return undefined;
    const values = reply.headers['content-type'] ?? [];
    if (values.length === 0 && exchange.origin === 'captured') return undefined;
    const isJson =
      values.length === 1 && /^application\/json\s*(;.*)?$/i.test(values[0]?.trim() ?? '');
    return verdictUnless(
      isJson
        ? undefined
        : {
            expected: '`content-type: application/json`',
            actual: values.length === 0 ? 'no content-type' : quoteAll(values),
          },
    );
  },
};

const bodyIsJson: ReplyRule = {
  kind: 'reply',
  id: 'endpoint/json',
  clause: '0 content type',
  level: 'must',
  title: 'the body is JSON',
  judge: ({ reply, exchange }) => {
    if (!isJudgedBody(exchange, reply)) return undefined;
    return verdictUnless(
      reply.document.kind === 'json'
        ? undefined
        : { expected: 'JSON (RFC 8259) in UTF-8', actual: reply.document.reason, pointer: '' },
    );
  },
};

/** RFC 8259, section 4: names SHOULD be unique; which of two values counts is left to chance. */
const keysAreUnique: ReplyRule = {
  kind: 'reply',
  id: 'endpoint/unique-keys',
  clause: '0 content type',
  level: 'should',
  title: 'no JSON object has a key twice',
  judge: ({ reply, exchange }) => {
    if (!isJudgedBody(exchange, reply) || reply.document.kind !== 'json') return undefined;
    return verdictOf(
      reply.document.duplicateKeys.map((pointer) => ({
        expected: 'each key once',
        actual: 'the key stands twice',
        pointer,
      })),
    );
  },
};

/** "400 | Invalid parameters | Error": an Error with status 200 hides from every client. */
const errorsAreNot200: ReplyRule = {
  kind: 'reply',
  id: 'error/not-with-200',
  clause: '7 400',
  level: 'must',
  title: 'an Error does not come with status 200',
  judge: ({ reply, exchange }) => {
    const body = successBody(reply);
    if (exchange.endpoint === undefined || body === undefined) return undefined;
    const isError =
      isObject(body) && typeof body['error'] === 'string' && typeof body['message'] === 'string';
    return verdictUnless(
      isError && !('routes' in body) && !('routers' in body)
        ? { expected: 'status 400 or 500 with an Error', actual: `200 with ${quote(body)}` }
        : undefined,
    );
  },
};

/**
 * "500 | Internal server error": a promise of form only, but no client can work
 * with it. A service that asks to come back later limits its load, of which the
 * specification says nothing.
 */
const serverDoesNotFail: ReplyRule = {
  kind: 'reply',
  id: 'endpoint/no-server-error',
  clause: '7 500',
  level: 'should',
  title: 'no request is answered with 500',
  judge: ({ reply, exchange }) => {
    if (!isOperation(exchange) || reply.headers['retry-after'] !== undefined) return undefined;
    if (reply.status !== 500) return { findings: [] };
    const body = reply.document.kind === 'json' ? quote(reply.document.value) : 'no JSON';
    return verdictOf([
      { expected: '200, or 400 where a parameter is at fault', actual: `500 with ${body}` },
    ]);
  },
};

function responseRule(
  endpoint: 'swap' | 'tokens' | 'chains' | 'chainInfo',
  clause: string,
  kind: 'an object' | 'an array',
  title: string,
): ReplyRule {
  return {
    kind: 'reply',
    endpoint,
    id: `${endpoint === 'chainInfo' ? 'chain-info' : endpoint}/response`,
    clause,
    level: 'must',
    title,
    judge: ({ reply }) => {
      const body = successBody(reply);
      if (body === undefined) return undefined;
      const isRight =
        kind === 'an object' ? isObject(body) : Array.isArray(body) && body.every(isObject);
      if (isRight) return { findings: [] };
      const expected = kind === 'an object' ? 'an object' : 'an array of objects';
      return verdictOf([{ expected, actual: quote(body), pointer: '' }]);
    },
  };
}

/** "Rate limits, quotas and request size limits: not shown". */
const rateLimitsSeen: ReplyRule = {
  kind: 'reply',
  id: 'endpoint/rate-limits-observed',
  clause: '8 rate limits',
  level: 'observe',
  title: 'which rate limits show',
  judge: ({ reply, exchange }) => {
    if (exchange.origin === 'body-only') return undefined;
    const headers = Object.keys(reply.headers).filter((name) =>
      /^(retry-after|x-ratelimit|ratelimit|x-rate-limit)/.test(name),
    );
    const status = reply.status === 429 ? '429' : undefined;
    const seen = [status, ...headers.sort()].filter((each) => each !== undefined);
    return { findings: [], observed: seen.length === 0 ? 'none' : seen.join(', ') };
  },
};

/** "Request size limits: not shown": from 4,000 characters on, a server may give up in its own way. */
function isTooLong(target: string): boolean {
  return target.length >= 4_000;
}

function isOperation(exchange: Exchange): boolean {
  return exchange.endpoint !== undefined && exchange.method === 'GET';
}

/** The specification speaks of the bodies of 200, 400 and 500 alone. */
function isJudgedBody(exchange: Exchange, reply: Reply): boolean {
  return isOperation(exchange) && SPECIFIED.includes(reply.status);
}

function asksForUnknown(exchange: Exchange, facts: Facts | undefined): boolean {
  if (facts === undefined || exchange.endpoint === 'chains') return false;
  const chainId = chainAskedFor(exchange);
  if (chainId === undefined || knownChain(facts, chainId) === undefined) return true;
  if (exchange.endpoint !== 'swap') return false;
  return ['sellToken', 'buyToken'].some((name) => {
    const token = askedFor(exchange, name);
    return token === undefined || !isKnownToken(facts, chainId, token);
  });
}

/** @see Specification 0, 4, 7 and 8, for every endpoint */
export const endpointRules: readonly (ReplyRule | ExchangeRule)[] = [
  answers,
  statusIsSpecified,
  contentTypeIsJson,
  bodyIsJson,
  keysAreUnique,
  errorsAreNot200,
  serverDoesNotFail,
  responseRule('swap', '4.1 response', 'an object', 'a 200 of /swap is an object'),
  responseRule('tokens', '4.2 response', 'an array', 'a 200 of /tokens is an array of objects'),
  responseRule('chains', '4.3 response', 'an array', 'a 200 of /chains is an array of objects'),
  responseRule('chainInfo', '4.4 response', 'an object', 'a 200 of /chainInfo is an object'),
  rateLimitsSeen,
];
