import { Session } from 'node:inspector';
import { expect, vi } from 'vitest';

/** Size of the large work relative to the small work. */
const TIMES = 8;
/**
 * Maximum ratio of the steps. Quadratic work takes 8 times as many at once as in parts; the
 * logarithm of a sort is tolerated.
 */
const MAX_STEPS_RATIO = 1.2;
/** Maximum ratio of the times; a factor of 3 for each doubling is tolerated. */
const MAX_TIME_RATIO = 27 / TIMES;
const ROUNDS = 10;

/** Prepares work of a size; the result does it. */
type Work = (size: number) => () => unknown;

/** Counts the steps of modules that it has loaded. */
export type StepCounter = {
  /** Loads modules again, since V8 counts the blocks only of functions compiled while it counts. */
  readonly load: <Module>(load: () => Promise<Module>) => Promise<Module>;
  /**
   * Expects work to take steps linear in its size: all of it at once takes about as many as
   * `TIMES` parts of it.
   */
  readonly expectLinear: (work: Work, size: number) => Promise<void>;
  readonly stop: () => void;
};

/**
 * Counts executed blocks of code, by V8's precise coverage, and the elements that built-in searches
 * and copies visit. Unlike times, these are the same on every machine.
 */
export function createStepCounter(): StepCounter {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  let visited = 0;
  const restore = meterBuiltIns((elements) => {
    visited += elements;
  });
  const takeSteps = () => {
    let steps = visited;
    visited = 0;
    session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      for (const { url, functions } of result) {
        if (/^node:|\/(@?vitest|tinypool)\//.test(url)) continue;
        for (const { ranges } of functions) for (const { count } of ranges) steps += count;
      }
    });
    return steps;
  };
  return {
    load(load) {
      vi.resetModules();
      return load();
    },
    async expectLinear(work, size) {
      const counts: number[] = [];
      for (const each of [size, size * TIMES]) {
        const run = work(each);
        takeSteps();
        await run();
        counts.push(takeSteps());
      }
      const [part = 0, whole = 0] = counts;
      expect(part).toBeGreaterThan(0);
      expect(whole / (part * TIMES), `${part} and ${whole} steps`).toBeLessThan(MAX_STEPS_RATIO);
    },
    stop() {
      restore();
      session.disconnect();
      vi.resetModules();
    },
  };
}

/** Reports how many elements built-in methods visit; returns a function that restores them. */
function meterBuiltIns(visit: (elements: number) => void): () => void {
  const restores: (() => void)[] = [];
  const meter = (
    prototype: object,
    name: string,
    elementsOf: (
      of: { readonly length: number },
      result: unknown,
      args: readonly unknown[],
    ) => number,
  ) => {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    const original = descriptor.value as (...args: unknown[]) => unknown;
    Object.defineProperty(prototype, name, {
      ...descriptor,
      value(this: { readonly length: number }, ...args: unknown[]) {
        const result = Reflect.apply(original, this, args);
        visit(elementsOf(this, result, args));
        return result;
      },
    });
    restores.push(() => Object.defineProperty(prototype, name, descriptor));
  };
  for (const prototype of [Array.prototype, String.prototype]) {
    const { indexOf } = prototype as { readonly indexOf: (...args: readonly unknown[]) => number };
    meter(
      prototype,
      'indexOf',
      (of, at, [, from = 0]) => (at === -1 ? of.length : Number(at)) - Number(from),
    );
    meter(prototype, 'includes', (of, isFound, args) =>
      isFound ? Reflect.apply(indexOf, of, args) : of.length,
    );
  }
  for (const name of ['slice', 'splice', 'concat', 'join', 'reverse']) {
    meter(Array.prototype, name, (of, result) => (result as typeof of).length);
  }
  for (const name of ['shift', 'unshift']) meter(Array.prototype, name, (of) => of.length);
  return () => {
    for (const restore of restores) restore();
  };
}

/**
 * Expects work to take time linear in its size. Alternates between all of it at once and its parts
 * for several rounds and compares their minima, so that neither other processes nor the garbage
 * collector decides the result.
 */
export async function expectLinearTime(work: Work, size: number): Promise<void> {
  const [part, whole] = [work(size), work(size * TIMES)];
  let [parts, atOnce] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    for (let done = 0; done < TIMES; done++) await part();
    const between = performance.now();
    await whole();
    parts = Math.min(parts, between - start);
    atOnce = Math.min(atOnce, performance.now() - between);
    if (atOnce < parts * MAX_TIME_RATIO) return;
  }
  expect(atOnce / parts).toBeLessThan(MAX_TIME_RATIO);
}
