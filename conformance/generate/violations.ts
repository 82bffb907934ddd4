import type { Query } from '../client/request.ts';
import type { Level } from '../model/rule.ts';
import { parameterIn, setParameter } from './trades.ts';

/**
 * One way to break one rule of one parameter, and nothing else.
 *
 * Its level says how plainly it is broken. `must`: no reading of the rule
 * allows it. `should`: the rule forbids it, where it can do no harm. `observe`:
 * it is arguable, so what the service does is recorded: a lenient reader sees a
 * valid value in it (`+1`, `True`), or the specification is silent (a repeated
 * parameter).
 */
export type Violation = {
  readonly what: string;
  readonly level: Level;
  /** What answers it: 400 with an Error, or anything but a plan. */
  readonly answer: 'refused' | 'not-200';
  readonly change: (query: Query) => Query;
};

/** A row of the tables: what is wrong, and the values that stand for the parameter; none is left out. */
type Row = readonly [what: string, values: (valid: string) => readonly string[]];

/** Returns violations of one parameter from rows of what and values. */
export function violationsOf(
  name: string,
  level: Level,
  rows: readonly Row[],
  answer: Violation['answer'] = 'refused',
): readonly Violation[] {
  return rows.map(([what, values]) => ({
    what: `\`${name}\` ${what}`,
    level,
    answer,
    change: (query) => setParameter(query, name, values(parameterIn(query, name))),
  }));
}

/** Its name with brackets, as some readers spell lists: another name to all others, and so left out. */
export function inBrackets(name: string): Violation {
  return {
    what: `\`${name}[]\` for \`${name}\``,
    level: 'observe',
    answer: 'refused',
    change: (query) =>
      query.map(([each, value]) => [each === name ? `${name}[]` : each, value] as const),
  };
}

/** Left out, or there without a value. */
export const absence: readonly Row[] = [
  ['missing', () => []],
  ['empty', () => ['']],
];

/** Given twice: which of the two counts is not said. `usual` stands where a request has no value. */
export const repetition = (usual = ''): readonly Row[] => [
  ['given twice with one value', (valid) => [valid || usual, valid || usual]],
  ['given twice, the second time broken', (valid) => [valid || usual, '?']],
];

/** What a program writes where it has no value: a value all the same. */
const noValue: readonly Row[] = [
  ['undefined', () => ['undefined']],
  ['null', () => ['null']],
];

/** What no reader takes for an integer. */
export const notAnInteger: readonly Row[] = [
  ...noValue,
  ['a word', () => ['one']],
  ['a fraction', (valid) => [`${valid}.5`]],
  ['digits, then letters', (valid) => [`${valid}abc`]],
  ['digits, then NUL', (valid) => [`${valid}\u0000`]],
  ['NaN', () => ['NaN']],
  ['Infinity', () => ['Infinity']],
  ['a JSON array', (valid) => [`[${valid}]`]],
  ['two numbers', (valid) => [`${valid},${valid}`]],
];

/** What a lenient reader takes for the integer that is meant. */
export const integerSpelledOddly: readonly Row[] = [
  ['with a plus sign', (valid) => [`+${valid}`]],
  ['padded with zeros', (valid) => [`00${valid}`]],
  ['after a space', (valid) => [` ${valid}`]],
  ['before a space', (valid) => [`${valid} `]],
  ['before a line feed', (valid) => [`${valid}\n`]],
  ['with a fraction of zero', (valid) => [`${valid}.0`]],
  ['with a bare point', (valid) => [`${valid}.`]],
  ['in Arabic-Indic digits', (valid) => [inDigitsFrom(valid, 0x0660)]],
  ['in full-width digits', (valid) => [inDigitsFrom(valid, 0xff10)]],
];

/** "Amounts are decimal strings": an amount has no other notation, and is positive. */
export const notAnAmount: readonly Row[] = [
  ...notAnInteger,
  ['zero', () => ['0']],
  ['zero in two digits', () => ['00']],
  ['negative', (valid) => [`-${valid}`]],
  ['minus one', () => ['-1']],
  ['in hex', (valid) => [`0x${BigInt(valid || 1).toString(16)}`]],
  ['with an exponent', (valid) => [`${valid}e0`]],
  ['below one', () => ['0.5']],
  ['with separators', (valid) => [`${valid}_000`]],
  ['two numbers apart', (valid) => [`${valid} ${valid}`]],
];

