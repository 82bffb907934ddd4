import type { Query } from '../client/request.ts';
import {
  amountsTogether,
  amountViolations,
  booleanViolations,
  calldataNeeds,
  chainViolations,
  tokenViolations,
  twoAtOnce,
  walletViolations,
} from './parameter-violations.ts';
import { RECIPIENT_ADDRESS, setParameter } from './trades.ts';
import {
  notARouter,
  notATolerance,
  repetition,
  routerSpelledOddly,
  toleranceSpelledOddly,
  toleranceSpelledRarely,
  type Violation,
  violationsOf,
} from './violations.ts';

/** A parameter's rules, as each way to break one alone. */
export type Parameter = {
  /** First part of the rule ids: `swap/sell-amount`. */
  readonly slug: string;
  readonly clause: string;
  /** What the service must reject: 'a `useRfq` that is not a boolean'. */
  readonly broken: string;
  /** What the rules speak of, where it is not the parameter that the clause names. */
  readonly names?: string;
  /**
   * The requests that are broken, whole but for that: lookups, or trades in each
   * form of their own. `swap` is any trade; `plain` has no calldata.
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
  /** What its `should` follows from. */
  readonly because?: string;
  /** Whether the violations are malformed 20-byte hex, and so fit chains of such addresses only. */
  readonly onHexChainsOnly?: boolean;
};

/** Tolerances on both bounds, beside them, where floats are not multiples of a step, and of less than a percent. */
export const TOLERANCES = [
  '0',
  '0.0001',
  '0.0003',
  '0.0005',
  '0.0007',
  '0.005',
  '0.01',
  '0.07',
  '0.29',
  '0.9999',
  '1',
];

/** The one table of parameter rules. @see Specification 4 */
export const PARAMETERS: readonly Parameter[] = [
  {
    slug: 'swap/chain-id',
    clause: '4.1 chainId',
    broken: 'a `chainId` that is missing or not an integer',
    base: 'swap',
    violations: chainViolations,
  },
  {
    slug: 'swap/sell-token',
    clause: '4.1 sellToken',
    broken: 'a `sellToken` that is missing or not a token address',
    base: 'swap',
    violations: tokenViolations('sellToken'),
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/buy-token',
    clause: '4.1 buyToken',
    broken: 'a `buyToken` that is missing or not a token address',
    base: 'swap',
    violations: tokenViolations('buyToken'),
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/sell-amount',
    clause: '4.1 sellAmount',
    broken: 'a `sellAmount` that is not a positive integer in base units',
    base: 'exact-input',
    violations: amountViolations('sellAmount'),
  },
  {
    slug: 'swap/buy-amount',
    clause: '4.1 buyAmount',
    broken: 'a `buyAmount` that is not a positive integer in base units',
    base: 'exact-output',
    violations: amountViolations('buyAmount'),
  },
  {
    slug: 'swap/exactly-one-amount',
    clause: '4.1 rule 1',
    names: '`sellAmount` beside `buyAmount`',
    broken: 'both or neither of `sellAmount` and `buyAmount`',
    base: 'swap',
    violations: amountsTogether,
  },
  {
    slug: 'swap/invalid-parameters',
    clause: '4.1 rule 6',
    broken: 'two broken parameters at once',
    base: 'exact-input',
    violations: twoAtOnce,
  },
  {
    slug: 'swap/use-rfq',
    clause: '4.1 useRfq',
    broken: 'a `useRfq` that is not a boolean',
    base: 'swap',
    violations: booleanViolations('useRfq'),
  },
  {
    slug: 'swap/router',
    clause: '4.1 router',
    broken: 'a `router` that is none of the three names',
    base: 'swap',
    violations: [
      ...violationsOf('router', 'must', notARouter),
      ...violationsOf('router', 'observe', routerSpelledOddly),
      ...violationsOf('router', 'observe', repetition('default-router')),
    ],
  },
  {
    slug: 'swap/include-calldata',
    clause: '4.1 includeCalldata',
    broken: 'an `includeCalldata` that is not a boolean',
    base: 'calldata',
    violations: booleanViolations('includeCalldata'),
  },
  {
    slug: 'swap/calldata-needs',
    clause: '4.1 rule 2',
    broken: '`includeCalldata=true` without `userAddress` or `slippageTolerance`',
    base: 'calldata',
    violations: calldataNeeds,
  },
  {
    slug: 'swap/user-address',
    clause: '4.1 userAddress',
    broken: 'a `userAddress` that is not a wallet address',
    base: 'calldata',
    violations: walletViolations('userAddress'),
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/recipient-address',
    clause: '4.1 recipientAddress',
    broken: 'a `recipientAddress` that is not an address',
    base: 'calldata',
    violations: [
      ...walletViolations('recipientAddress').map((violation) => ({
        ...violation,
        change: (query: Query) =>
          violation.change(setParameter(query, 'recipientAddress', [RECIPIENT_ADDRESS])),
      })),
      ...violationsOf('recipientAddress', 'observe', [['empty', () => ['']]]),
    ],
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/slippage-tolerance',
    clause: '4.1 slippageTolerance',
    broken: 'a `slippageTolerance` that is not 0 to 1 in steps of 0.0001',
    base: 'calldata',
    violations: [
      ...violationsOf('slippageTolerance', 'must', notATolerance),
      ...violationsOf('slippageTolerance', 'observe', [
        ...toleranceSpelledOddly,
        ...toleranceSpelledRarely,
        ...repetition(),
      ]),
    ],
  },
  {
    slug: 'swap/slippage-tolerance-unused',
    clause: '4.1 slippageTolerance',
    broken: 'a `slippageTolerance` without calldata that is not 0 to 1 in steps of 0.0001',
    because: '"0 to 1, multiple of 0.0001": said of the parameter, with calldata and without.',
    base: 'plain',
    violations: violationsOf('slippageTolerance', 'should', notATolerance),
  },
  {
    slug: 'tokens/asked-chain-id',
    clause: '4.2 chainId',
    broken: 'a `chainId` that is missing or not an integer',
    base: 'tokens',
    violations: chainViolations,
  },
  {
    slug: 'chain-info/asked-chain-id',
    clause: '4.4 chainId',
    broken: 'a `chainId` that is missing or not an integer',
    base: 'chainInfo',
    violations: chainViolations,
  },
];
