import type { ReferenceId } from '../checks/plan.ts';
import { copyStart } from '../contract/cut-text.ts';

/**
 * Expected or actual behavior of a service: literal words with typed values between them. Each
 * output format renders it as text. Only people read the words. A finding's cause is identified by
 * its fault and data.
 */
export type Statement = readonly Part[];
export type Part = string | Value;

/** A value in a statement. */
export type Value =
  /** An amount in base units, and its token by reference id or address. */
  | { readonly kind: 'amount'; readonly units: bigint; readonly token?: TokenName | undefined }
  /** A count, a price, a percentage, a status code. */
  | { readonly kind: 'number'; readonly number: number | bigint }
  /** A token, shown by its symbol. */
  | { readonly kind: 'token'; readonly token: TokenName }
  /** An account or a pool. */
  | { readonly kind: 'address'; readonly address: string }
  /** A value that the service sent, as JSON. Only its beginning is stored. */
  | { readonly kind: 'json'; readonly text: string }
  /** A text that may quote the service: a revert reason, a circumstance. */
  | { readonly kind: 'text'; readonly text: string };

export type TokenName = { readonly referenceId: ReferenceId } | { readonly address: string };
export type JsonType =
  | 'string'
  | 'number'
  | 'true'
  | 'false'
  | 'null'
  | 'array'
  | 'object'
  | 'nothing';

/**
 * Tags a template as a statement. The words between the values must be literals; text from a
 * service must be a typed value. A bigint is an amount.
 *
 * @example words`at least ${5_000n} received, not ${quote(value)}`
 */
export function words<const Parts extends readonly (Part | Statement | bigint | number)[]>(
  literals: TemplateStringsArray,
  ...parts: { readonly [Index in keyof Parts]: OwnWords<Parts[Index]> }
): Statement {
  const given: readonly (Part | Statement | bigint | number)[] = parts;
  return literals
    .flatMap((literal, index): readonly Part[] => [literal, ...partsOf(given[index] ?? '')])
    .filter((part) => part !== '');
}

/** Rejects strings that are not literals, such as text from a service. */
type OwnWords<Given> = Given extends string
  ? Record<never, never> extends Record<Given, 1>
    ? never
    : Given
  : Given;

function partsOf(given: Part | Statement | bigint | number): Statement {
  if (typeof given === 'bigint') return [amountIn(given)];
  if (typeof given === 'number') return [{ kind: 'number', number: given }];
  return isStatement(given) ? given : [given];
}

function isStatement(given: Part | Statement): given is Statement {
  return Array.isArray(given);
}

/** Returns an amount in base units of a token. */
export function amountIn(units: bigint, token?: TokenName): Value {
  return { kind: 'amount', units, token };
}

/** Returns a token as a value. Outputs show the token's symbol if they know it. */
export function token(name: TokenName): Value {
  return { kind: 'token', token: name };
}

/** Returns a number of things other than tokens. */
export function count(number: number | bigint): Value {
  return { kind: 'number', number };
}

/**
 * Returns a count with its noun.
 *
 * @example formatStatement(counted(1, 'request')) // '1 request'
 */
export function counted(number: number, noun: string): Statement {
  return [count(number), number === 1 ? ` ${noun}` : ` ${noun}s`];
}

export function statusCode(status: number | undefined): Value {
  return status === undefined ? reason('no reply') : count(status);
}

export function account(address: string): Value {
  return { kind: 'address', address };
}

/** Wraps a text from outside the rules, such as a revert reason, as a value. */
export function reason(text: string): Value {
  return { kind: 'text', text };
}

/**
 * Returns our own text as a statement, for the case that its type does not prove that it is a
 * literal.
 */
export function ownWords(text: string): Statement {
  return [text];
}

/** Wraps a text of ours that may quote the service, such as the circumstances of a trade. */
export function note(text: string): Value {
  return { kind: 'text', text };
}

/** Stores more characters than are shown, so that an API key is never cut before it is redacted. */
const MAX_JSON = 6_000;

/** Wraps a value that the service sent. */
export function quote(value: unknown): Value {
  const whole = JSON.stringify(value) ?? 'nothing';
  return { kind: 'json', text: copyStart(whole, MAX_JSON) };
}

/** Wraps values that the service sent, separated by commas. */
export function quoteAll(values: readonly unknown[]): Statement {
  return values
    .slice(0, MAX_LISTED)
    .flatMap((value, index) => [...(index === 0 ? [] : [', ']), quote(value)]);
}

const MAX_LISTED = 100;

/** Returns the type of a JSON value. */
export function jsonType(value: unknown): JsonType {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'object';
}
