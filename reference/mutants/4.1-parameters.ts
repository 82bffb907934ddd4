import { alterRequest } from './alter-request.ts';
import {
  ACCOUNT,
  absentAs,
  digitsOf,
  matching,
  mutantsOf,
  NATIVE,
  type Read,
  type Row,
  swapReads,
} from './lenient-reading.ts';
import type { Mutant } from './mutant.ts';

const chain: readonly Row[] = [
  [
    'swap/chain-id-optional',
    '4.1 chainId',
    'swap/chain-id',
    'a missing `chainId` means the first chain',
    swapReads('chainId', absentAs('31337')),
  ],
  [
    'swap/chain-id-cut-by-parse-int',
    '4.1 chainId',
    'swap/chain-id',
    '`chainId` is read up to its first letter',
    swapReads('chainId', matching(/^[0-9]+[a-z]+$/, digitsOf)),
  ],
  [
    'swap/chain-id-of-a-word',
    '4.1 chainId',
    'swap/chain-id',
    'a `chainId` that is no number means the first chain',
    swapReads(
      'chainId',
      matching(/^[A-Za-z]+$/, () => '31337'),
    ),
  ],
  [
    'swap/chain-id-rounded',
    '4.1 chainId',
    'swap/chain-id',
    'a fraction in `chainId` is cut off',
    swapReads('chainId', matching(/^[0-9]+\.[1-9]+$/, digitsOf)),
  ],
  [
    'swap/chain-id-trimmed',
    '4.1 chainId',
    'swap/chain-id-strict',
    'spaces around `chainId` are cut off',
    swapReads('chainId', matching(/^\s+[0-9]+$|^[0-9]+\s+$/, digitsOf)),
  ],
  [
    'swap/unknown-chain-as-the-first',
    '4.1 chainId',
    'swap/chain-id-strict',
    'an unknown chain means the first chain',
    swapReads(
      'chainId',
      matching(/^987654321987$/, () => '31337'),
    ),
  ],
];

const tokens: readonly Row[] = (['sellToken', 'buyToken'] as const).flatMap((name): Row[] => {
  const rule = name === 'sellToken' ? 'swap/sell-token' : 'swap/buy-token';
  const clause = `4.1 ${name}`;
  const reads = (read: Read) => swapReads(name, read);
  return [
    [
      `${rule}-optional`,
      clause,
      rule,
      `a missing \`${name}\` means the native token`,
      reads(absentAs(NATIVE)),
    ],
    [
      `${rule}-cut`,
      clause,
      rule,
      `digits of \`${name}\` beyond 40 are cut off`,
      reads(matching(/^0x[0-9a-f]{41,}$/i, (text) => text.slice(0, 42))),
    ],
    [
      `${rule}-any-word`,
      clause,
      rule,
      `a \`${name}\` that is no address means the native token`,
      reads(matching(/^[a-z]+$/, () => NATIVE)),
    ],
    [
      `${rule}-without-0x`,
      clause,
      `${rule}-strict`,
      `\`${name}\` may lack its 0x`,
      reads(matching(/^[0-9a-f]{40}$/i, (text) => `0x${text}`)),
    ],
    [
      `${rule}-before-a-line-feed`,
      clause,
      `${rule}-strict`,
      `\`${name}\` may end with a line feed, as \`$\` allows in some languages`,
      reads(matching(/^0x[0-9a-f]{40}\n$/i, (text) => text.trim())),
    ],
    [
      `${rule}-by-symbol`,
      clause,
      rule,
      `\`${name}\` may be the symbol of the native token`,
      reads(matching(/^ETH$/, () => NATIVE)),
    ],
    [
      `${rule}-padded`,
      clause,
      rule,
      `\`${name}\` may be padded to 32 bytes`,
      reads(matching(/^0x0{24}[0-9a-f]{40}$/i, (text) => `0x${text.slice(26)}`)),
    ],
  ];
});

