import { fixedAmount, parameterOf, type Query } from '../client/request.ts';
import type { Level } from '../model/rule.ts';
import { RECIPIENT_ADDRESS, setParameter } from './trades.ts';

/*
 * This file lists every way to break a rule on a parameter, and nothing else. Tables of values come
 * first, then the parameters.
 */

/**
 * One way to break a rule on a parameter. The level depends on how clearly the value breaks the
 * rule. `must`: no reading of the rule allows the value. `should`: the rule forbids the value, but
 * the value does no harm. `observe`: the value is arguable, so the service's behavior is only
 * recorded. Either a lenient parser reads a valid value (`+1`, `True`), or the specification is
 * silent (a repeated parameter).
 */
export type Violation = {
  /** Identifies the violation within its parameter. The id is independent of the wording. */
  readonly id: string;
  readonly what: string;
  readonly level: Level;
  /** The expected reply: 400 with an Error, or any reply but a plan. */
  readonly expected: 'rejected' | 'not-200';
  readonly change: (query: Query) => Query;
};

export type Parameter = {
  /** First part of the rule ids: `swap/sell-amount`. */
  readonly slug: string;
  readonly clause: string;
  /** The faulty input, for titles: 'a `useRfq` that is not a boolean'. */
  readonly broken: string;
  /** The subject of the rules, if it is not the parameter in the clause. */
  readonly names?: string;
  /**
   * The valid requests to break: lookups, or trades in each form. `swap` is any trade; `plain` has
   * no calldata.
   */
  readonly base:
    | 'swap'
    | 'exact-input'
    | 'exact-output'
    | 'calldata'
    | 'plain'
    | 'tokens'
    | 'chainInfo';
  readonly violations: readonly Violation[];
  /** Reason for the rule of level `should`. */
  readonly because?: string;
  /**
   * True if the violations are malformed 20-byte hex, which only fits chains with such addresses.
   */
  readonly onHexChainsOnly?: boolean;
};

/** One value or several that replace the valid value. Without values, the parameter is removed. */
type Values = string | readonly string[];
type ViolationRow = readonly [
  id: string,
  what: string,
  values: Values | ((valid: string) => Values),
  expected?: Violation['expected'],
];

function violations(
  name: string,
  rows: Partial<Readonly<Record<Level, readonly ViolationRow[]>>>,
): readonly Violation[] {
  return (['must', 'should', 'observe'] as const).flatMap((level) =>
    (rows[level] ?? []).map(([id, what, values, expected = 'rejected']) => ({
      id,
      what: `\`${name}\` ${what}`,
      level,
      expected,
      change: (query) => {
        const valid = parameterOf(query, name) ?? '';
        const given = typeof values === 'function' ? values(valid) : values;
        return setParameter(query, name, [given].flat());
      },
    })),
  );
}

/** Some parsers read `name[]` as a list. For all other parsers, the parameter is missing. */
function inBrackets(name: string): Violation {
  return {
    id: 'in-brackets',
    what: `\`${name}[]\` for \`${name}\``,
    level: 'observe',
    expected: 'rejected',
    change: (query) =>
      query.map(([each, value]) => [each === name ? `${name}[]` : each, value] as const),
  };
}

const ABSENCE: readonly ViolationRow[] = [
  ['missing', 'missing', []],
  ['empty', 'empty', ''],
];

/**
 * The specification does not state which of two values counts. If the request has no value, `usual`
 * is repeated.
 */
const repetition = (usual = ''): readonly ViolationRow[] => [
  [
    'given-twice-with-one-value',
    'given twice with the same value',
    (valid) => [valid || usual, valid || usual],
  ],
  [
    'given-twice-second-time-broken',
    'given twice, with a broken second value',
    (valid) => [valid || usual, '?'],
  ],
];

/** Texts that programs write for a missing value. */
const TEXTS_FOR_NO_VALUE: readonly ViolationRow[] = [
  ['undefined', 'as the text `undefined`', 'undefined'],
  ['null', 'as the text `null`', 'null'],
];

const NOT_AN_INTEGER: readonly ViolationRow[] = [
  ...TEXTS_FOR_NO_VALUE,
  ['word', 'a word', 'one'],
  ['fraction', 'a fraction', (valid) => `${valid}.5`],
  ['digits-then-letters', 'digits, then letters', (valid) => `${valid}abc`],
  ['digits-then-nul', 'digits, then NUL', (valid) => `${valid}\u0000`],
  ['nan', 'as the text `NaN`', 'NaN'],
  ['infinity', 'as the text `Infinity`', 'Infinity'],
  ['json-array', 'a JSON array', (valid) => `[${valid}]`],
  ['two-numbers', 'two numbers', (valid) => `${valid},${valid}`],
];

