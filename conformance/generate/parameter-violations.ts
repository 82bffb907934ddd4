import { type Query, setParameter } from './trades.ts';
import {
  absence,
  addressSpelledOddly,
  beyondUint256,
  booleanSpelledOddly,
  integerSpelledOddly,
  notABoolean,
  notAnAddress,
  notAnAmount,
  notAnInteger,
  repetition,
  type Violation,
  violationsOf,
} from './violations.ts';

const unknownChain = (name: string) =>
  violationsOf(
    name,
    'should',
    [
      ['zero', () => ['0']],
      ['negative', (valid) => [`-${valid}`]],
      ['of a chain that is not in /chains', () => ['987654321987']],
      ['of forty digits', () => ['9'.repeat(40)]],
    ],
    'not-200',
  );

/** Of a chain id, unknown chains among them: which status says so is left open. */
export const chainViolations: readonly Violation[] = [
  ...violationsOf('chainId', 'must', [...absence, ...notAnInteger]),
  ...violationsOf('chainId', 'should', [
    ...integerSpelledOddly,
    ['in hex', (valid) => [`0x${Number(valid).toString(16)}`]],
    ['with an exponent', (valid) => [`${valid}e0`]],
  ]),
  ...unknownChain('chainId'),
  ...violationsOf('chainId', 'observe', repetition),
];

/** Of a token address. */
export const tokenViolations = (name: string): readonly Violation[] => [
  ...violationsOf(name, 'must', [...absence, ...notAnAddress]),
  ...violationsOf(name, 'should', addressSpelledOddly),
  ...violationsOf(name, 'observe', repetition),
];

/** Of an amount. */
export const amountViolations = (name: string): readonly Violation[] => [
  ...violationsOf(name, 'must', [['empty', () => ['']], ...notAnAmount]),
  ...violationsOf(name, 'should', integerSpelledOddly),
  ...violationsOf(name, 'should', beyondUint256, 'not-200'),
  ...violationsOf(name, 'observe', repetition),
];

/** Of a boolean. */
export const booleanViolations = (name: string): readonly Violation[] => [
  ...violationsOf(name, 'must', notABoolean),
  ...violationsOf(name, 'should', booleanSpelledOddly),
  ...violationsOf(name, 'observe', repetition),
];

/** Nothing is said of these addresses but whose they are: refusing a malformed one is a should. */
export const walletViolations = (name: string): readonly Violation[] => [
  ...violationsOf(name, 'should', notAnAddress),
  ...violationsOf(name, 'observe', [...addressSpelledOddly, ...repetition]),
];

/** Of 4.1 rule 1. */
export const both: Violation = {
  what: 'both `sellAmount` and `buyAmount`',
  level: 'must',
  answer: 'refused',
  change: (query) => setParameter(query, 'buyAmount', ['1000000']),
};

/** Of 4.1 rule 1. */
export const neither: Violation = {
  what: 'neither `sellAmount` nor `buyAmount`',
  level: 'must',
  answer: 'refused',
  change: (query) => setParameter(query, 'sellAmount', []),
};

/** Whether an empty amount counts as given is not said. */
/** Of 4.1 rule 2: a parameter without a value. */
export const emptyBeside: Violation = {
  what: '`sellAmount` beside an empty `buyAmount`',
  level: 'observe',
  answer: 'refused',
  change: (query) => setParameter(query, 'buyAmount', ['']),
};

/** Of 4.1 rule 2: parameters left out. */
export const calldataWithout = (...names: readonly string[]): Violation => ({
  what: `\`includeCalldata=true\` without ${names.map((name) => `\`${name}\``).join(' and ')}`,
  level: 'must',
  answer: 'refused',
  change: (query: Query) => names.reduce((rest, name) => setParameter(rest, name, []), query),
});

export const empty = (name: string): Violation => ({
  what: `\`includeCalldata=true\` with an empty \`${name}\``,
  level: 'must',
  answer: 'refused',
  change: (query) => setParameter(query, name, ['']),
});

/** What refuses one broken parameter may stumble over two. */
export const twoAtOnce: readonly Violation[] = violationsOf('chainId', 'must', notAnInteger).map(
  (first, index): Violation => {
    const amounts = violationsOf('sellAmount', 'must', notAnAmount);
    const second = amounts[index % amounts.length] ?? neither;
    return {
      what: `${first.what} and ${second.what}`,
      level: 'must',
      answer: 'refused',
      change: (query) => second.change(first.change(query)),
    };
  },
);
