import type { ReferenceId } from '../checks/plan.ts';

/**
 * What a service was expected to do, or what it did: literal words of ours, and
 * typed values between them. Each output turns it into words; what makes two
 * findings one cause follows from the words and the kinds of the values.
 */
export type Statement = readonly Part[];
export type Part = string | Value;

/** A value in a statement. */
export type Value =
  /** An amount in base units; its token by reference id or by address. */
  | { readonly kind: 'amount'; readonly units: bigint; readonly token?: TokenName | undefined }
  /** A status code: different ones are different causes. */
  | { readonly kind: 'status'; readonly status: number | undefined }
  /** A count, a price, a percentage. */
  | { readonly kind: 'number'; readonly number: number | bigint }
  /** An account, a token or a pool. */
  | { readonly kind: 'address'; readonly address: string }
  /** A value that the service sent, as JSON. Only its beginning is kept. */
  | {
      readonly kind: 'json';
      readonly type: JsonType;
      readonly text: string;
    }
  /** A text that is not of the rules: why a transaction reverted, why no reply came. */
  | { readonly kind: 'text'; readonly text: string }
  /** Circumstances that are shown, and distinguish no causes. */
  | { readonly kind: 'note'; readonly text: string };

export type TokenName = { readonly referenceId: ReferenceId } | { readonly address: string };
type JsonType = 'string' | 'number' | 'true' | 'false' | 'null' | 'array' | 'object' | 'nothing';

/**
 * Tags a template as a statement. Texts between the words must be literals of
 * the program; what a service sent is a typed value. A bigint is an amount.
 *
 * @example
 * words`at least ${5_000n} received, not ${quote(value)}`
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

/** Rejects a string that is no literal, as texts of a service are. */
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

/** Returns a count of something other than tokens. */
export function count(number: number | bigint): Value {
  return { kind: 'number', number };
}

export function statusCode(status: number | undefined): Value {
  return { kind: 'status', status };
}

export function account(address: string): Value {
  return { kind: 'address', address };
}

/** Returns a text that is not of the rules. */
export function reason(text: string): Value {
  return { kind: 'text', text };
}

/** Returns a text of the program's own whose type does not show that it is a literal. */
export function ownWords(text: string): Statement {
  return [text];
}

export function note(text: string): Value {
  return { kind: 'note', text };
}

/** Characters of a value's JSON that are kept: more than are shown, so that an API key is not cut. */
const MAX_JSON = 6_000;

/** Returns a value that the service sent. */
export function quote(value: unknown): Value {
  const whole = JSON.stringify(value) ?? 'nothing';
  return { kind: 'json', type: jsonType(value), text: beginningOf(whole) };
}

/** Returns values that the service sent, with commas between them. */
export function quoteAll(values: readonly unknown[]): Statement {
  return values
    .slice(0, MAX_LISTED)
    .flatMap((value, index) => [...(index === 0 ? [] : [', ']), quote(value)]);
}

const MAX_LISTED = 100;

/** Copied: a slice would hold the whole of a large body in memory. */
function beginningOf(text: string): string {
  if (text.length <= MAX_JSON) return text;
  return Buffer.from(text.slice(0, MAX_JSON), 'utf16le').toString('utf16le');
}

function jsonType(value: unknown): JsonType {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'object';
}

/**
 * Returns what distinguishes one cause from another in a statement: its words,
 * statuses and the kinds of its values, but neither amounts nor addresses.
 *
 * @example
 * statementKey(words`at least ${amount(5_000n)} received`) // 'at least <amount> received'
 */
export function statementKey(statement: Statement): string {
  return statement.map(partKey).join('');
}

function partKey(part: Part): string {
  if (typeof part === 'string') return part;
  switch (part.kind) {
    case 'status':
      return String(part.status ?? 'no reply');
    case 'json':
      return `<${part.type}>`;
    case 'text':
      // Reasons differ by their words: amounts, addresses and times in them are not told apart.
      return part.text.slice(0, 200).replace(/0x[0-9a-f]*|[0-9][0-9.,]*/gi, '#');
    case 'note':
      return '';
    default:
      return `<${part.kind}>`;
  }
}