/** What no token holds, though it is a positive integer. */
export const beyondUint256: readonly Row[] = [
  ['2^256', () => [String(1n << 256n)]],
  ['of 300 digits', () => ['9'.repeat(300)]],
];

/** What neither `true` nor `false` can be read from. */
export const notABoolean: readonly Row[] = [
  ...noValue,
  ['a word', () => ['maybe']],
  ['a number above one', () => ['2']],
  ['a JSON array', () => ['[true]']],
  ['two values', () => ['true,false']],
];

/** What lenient readers take for a boolean. */
export const booleanSpelledOddly: readonly Row[] = [
  ['empty', () => ['']],
  ['as 1', () => ['1']],
  ['as 0', () => ['0']],
  ['as True', () => ['True']],
  ['as FALSE', () => ['FALSE']],
  ['as yes', () => ['yes']],
  ['after a space', (valid) => [` ${valid || 'true'}`]],
  ['before a line feed', (valid) => [`${valid || 'true'}\n`]],
];

/** What no 20-byte hex address is. For chains of such addresses only. */
export const notAnAddress: readonly Row[] = [
  ...noValue,
  ['a word', () => ['token']],
  ['a symbol', () => ['ETH']],
  ['a short zero', () => ['0x0']],
  ['padded to 32 bytes', (valid) => [`0x${valid.slice(2).padStart(64, '0')}`]],
  ['a digit short', (valid) => [valid.slice(0, -1)]],
  ['a digit long', (valid) => [`${valid}0`]],
  ['with a letter that is no hex digit', (valid) => [`${valid.slice(0, -1)}g`]],
  ['0x alone', () => ['0x']],
  ['before NUL', (valid) => [`${valid}\u0000`]],
  ['two addresses', (valid) => [`${valid},${valid}`]],
];

/** What a lenient reader takes for the address that is meant. */
export const addressSpelledOddly: readonly Row[] = [
  ['without 0x', (valid) => [valid.slice(2)]],
  ['with 0X', (valid) => [`0X${valid.slice(2)}`]],
  ['after a space', (valid) => [` ${valid}`]],
  ['before a space', (valid) => [`${valid} `]],
  ['before a line feed', (valid) => [`${valid}\n`]],
];

/** Off the range of 0 to 1, off the steps of 0.0001, or no number. */
export const notATolerance: readonly Row[] = [
  ...noValue,
  ['a step below 0', () => ['-0.0001']],
  ['a step above 1', () => ['1.0001']],
  ['less than a step above 1', () => ['1.00001']],
  ['half a step', () => ['0.00005']],
  ['between two steps', () => ['0.01005']],
  ['half a step below 1', () => ['0.99995']],
  ['off its step by 1e-8', () => ['0.01000001']],
  ['a percent', () => ['1%']],
  ['two', () => ['2']],
  ['minus one', () => ['-1']],
  ['a word', () => ['low']],
  ['NaN', () => ['NaN']],
  ['Infinity', () => ['Infinity']],
  ['with a comma', () => ['0,01']],
  ['digits, then letters', () => ['0.01abc']],
];

/** A number to some readers. */
export const toleranceSpelledOddly: readonly Row[] = [
  ['in hex', () => ['0x1']],
  ['after a space', () => [' 0.01']],
  ['before a line feed', () => ['0.01\n']],
  ['with a plus sign', () => ['+0.01']],
  ['off its step by 1e-14', () => ['0.01000000000001']],
];

/** Spellings of numbers within the rule, which a strict reader may still refuse. */
export const toleranceSpelledRarely: readonly Row[] = [
  ['with an exponent', () => ['1e-2']],
  ['without its zero', () => ['.01']],
  ['with trailing zeros', () => ['0.010000']],
  ['as minus zero', () => ['-0']],
  ['as 1.0', () => ['1.0']],
];

export const notARouter: readonly Row[] = [
  ...noValue,
  ['of no router', () => ['no-such-router']],
  ['a part of a name', (valid) => [(valid || 'default-router').replace('-router', '')]],
  ['two names', () => ['default-router,universal-router']],
];

/** Names that a lenient reader takes for a router's. */
export const routerSpelledOddly: readonly Row[] = [
  ['empty', () => ['']],
  ['in capitals', () => ['DEFAULT-ROUTER']],
  ['in camel case', () => ['defaultRouter']],
  ['after a space', () => [' default-router']],
  ['before a line feed', () => ['default-router\n']],
];

function inDigitsFrom(text: string, zero: number): string {
  return text.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}
