import { isOperation } from './middleware.ts';
import type { Occasion, Operation } from './mutant.ts';

/** Applies the fault to every n-th request to an operation. */
export function everyNth(n: number, operation: Operation): Occasion {
  return counted((count) => count % n === 0, operation);
}

/** Applies the fault to all requests after the given number. */
export function after(requests: number): Occasion {
  return counted((count) => count > requests);
}

/** Applies the fault to one request in `n`, to any operation, at random with a fixed seed. */
export function oneIn(n: number): Occasion {
  return (broken) => {
    let state = 0x2545f491;
    return (ctx, next) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32 < 1 / n ? broken(ctx, next) : next();
    };
  };
}

/** Applies the fault to requests that arrive while other requests are being handled. */
export function onlyAtOnce(waitMs = 2): Occasion {
  return (broken) => {
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

function counted(isBroken: (count: number) => boolean, operation?: Operation): Occasion {
  return (broken) => {
    let count = 0;
    return (ctx, next) => {
      if (operation !== undefined && !isOperation(ctx, operation)) return next();
      count += 1;
      return isBroken(count) ? broken(ctx, next) : next();
    };
  };
}