/** Texts that lenient parsers read as the integer. */
const LENIENT_INTEGERS: readonly ViolationRow[] = [
  ['with-plus-sign', 'with a plus sign', (valid) => `+${valid}`],
  ['padded-with-zeros', 'padded with zeros', (valid) => `00${valid}`],
  ['after-space', 'after a space', (valid) => ` ${valid}`],
  ['before-space', 'before a space', (valid) => `${valid} `],
  ['before-line-feed', 'followed by a line feed', (valid) => `${valid}\n`],
  ['with-fraction-of-zero', 'with a fraction of zero', (valid) => `${valid}.0`],
  ['with-bare-point', 'with a trailing point', (valid) => `${valid}.`],
  ['in-arabic-indic-digits', 'in Arabic-Indic digits', (valid) => inDigitsFrom(valid, 0x0660)],
  ['in-full-width-digits', 'in full-width digits', (valid) => inDigitsFrom(valid, 0xff10)],
];

function inDigitsFrom(text: string, zero: number): string {
  return text.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

/** The specification does not define the status for an unknown chain. */
const UNKNOWN_CHAINS: readonly ViolationRow[] = [
  ['zero', 'zero', '0', 'not-200'],
  ['negative', 'negative', (valid) => `-${valid}`, 'not-200'],
  [
    'of-chain-that-is-not-in-chains',
    'of a chain that is not in /chains',
    '987654321987',
    'not-200',
  ],
  [
    '2-to-32-above',
    '2^32 above an id in /chains',
    (valid) => String(BigInt(valid || 1) + (1n << 32n)),
    'not-200',
  ],
  ['of-forty-digits', 'with forty digits', '9'.repeat(40), 'not-200'],
];

const CHAIN_ID: readonly Violation[] = [
  ...violations('chainId', {
    must: [...ABSENCE, ...NOT_AN_INTEGER, ...UNKNOWN_CHAINS],
    observe: [
      ...LENIENT_INTEGERS,
      ['in-hex', 'in hex', (valid) => `0x${Number(valid).toString(16)}`],
      ['with-exponent', 'with an exponent', (valid) => `${valid}e0`],
      ...repetition(),
    ],
  }),
  inBrackets('chainId'),
];

/** "Amounts are decimal strings": an amount has no other format, and is positive. */
const NOT_AN_AMOUNT: readonly ViolationRow[] = [
  ...NOT_AN_INTEGER,
  ['zero', 'zero', '0'],
  ['zero-in-two-digits', 'zero as two digits', '00'],
  ['negative', 'negative', (valid) => `-${valid}`],
  ['minus-one', 'minus one', '-1'],
  ['in-hex', 'in hex', (valid) => `0x${BigInt(valid || 1).toString(16)}`],
  ['with-exponent', 'with an exponent', (valid) => `${valid}e0`],
  ['below-one', 'below one', '0.5'],
  ['with-separators', 'with separators', (valid) => `${valid}_000`],
  [
    'two-numbers-separated-by-space',
    'two numbers separated by a space',
    (valid) => `${valid} ${valid}`,
  ],
];

const amount = (name: string): readonly Violation[] => [
  ...violations(name, {
    must: [['empty', 'empty', ''], ...NOT_AN_AMOUNT],
    observe: [
      ...LENIENT_INTEGERS,
      // Positive integers that no token contract can hold.
      ['2-to-256', '2^256', String(1n << 256n), 'not-200'],
      ['of-300-digits', 'with 300 digits', '9'.repeat(300), 'not-200'],
      ...repetition(),
    ],
  }),
  inBrackets(name),
];

const NOT_AN_ADDRESS: readonly ViolationRow[] = [
  ...TEXTS_FOR_NO_VALUE,
  ['word', 'a word', 'token'],
  ['symbol', 'a symbol', 'ETH'],
  ['short-zero', 'a short zero', '0x0'],
  ['padded-to-32-bytes', 'padded to 32 bytes', (valid) => `0x${valid.slice(2).padStart(64, '0')}`],
  ['digit-short', 'one digit too short', (valid) => valid.slice(0, -1)],
  ['digit-long', 'one digit too long', (valid) => `${valid}0`],
  [
    'with-letter-that-is-not-hex-digit',
    'with a letter that is not a hex digit',
    (valid) => `${valid.slice(0, -1)}g`,
  ],
  ['only-0x', 'with only 0x', '0x'],
  ['before-nul', 'before NUL', (valid) => `${valid}\u0000`],
  ['two-addresses', 'two addresses', (valid) => `${valid},${valid}`],
];

/** Texts that lenient parsers read as the address. */
const LENIENT_ADDRESSES: readonly ViolationRow[] = [
  ['without-0x', 'without 0x', (valid) => valid.slice(2)],
  ['with-0-x-capital', 'with 0X', (valid) => `0X${valid.slice(2)}`],
  ['after-space', 'after a space', (valid) => ` ${valid}`],
  ['before-space', 'before a space', (valid) => `${valid} `],
  ['before-line-feed', 'followed by a line feed', (valid) => `${valid}\n`],
];

const token = (name: string): readonly Violation[] => [
  ...violations(name, {
    must: [...ABSENCE, ...NOT_AN_ADDRESS],
    observe: [...LENIENT_ADDRESSES, ...repetition()],
  }),
  inBrackets(name),
];

/** With calldata for a wrong account, the client loses the bought tokens. */
const WALLET_VIOLATIONS = {
  must: NOT_AN_ADDRESS,
  observe: [...LENIENT_ADDRESSES, ...repetition()],
};

const BOOLEAN: Parameters<typeof violations>[1] = {
  must: [
    ...TEXTS_FOR_NO_VALUE,
    ['word', 'a word', 'maybe'],
    ['number-above-one', 'a number above one', '2'],
    ['json-array', 'a JSON array', '[true]'],
    ['two-values', 'two values', 'true,false'],
  ],
  observe: [
    ['empty', 'empty', ''],
    ['as-1', 'as 1', '1'],
    ['as-0', 'as 0', '0'],
    ['as-true-capital', 'as True', 'True'],
    ['as-false-capitals', 'as FALSE', 'FALSE'],
    ['as-yes', 'as yes', 'yes'],
    ['after-space', 'after a space', (valid) => ` ${valid || 'true'}`],
    ['before-line-feed', 'followed by a line feed', (valid) => `${valid || 'true'}\n`],
    ...repetition('false'),
  ],
};

const NOT_A_TOLERANCE: readonly ViolationRow[] = [
  ...TEXTS_FOR_NO_VALUE,
  ['step-below-0', 'a step below 0', '-0.0001'],
  ['step-above-1', 'a step above 1', '1.0001'],
  ['less-than-step-above-1', 'above 1 by less than a step', '1.00001'],
  ['half-step', 'half a step', '0.00005'],
  ['between-two-steps', 'between two steps', '0.01005'],
  ['half-step-below-1', 'half a step below 1', '0.99995'],
  ['off-its-step-by-1e-8', 'off a step by 1e-8', '0.01000001'],
  ['percent', 'with a percent sign', '1%'],
  ['two', 'two', '2'],
  ['minus-one', 'minus one', '-1'],
  ['word', 'a word', 'low'],
  ['nan', 'as the text `NaN`', 'NaN'],
  ['infinity', 'as the text `Infinity`', 'Infinity'],
  ['with-comma', 'with a comma', '0,01'],
  ['digits-then-letters', 'digits, then letters', '0.01abc'],
];

const LENIENT_TOLERANCES: readonly ViolationRow[] = [
  ['in-hex', 'in hex', '0x1'],
  ['after-space', 'after a space', ' 0.01'],
  ['before-line-feed', 'followed by a line feed', '0.01\n'],
  ['with-plus-sign', 'with a plus sign', '+0.01'],
  ['off-its-step-by-1e-14', 'off a step by 1e-14', '0.01000000000001'],
  // The rule permits these formats, but a strict parser may reject them.
  ['with-exponent', 'with an exponent', '1e-2'],
  ['without-its-zero', 'without a leading zero', '.01'],
  ['with-trailing-zeros', 'with trailing zeros', '0.010000'],
  ['as-minus-zero', 'as minus zero', '-0'],
  ['as-1-0', 'as 1.0', '1.0'],
];

type Amounts = readonly [sellAmount: readonly string[], buyAmount: readonly string[]];

function bothAmounts(
  id: string,
  what: string,
  amounts: (given: string) => Amounts,
  others: Partial<Violation> & { readonly useRfq?: string } = {},
): Violation {
  const { useRfq, ...rest } = others;
  return {
    id,
    what,
    level: 'must',
    expected: 'rejected',
    change: (query) => {
      const given = parameterOf(query, fixedAmount(query)) ?? '';
      const [sellAmount, buyAmount] = amounts(given);
      const base = useRfq === undefined ? query : setParameter(query, 'useRfq', [useRfq]);
      return setParameter(setParameter(base, 'sellAmount', sellAmount), 'buyAmount', buyAmount);
    },
    ...rest,
  };
}

/**
 * Violations of 4.1 rule 1. Zero counts as an amount. The specification leaves open whether an
 * empty amount next to a valid amount counts.
 */
const AMOUNTS_TOGETHER: readonly Violation[] = [
  bothAmounts('both', 'both `sellAmount` and `buyAmount`', (given) => [[given], ['1000000']]),
  // Services often use separate code for requests with market makers' liquidity.
  bothAmounts(
    'both-with-rfq',
    'both amounts with `useRfq=true`',
    (given) => [[given], ['1000000']],
    {
      useRfq: 'true',
    },
  ),
  bothAmounts('one-as-both', 'the same amount as both `sellAmount` and `buyAmount`', (given) => [
    [given],
    [given],
  ]),
  ...['0', 'undefined', '-1', 'null'].flatMap((broken) => [
    bothAmounts(
      `buy-${broken}`,
      `\`sellAmount\` with a \`buyAmount\` of \`${broken}\``,
      (given) => [[given], [broken]],
    ),
    bothAmounts(
      `sell-${broken}`,
      `\`buyAmount\` with a \`sellAmount\` of \`${broken}\``,
      (given) => [[broken], [given]],
    ),
  ]),
  bothAmounts('both-empty', 'both amounts empty', () => [[''], ['']]),
  bothAmounts('neither', 'neither `sellAmount` nor `buyAmount`', () => [[], []]),
  bothAmounts('buy-empty', '`sellAmount` with an empty `buyAmount`', (given) => [[given], ['']], {
    level: 'observe',
  }),
];

function invalidCalldataRequest(
  id: string,
  what: string,
  changes: Readonly<Record<string, readonly string[]>>,
): Violation {
  return {
    id,
    what: `\`includeCalldata=true\` ${what}`,
    level: 'must',
    expected: 'rejected',
    change: (query) =>
      Object.entries(changes).reduce(
        (rest, [name, values]) => setParameter(rest, name, values),
        query,
      ),
  };
}

const MISSING_CALLDATA_PARAMETERS: readonly Violation[] = [
  invalidCalldataRequest('no-user', 'without `userAddress`', { userAddress: [] }),
  invalidCalldataRequest('no-tolerance', 'without `slippageTolerance`', { slippageTolerance: [] }),
  invalidCalldataRequest('neither', 'without `userAddress` and `slippageTolerance`', {
    userAddress: [],
    slippageTolerance: [],
  }),
  invalidCalldataRequest('recipient-for-user', 'with a `recipientAddress` for `userAddress`', {
    userAddress: [],
    recipientAddress: [RECIPIENT_ADDRESS],
  }),
  invalidCalldataRequest('empty-user', 'with an empty `userAddress`', { userAddress: [''] }),
  invalidCalldataRequest('empty-tolerance', 'with an empty `slippageTolerance`', {
    slippageTolerance: [''],
  }),
];

/** A service that rejects either broken parameter may still fail if both are broken. */
const TWO_AT_ONCE = violations('chainId', { must: NOT_AN_INTEGER }).map(
  (first, index): Violation => {
    const amounts = violations('sellAmount', { must: NOT_AN_AMOUNT });
    const second = amounts[index % amounts.length] ?? first;
    return {
      id: `${first.id}-and-${second.id}`,
      what: `${first.what} and ${second.what}`,
      level: 'must',
      expected: 'rejected',
      change: (query) => second.change(first.change(query)),
    };
  },
);

/** The one table of parameter rules. @see Specification 4 */
export const PARAMETERS: readonly Parameter[] = [
  {
    slug: 'swap/chain-id',
    clause: '4.1 chainId',
    broken: 'a `chainId` that is missing or not an integer',
    base: 'swap',
    violations: CHAIN_ID,
  },
  {
    slug: 'swap/sell-token',
    clause: '4.1 sellToken',
    broken: 'a `sellToken` that is missing or not a token address',
    base: 'swap',
    violations: token('sellToken'),
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/buy-token',
    clause: '4.1 buyToken',
    broken: 'a `buyToken` that is missing or not a token address',
    base: 'swap',
    violations: token('buyToken'),
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/sell-amount',
    clause: '4.1 sellAmount',
    broken: 'a `sellAmount` that is not a positive integer in base units',
    base: 'exact-input',
    violations: amount('sellAmount'),
  },
  {
    slug: 'swap/buy-amount',
    clause: '4.1 buyAmount',
    broken: 'a `buyAmount` that is not a positive integer in base units',
    base: 'exact-output',
    violations: amount('buyAmount'),
  },
  {
    slug: 'swap/exactly-one-amount',
    clause: '4.1 rule 1',
    names: '`sellAmount` with `buyAmount`',
    broken: 'both or neither of `sellAmount` and `buyAmount`',
    base: 'swap',
    violations: AMOUNTS_TOGETHER,
  },
  {
    slug: 'swap/invalid-parameters',
    clause: '4.1 rule 6',
    broken: 'two broken parameters at once',
    base: 'exact-input',
    violations: TWO_AT_ONCE,
  },
  {
    slug: 'swap/use-rfq',
    clause: '4.1 useRfq',
    broken: 'a `useRfq` that is not a boolean',
    base: 'swap',
    violations: violations('useRfq', BOOLEAN),
  },
  {
    slug: 'swap/router',
    clause: '4.1 router',
    broken: 'a `router` that is none of the three names',
    base: 'swap',
    violations: violations('router', {
      must: [
        ...TEXTS_FOR_NO_VALUE,
        ['of-no-router', 'that names no router', 'no-such-router'],
        [
          'part-of-name',
          'with a part of a name',
          (valid) => [(valid || 'default-router').replace('-router', '')],
        ],
        ['two-names', 'two names', 'default-router,universal-router'],
      ],
      observe: [
        ['empty', 'empty', ''],
        ['in-capitals', 'in capitals', 'DEFAULT-ROUTER'],
        ['in-camel-case', 'in camel case', 'defaultRouter'],
        ['after-space', 'after a space', ' default-router'],
        ['before-line-feed', 'followed by a line feed', 'default-router\n'],
        ...repetition('default-router'),
      ],
    }),
  },
  {
    slug: 'swap/include-calldata',
    clause: '4.1 includeCalldata',
    broken: 'an `includeCalldata` that is not a boolean',
    base: 'calldata',
    violations: violations('includeCalldata', BOOLEAN),
  },
  {
    slug: 'swap/calldata-needs',
    clause: '4.1 rule 2',
    broken: '`includeCalldata=true` without `userAddress` or `slippageTolerance`',
    base: 'calldata',
    violations: MISSING_CALLDATA_PARAMETERS,
  },
  {
    slug: 'swap/user-address',
    clause: '4.1 userAddress',
    broken: 'a `userAddress` that is not a wallet address',
    base: 'calldata',
    violations: violations('userAddress', WALLET_VIOLATIONS),
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/recipient-address',
    clause: '4.1 recipientAddress',
    broken: 'a `recipientAddress` that is not an address',
    base: 'calldata',
    violations: violations('recipientAddress', {
      ...WALLET_VIOLATIONS,
      observe: [...WALLET_VIOLATIONS.observe, ['empty', 'empty', '']],
    }).map((violation) => ({
      ...violation,
      change: (query) =>
        violation.change(setParameter(query, 'recipientAddress', [RECIPIENT_ADDRESS])),
    })),
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/slippage-tolerance',
    clause: '4.1 slippageTolerance',
    broken: 'a `slippageTolerance` that is not 0 to 1 in steps of 0.0001',
    base: 'calldata',
    violations: violations('slippageTolerance', {
      must: NOT_A_TOLERANCE,
      observe: [...LENIENT_TOLERANCES, ...repetition()],
    }),
  },
  {
    slug: 'swap/slippage-tolerance-unused',
    clause: '4.1 slippageTolerance',
    broken: 'a `slippageTolerance` without calldata that is not 0 to 1 in steps of 0.0001',
    because: '"0 to 1, multiple of 0.0001" describes the parameter, with calldata and without.',
    base: 'plain',
    violations: violations('slippageTolerance', { should: NOT_A_TOLERANCE }),
  },
  {
    slug: 'tokens/requested-chain-id',
    clause: '4.2 chainId',
    broken: 'a `chainId` that is missing or not an integer',
    base: 'tokens',
    violations: CHAIN_ID,
  },
  {
    slug: 'chain-info/requested-chain-id',
    clause: '4.4 chainId',
    broken: 'a `chainId` that is missing or not an integer',
    base: 'chainInfo',
    violations: CHAIN_ID,
  },
];
