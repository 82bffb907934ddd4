import type { Query } from '../client/request.ts';
import { parameterIn, RECIPIENT_ADDRESS, setParameter } from './trades.ts';
import {
  absence,
  addressSpelledOddly,
  beyondUint256,
  booleanSpelledOddly,
  inBrackets,
  integerSpelledOddly,
  notABoolean,
  notAnAddress,
  notAnAmount,
  notAnInteger,
  repetition,
  type Violation,
  violationsOf,
} from './violations.ts';

/** "Returns the supported chains": of another there is nothing to tell. */
const unknownChain = (name: string) =>
  violationsOf(
    name,
    'must',
    [
      ['zero', () => ['0']],
      ['negative', (valid) => [`-${valid}`]],
      ['of a chain that is not in /chains', () => ['987654321987']],
      ['2^32 above one that is', (valid) => [String(BigInt(valid || 1) + (1n << 32n))]],
      ['of forty digits', () => ['9'.repeat(40)]],
    ],
    'not-200',
  );

/** Of a chain id, unknown chains among them: which status says so is left open. */
export const chainViolations: readonly Violation[] = [
  ...violationsOf('chainId', 'must', [...absence, ...notAnInteger]),
  ...unknownChain('chainId'),
  ...violationsOf('chainId', 'observe', [
    ...integerSpelledOddly,
    ['in hex', (valid) => [`0x${Number(valid).toString(16)}`]],
    ['with an exponent', (valid) => [`${valid}e0`]],
  ]),
  inBrackets('chainId'),
  ...violationsOf('chainId', 'observe', repetition()),
];

export const tokenViolations = (name: string): readonly Violation[] => [
  ...violationsOf(name, 'must', [...absence, ...notAnAddress]),
  ...violationsOf(name, 'observe', addressSpelledOddly),
  inBrackets(name),
  ...violationsOf(name, 'observe', repetition()),
];

export const amountViolations = (name: string): readonly Violation[] => [
  ...violationsOf(name, 'must', [['empty', () => ['']], ...notAnAmount]),
  ...violationsOf(name, 'observe', integerSpelledOddly),
  inBrackets(name),
  ...violationsOf(name, 'observe', beyondUint256, 'not-200'),
  ...violationsOf(name, 'observe', repetition()),
];

export const booleanViolations = (name: string): readonly Violation[] => [
  ...violationsOf(name, 'must', notABoolean),
  ...violationsOf(name, 'observe', booleanSpelledOddly),
  ...violationsOf(name, 'observe', repetition('false')),
];

/** Of the address of a wallet: with calldata made for none, what is bought is lost. */
export const walletViolations = (name: string): readonly Violation[] => [
  ...violationsOf(name, 'must', notAnAddress),
  ...violationsOf(name, 'observe', [...addressSpelledOddly, ...repetition()]),
];

/** Sets both amounts; undefined leaves what stands there. */
function setAmounts(query: Query, sellAmount: string[] | undefined, buyAmount = sellAmount): Query {
  const sold = sellAmount === undefined ? query : setParameter(query, 'sellAmount', sellAmount);
  return buyAmount === undefined ? sold : setParameter(sold, 'buyAmount', buyAmount);
}

function amountsGiven(
  what: string,
  level: Violation['level'],
  change: (given: string) => readonly [sellAmount: string[], buyAmount: string[]],
): Violation {
  return {
    what,
    level,
    answer: 'refused',
    change: (query) =>
      setAmounts(
        query,
        ...change(parameterIn(query, 'sellAmount') || parameterIn(query, 'buyAmount')),
      ),
  };
}

/** Market makers are often asked by code of its own. */
function withRfq({ what, change, ...rest }: Violation): Violation {
  return {
    ...rest,
    what: `${what} with \`useRfq=true\``,
    change: (query) => change(setParameter(query, 'useRfq', ['true'])),
  };
}

/** Of 4.1 rule 1. A zero is given all the same; whether an empty amount is, beside a whole one, is not said. */
export const amountsTogether: readonly Violation[] = [
  amountsGiven('both `sellAmount` and `buyAmount`', 'must', (given) => [[given], ['1000000']]),
  withRfq(amountsGiven('both amounts', 'must', (given) => [[given], ['1000000']])),
  amountsGiven('one amount as both', 'must', (given) => [[given], [given]]),
  amountsGiven('`sellAmount` beside a `buyAmount` of 0', 'must', (given) => [[given], ['0']]),
  amountsGiven('`buyAmount` beside a `sellAmount` of 0', 'must', (given) => [['0'], [given]]),
  amountsGiven('`sellAmount` beside a `buyAmount` of undefined', 'must', (given) => [
    [given],
    ['undefined'],
  ]),
  amountsGiven('`buyAmount` beside a `sellAmount` of undefined', 'must', (given) => [
    ['undefined'],
    [given],
  ]),
  ...['-1', 'null'].flatMap((broken) => [
    amountsGiven(`\`sellAmount\` beside a \`buyAmount\` of ${broken}`, 'must', (given) => [
      [given],
      [broken],
    ]),
    amountsGiven(`\`buyAmount\` beside a \`sellAmount\` of ${broken}`, 'must', (given) => [
      [broken],
      [given],
    ]),
  ]),
  amountsGiven('both amounts empty', 'must', () => [[''], ['']]),
  amountsGiven('neither `sellAmount` nor `buyAmount`', 'must', () => [[], []]),
  amountsGiven('`sellAmount` beside an empty `buyAmount`', 'observe', (given) => [[given], ['']]),
];

/** Of 4.1 rule 2: parameters left out, or given without a value. */
export const calldataNeeds: readonly Violation[] = [
  ...[['userAddress'], ['slippageTolerance'], ['userAddress', 'slippageTolerance']].map(
    (names): Violation => ({
      what: `\`includeCalldata=true\` without ${names.map((name) => `\`${name}\``).join(' and ')}`,
      ...{ level: 'must', answer: 'refused' },
      change: (query) => names.reduce((rest, name) => setParameter(rest, name, []), query),
    }),
  ),
  {
    what: '`includeCalldata=true` with a `recipientAddress` for `userAddress`',
    ...{ level: 'must', answer: 'refused' },
    change: (query) =>
      setParameter(setParameter(query, 'userAddress', []), 'recipientAddress', [RECIPIENT_ADDRESS]),
  },
  ...['userAddress', 'slippageTolerance'].map(
    (name): Violation => ({
      what: `\`includeCalldata=true\` with an empty \`${name}\``,
      ...{ level: 'must', answer: 'refused' },
      change: (query) => setParameter(query, name, ['']),
    }),
  ),
];

/** What refuses one broken parameter may stumble over two. */
export const twoAtOnce: readonly Violation[] = violationsOf('chainId', 'must', notAnInteger).map(
  (first, index): Violation => {
    const amounts = violationsOf('sellAmount', 'must', notAnAmount);
    const second = amounts[index % amounts.length] ?? first;
    return {
      what: `${first.what} and ${second.what}`,
      level: 'must',
      answer: 'refused',
      change: (query) => second.change(first.change(query)),
    };
  },
);
