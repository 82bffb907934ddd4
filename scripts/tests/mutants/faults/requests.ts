import type { Condition } from './mutant.ts';

export const NATIVE = `0x${'0'.repeat(40)}`;
export const ACCOUNT = `0x${'c'.repeat(40)}`;
/** An amount of a token with 18 decimals that is too small to move a market. */
export const SMALL_AMOUNT = '1000000000000000';
/** Any text. */
export const ANY = /^.*$/s;
/** Any text that is not empty. */
export const GIVEN = /./s;
/** The native token as `0x` and 40 times e. */
export const E_ALIAS = /^0xe{40}$/i;
const NATIVE_ALIAS = /^0x(0{40}|e{40})$/i;

export const isExactInput: Condition = (query) => query.has('sellAmount');
export const isExactOutput: Condition = (query) => query.has('buyAmount');
export const isCalldata: Condition = (query) => query.get('includeCalldata') === 'true';

export const isNativeSold = matches('sellToken', NATIVE_ALIAS);
export const isNativeBought = matches('buyToken', NATIVE_ALIAS);

export function isGiven(name: string, value: string): Condition {
  return (query) => query.get(name) === value;
}

/**
 * Returns the condition that a parameter matches a pattern. A missing parameter counts as empty.
 */
export function matches(name: string, pattern: RegExp): Condition {
  return (query) => pattern.test(query.get(name) ?? '');
}

export function eitherToken(pattern: RegExp): Condition {
  return (query) => ['sellToken', 'buyToken'].some((side) => pattern.test(query.get(side) ?? ''));
}

export function not(condition: Condition): Condition {
  return (query, ctx) => !condition(query, ctx);
}

export function all(...conditions: readonly Condition[]): Condition {
  return (query, ctx) => conditions.every((holds) => holds(query, ctx));
}

/**
 * Returns a change that reads a parameter as a careless parser would. `by` replaces matches of the
 * pattern, as in `String.replace`.
 */
export function misread(name: string, pattern: RegExp, by: string | ((text: string) => string)) {
  return (query: URLSearchParams): void => {
    const text = query.get(name);
    if (text === null || !pattern.test(text)) return;
    query.set(name, typeof by === 'string' ? text.replace(pattern, by) : by(text));
  };
}

/** Adds a parameter if it is missing. */
export function fill(name: string, value: string) {
  return (query: URLSearchParams): void => {
    if (!query.has(name)) query.set(name, value);
  };
}

/** Removes a parameter if its text matches. */
export function drop(name: string, pattern = ANY) {
  return (query: URLSearchParams): void => {
    const text = query.get(name);
    if (text !== null && pattern.test(text)) query.delete(name);
  };
}

/** Changes the requested tolerance, in steps of 0.0001. */
export function changeTolerance(change: (tolerance: number) => number) {
  return misread('slippageTolerance', ANY, (given) =>
    String(Math.min(1, Math.round(change(Number(given)) * 1e4) / 1e4)),
  );
}
