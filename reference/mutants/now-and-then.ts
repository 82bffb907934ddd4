import type { Context, Middleware } from 'koa';
import { alterBody, type Bodies, type Change, isOperation, queryOf } from './alter-reply.ts';

/** Returns middleware that changes every second 200 of an operation. */
export function everySecond<Operation extends keyof Bodies>(
  operation: Operation,
  change: Change<Bodies[Operation]>,
): () => Middleware {
  return everyNth(2, operation, () => alterBody(operation, change));
}

/** Returns middleware that is broken for every n-th request to an operation. */
export function everyNth(
  n: number,
  operation: keyof Bodies,
  create: () => Middleware,
): () => Middleware {
  return () => {
    const broken = create();
    let asked = 0;
    return (ctx, next) => {
      if (!isOperation(ctx, operation)) return next();
      asked += 1;
      return asked % n === 0 ? broken(ctx, next) : next();
    };
  };
}

/** Returns middleware that is broken for one request of `n` to any operation, by a fixed draw of lots. */
export function oneIn(n: number, create: () => Middleware): () => Middleware {
  return () => {
    const broken = create();
    let state = 0x2545f491;
    return (ctx, next) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32 < 1 / n ? broken(ctx, next) : next();
    };
  };
}

/** Returns middleware that is broken only for some requests to an operation. */
export function onlyWhere(
  operation: keyof Bodies,
  isWhere: (query: URLSearchParams, ctx: Context) => boolean,
  create: () => Middleware,
): () => Middleware {
  return () => {
    const broken = create();
    return (ctx, next) =>
      isOperation(ctx, operation) && isWhere(queryOf(ctx), ctx) ? broken(ctx, next) : next();
  };
}

/** Returns middleware that is broken for requests that come while others are being answered. */
export function onlyAtOnce(create: () => Middleware, waitMs = 2): () => Middleware {
  return () => {
    const broken = create();
    let open = 0;
    return async (ctx, next) => {
      open += 1;
      const isAlone = open === 1;
      try {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        await (isAlone ? next() : broken(ctx, next));
      } finally {
        open -= 1;
      }
    };
  };
}

/** Returns middleware that is broken once so many requests have come. */
export function after(requests: number, create: () => Middleware): () => Middleware {
  return () => {
    const broken = create();
    let asked = 0;
    return (ctx, next) => {
      asked += 1;
      return asked > requests ? broken(ctx, next) : next();
    };
  };
}

/** Returns a factory of middleware that changes each plan. */
export function plans(change: Change<Bodies['swap']>): () => Middleware {
  return () => alterBody('swap', change);
}
