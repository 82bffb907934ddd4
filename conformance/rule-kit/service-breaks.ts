import { type Endpoint, PATHS } from '../contract/paths.ts';
import type { Loose, ReceivedRequest, ServiceChange, ServiceReply } from '../model/breaks.ts';

/**
 * A condition on a request. Rules combine conditions and changes to describe how a correct service
 * breaks.
 *
 * @example
 * on(all(to('swap'), has('buyAmount')), reject)
 */
export type Condition = (request: ReceivedRequest) => boolean;

/** Leaves replies unchanged, for breaks that only change the facts about the service. */
export const unchanged = (reply: ServiceReply): ServiceReply => reply;

/** Changes the replies to some requests. */
export function on<Changed>(
  condition: Condition,
  change: (reply: ServiceReply, request: ReceivedRequest) => Changed,
): (reply: ServiceReply, request: ReceivedRequest) => Changed | ServiceReply {
  return (reply, request) => (condition(request) ? change(reply, request) : reply);
}

/** Changes the replies with status 400. */
export function onRejections(change: ServiceChange): ServiceChange {
  return (reply, request) => (reply.status === 400 ? change(reply, request) : reply);
}

export function to(endpoint: Endpoint): Condition {
  return ({ path }) => path === PATHS[endpoint];
}

/**
 * Returns a condition that holds for requests with a parameter that has the given value, or any
 * value.
 */
export function has(name: string, value: string | RegExp = /^/): Condition {
  const matches = (text: string) => (typeof value === 'string' ? text === value : value.test(text));
  return ({ params }) => params.some(([each, text]) => each === name && matches(text));
}

export function all(...conditions: readonly Condition[]): Condition {
  return (request) => conditions.every((holds) => holds(request));
}

export function any(...conditions: readonly Condition[]): Condition {
  return (request) => conditions.some((holds) => holds(request));
}

export function not(condition: Condition): Condition {
  return (request) => !condition(request);
}

/** Returns a condition that holds if the query, as sent, matches a pattern. */
export function written(pattern: RegExp): Condition {
  return ({ raw }) => pattern.test(raw);
}

/** Holds for a request that repeats an earlier one. */
export const isRepeated: Condition = ({ repeats }) => repeats > 0;

/** Holds for every fifth request. */
export const isEveryFifth: Condition = ({ count }) => count % 5 === 3;

export const isEncoded = has('includeCalldata', 'true');

/** Returns a change that replaces each reply by a fixed one. */
export function respond(
  status: number,
  body: Loose = { error: 'NO', message: 'no' },
): () => ServiceReply {
  return () => ({ status, body });
}

export const reject = respond(400);

/**
 * Returns a change that makes a service fail with 500 until it has received the given number of
 * requests.
 */
export function failFirst(requests: number): ServiceChange {
  return on(({ count }) => count < requests, respond(500));
}

/** Simulates a moving market: each plan buys more than the previous plan. */
export const movingMarket: ServiceChange = (reply, { count }) =>
  changePlan(({ buy }) => {
    buy.amount = String(BigInt(buy.amount) + BigInt(count));
  })(reply);

/** Simulates a service that returns a worse plan now and then, whatever the request. */
export const unsteady: ServiceChange = (reply, request) =>
  on(({ count }) => count % 20 === 7, buyLess)(reply, request);

/** Returns a change that applies only to plans. Other replies remain unchanged. */
export function changePlan(change: (body: Loose) => void): (reply: ServiceReply) => ServiceReply {
  return (reply) => {
    if (reply.status !== 200 || reply.body.routes === undefined) return reply;
    const body = structuredClone(reply.body);
    change(body);
    return { ...reply, body };
  };
}

/** Returns a change that multiplies the amount on one side of a plan. */
export function scale(side: 'sell' | 'buy', numerator: bigint, denominator = 1n) {
  return changePlan((body) => {
    body[side].amount = String((BigInt(body[side].amount) * numerator) / denominator);
  });
}

/** Changes plans to buy a tenth less. */
export const buyLess = scale('buy', 9n, 10n);

/** Returns a change that gives every plan the same calldata. */
export function encodeAs(calldata: string) {
  return changePlan((body) => Object.assign(body, { calldata }));
}

/** Routes plans through the pool of a market maker if RFQ liquidity is requested. */
export const useMakers = on(
  has('useRfq', 'true'),
  changePlan((body) => {
    for (const route of body.routes) route.address = `0x${'9'.repeat(40)}`;
  }),
);

/**
 * Returns a change that caches replies under a key without the given parameter. `isStored` selects
 * which replies to cache.
 */
export function cacheWithout(
  parameter: string,
  isStored: (reply: ServiceReply, request: ReceivedRequest) => boolean,
  service: (reply: ServiceReply, request: ReceivedRequest) => ServiceReply = unchanged,
): ServiceChange {
  const cached = new Map<string, ServiceReply>();
  return (correct, request) => {
    if (request.count === 0) cached.clear();
    const key = JSON.stringify(request.params.filter(([name]) => name !== parameter));
    const reply = cached.get(key) ?? service(correct, request);
    if (isStored(reply, request)) cached.set(key, reply);
    return reply;
  };
}
