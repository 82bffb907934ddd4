import type { Loose } from '../model/golden-replies.testing.ts';
import type { Answer, Asked, Sabotage } from '../model/model-service.testing.ts';

/** Returns a service that changes what answers some requests. */
export function where(
  isMeant: (asked: Asked) => boolean,
  change: (answer: Answer) => ReturnType<Sabotage>,
): Sabotage {
  return (answer, asked) => (isMeant(asked) ? change(answer) : answer);
}

/** Returns whether a request has a parameter: with this value, or any. */
export const has =
  (name: string, value?: string | RegExp) =>
  ({ params }: Asked): boolean =>
    params.some(
      ([each, text]) =>
        each === name &&
        (value === undefined || (typeof value === 'string' ? text === value : value.test(text))),
    );

/** Returns whether a request is for an operation. */
export const at =
  (path: string) =>
  (asked: Asked): boolean =>
    asked.path === path;

export const both =
  (...tests: readonly ((asked: Asked) => boolean)[]) =>
  (asked: Asked): boolean =>
    tests.every((test) => test(asked));

export const either =
  (...tests: readonly ((asked: Asked) => boolean)[]) =>
  (asked: Asked): boolean =>
    tests.some((test) => test(asked));

export const not =
  (test: (asked: Asked) => boolean) =>
  (asked: Asked): boolean =>
    !test(asked);

/** Answers with these bytes, whatever was asked. */
export const answer =
  (status: number, body: Loose = { error: 'NO', message: 'no' }) =>
  (): Answer => ({ status, body });

export const refuse = answer(400);

/** Answers so wherever the service answers with 400. */
export const refusing =
  (...said: Parameters<typeof answer>): Sabotage =>
  (given) =>
    given.status === 400 ? answer(...said)() : given;

/** Changes plans, and leaves what is none. */
export const plans =
  (change: (body: Loose) => void) =>
  (given: Answer): Answer => {
    if (given.status !== 200 || given.body.routes === undefined) return given;
    const body = structuredClone(given.body);
    change(body);
    return { ...given, body };
  };

/** Multiplies the amount of one side of a plan. */
export const scaled = (side: 'sell' | 'buy', numerator: bigint, denominator = 1n) =>
  plans((body) => {
    body[side].amount = String((BigInt(body[side].amount) * numerator) / denominator);
  });

export const fewer = scaled('buy', 9n, 10n);

/** Returns whether the same request came before. */
export const isRepeat = ({ repeats }: Asked): boolean => repeats > 0;

/** Every plan is of another state of the market: it buys more with each request. */
export const movingMarket: Sabotage = (given, { count }) =>
  plans((body) => {
    body.buy.amount = String(BigInt(body.buy.amount) + BigInt(count));
  })(given);

/** One reply in twenty is wrong, whatever was asked. */
export const wrongNowAndThen = where(({ count }) => count % 20 === 7, fewer);

/** Answers by what was asked first in the same words, whatever the chain, where that is kept. */
export function keepsForAllChains(isKept: (answer: Answer) => boolean): Sabotage {
  const kept = new Map<string, Answer>();
  return (given, { params, count }) => {
    if (count === 0) kept.clear();
    const key = JSON.stringify(params.filter(([name]) => name !== 'chainId'));
    const answer = kept.get(key) ?? given;
    if (isKept(answer)) kept.set(key, answer);
    return answer;
  };
}