const flags: readonly Row[] = (['useRfq', 'includeCalldata'] as const).flatMap((name): Row[] => {
  const rule = name === 'useRfq' ? 'swap/use-rfq' : 'swap/include-calldata';
  return [
    [
      `${rule}-any-word`,
      `4.1 ${name}`,
      rule,
      `\`${name}=maybe\` means false`,
      swapReads(
        name,
        matching(/^maybe$/, () => 'false'),
      ),
    ],
    [
      `${rule}-any-number`,
      `4.1 ${name}`,
      rule,
      `\`${name}=2\` means true`,
      swapReads(
        name,
        matching(/^[2-9]$/, () => 'true'),
      ),
    ],
    [
      `${rule}-in-capitals`,
      `4.1 ${name}`,
      `${rule}-strict`,
      `the letter case of \`${name}\` does not matter`,
      swapReads(
        name,
        matching(/^(true|false)$/i, (text) => text.toLowerCase()),
      ),
    ],
  ];
});

const others: readonly Row[] = [
  [
    'swap/router-undefined',
    '4.1 router',
    'swap/router',
    '`router=undefined` means the default',
    swapReads(
      'router',
      matching(/^undefined$/, () => 'default-router'),
    ),
  ],
  [
    'swap/router-unknown',
    '4.1 router',
    'swap/router',
    'an unknown `router` means the default',
    swapReads(
      'router',
      matching(/^no-such/, () => 'default-router'),
    ),
  ],
  [
    'swap/router-by-prefix',
    '4.1 router',
    'swap/router',
    '`router=default` is completed',
    swapReads(
      'router',
      matching(/^default$/, () => 'default-router'),
    ),
  ],
  [
    'swap/router-in-capitals',
    '4.1 router',
    'swap/router-strict',
    'the letter case of `router` does not matter',
    swapReads(
      'router',
      matching(/^[A-Z-]+$/, (text) => text.toLowerCase()),
    ),
  ],
  [
    'swap/user-optional',
    '4.1 rule 2',
    'swap/calldata-needs',
    'without `userAddress` calldata is made for some account',
    () =>
      alterRequest('swap', (query) => {
        const isAsked = query.get('includeCalldata') === 'true';
        if (isAsked && !query.has('userAddress')) query.set('userAddress', ACCOUNT);
      }),
  ],
  [
    'swap/slippage-optional',
    '4.1 rule 2',
    'swap/calldata-needs',
    'without `slippageTolerance` calldata allows 0.5 %',
    () =>
      alterRequest('swap', (query) => {
        const isAsked = query.get('includeCalldata') === 'true';
        if (isAsked && !query.get('slippageTolerance')) query.set('slippageTolerance', '0.005');
      }),
  ],
  [
    'swap/user-unread',
    '4.1 userAddress',
    'swap/user-address-strict',
    'a malformed `userAddress` is replaced',
    swapReads(
      'userAddress',
      matching(/^(?!0x[0-9a-f]{40}$).+$/i, () => ACCOUNT),
    ),
  ],
  [
    'swap/recipient-unread',
    '4.1 recipientAddress',
    'swap/recipient-address-strict',
    'a malformed `recipientAddress` is replaced',
    swapReads(
      'recipientAddress',
      matching(/^(?!0x[0-9a-f]{40}$).+$/i, () => ACCOUNT),
    ),
  ],
];

const tolerances: readonly Row[] = (
  [
    ['above-one', 'more than 1', 'swap/slippage-tolerance', /^(1\.0001|1\.5|2)$/, '1'],
    ['below-zero', 'less than 0', 'swap/slippage-tolerance', /^-0\.0001$/, '0'],
    ['off-its-step', 'half a step', 'swap/slippage-tolerance', /^0\.00005$/, '0.0001'],
    ['in-percent', 'a percent sign', 'swap/slippage-tolerance', /^1%$/, '0.01'],
    ['with-a-comma', 'a comma for the point', 'swap/slippage-tolerance', /^0,01$/, '0.01'],
    ['with-a-sign', 'a plus sign', 'swap/slippage-tolerance-strict', /^\+0\.01$/, '0.01'],
  ] as const
).map(
  ([slug, words, rule, pattern, stand]): Row => [
    `swap/slippage-${slug}`,
    '4.1 slippageTolerance',
    rule,
    `\`slippageTolerance\` may have ${words}`,
    swapReads(
      'slippageTolerance',
      matching(pattern, () => stand),
    ),
  ],
);

/** @see Specification 4.1 rule 6: "Invalid parameters give 400 with an Error body." */
export const parameterMutants: readonly Mutant[] = mutantsOf([
  ...chain,
  ...tokens,
  ...flags,
  ...others,
  ...tolerances,
]);
