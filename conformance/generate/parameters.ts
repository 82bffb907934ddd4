import type { Query } from '../client/request.ts';
import {
  amountsTogether,
  amountViolations,
  booleanViolations,
  calldataWithout,
  chainViolations,
  empty,
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
  /** What the rules say, as a title: '`sellAmount` is a positive integer'. */
  readonly title: string;
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
  /** Whether the violations are malformed 20-byte hex, and so fit chains of such addresses only. */
  readonly onHexChainsOnly?: boolean;
};

/** Tolerances on both bounds, beside them, and where floats are not multiples of a step. */
export const TOLERANCES = [
  '0',
  '0.0001',
  '0.0003',
  '0.0007',
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
    title: '`chainId` is an integer, and given',
    base: 'swap',
    violations: chainViolations,
  },
  {
    slug: 'swap/sell-token',
    clause: '4.1 sellToken',
    title: '`sellToken` is a token address, and given',
    base: 'swap',
    violations: tokenViolations('sellToken'),
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/buy-token',
    clause: '4.1 buyToken',
    title: '`buyToken` is a token address, and given',
    base: 'swap',
    violations: tokenViolations('buyToken'),
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/sell-amount',
    clause: '4.1 sellAmount',
    title: '`sellAmount` is a positive integer in base units',
    base: 'exact-input',
    violations: amountViolations('sellAmount'),
  },
  {
    slug: 'swap/buy-amount',
    clause: '4.1 buyAmount',
    title: '`buyAmount` is a positive integer in base units',
    base: 'exact-output',
    violations: amountViolations('buyAmount'),
  },
  {
    slug: 'swap/exactly-one-amount',
    clause: '4.1 rule 1',
    title: 'exactly one of `sellAmount` and `buyAmount` is given',
    base: 'swap',
    violations: amountsTogether,
  },
  {
    slug: 'swap/invalid-parameters',
    clause: '4.1 rule 6',
    title: 'two parameters at once are whole',
    base: 'exact-input',
    violations: twoAtOnce,
  },
  {
    slug: 'swap/use-rfq',
    clause: '4.1 useRfq',
    title: '`useRfq` is a boolean',
    base: 'swap',
    violations: booleanViolations('useRfq'),
  },
  {
    slug: 'swap/router',
    clause: '4.1 router',
    title: '`router` is one of the three names',
    base: 'swap',
    violations: [
      ...violationsOf('router', 'must', notARouter),
      ...violationsOf('router', 'should', routerSpelledOddly),
      ...violationsOf('router', 'observe', repetition),
    ],
  },
  {
    slug: 'swap/include-calldata',
    clause: '4.1 includeCalldata',
    title: '`includeCalldata` is a boolean',
    base: 'calldata',
    violations: booleanViolations('includeCalldata'),
  },
  {
    slug: 'swap/calldata-needs',
    clause: '4.1 rule 2',
    title: '`includeCalldata=true` comes with `userAddress` and `slippageTolerance`',
    base: 'calldata',
    violations: [
      calldataWithout('userAddress'),
      calldataWithout('slippageTolerance'),
      calldataWithout('userAddress', 'slippageTolerance'),
      empty('userAddress'),
      empty('slippageTolerance'),
    ],
  },
  {
    slug: 'swap/user-address',
    clause: '4.1 userAddress',
    title: '`userAddress` is a wallet address',
    base: 'calldata',
    violations: walletViolations('userAddress'),
    onHexChainsOnly: true,
  },
  {
    slug: 'swap/recipient-address',
    clause: '4.1 recipientAddress',
    title: '`recipientAddress` is an address',
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
    title: '`slippageTolerance` is 0 to 1 in steps of 0.0001',
    base: 'calldata',
    violations: [
      ...violationsOf('slippageTolerance', 'must', notATolerance),
      ...violationsOf('slippageTolerance', 'should', toleranceSpelledOddly),
      ...violationsOf('slippageTolerance', 'observe', [...toleranceSpelledRarely, ...repetition]),
    ],
  },
  {
    slug: 'swap/slippage-tolerance-unused',
    clause: '4.1 slippageTolerance',
    title: '`slippageTolerance` is 0 to 1 in steps of 0.0001, without calldata too',
    base: 'plain',
    violations: violationsOf('slippageTolerance', 'should', notATolerance),
  },
  {
    slug: 'tokens/asked-chain-id',
    clause: '4.2 chainId',
    title: '`chainId` is an integer, and given',
    base: 'tokens',
    violations: chainViolations,
  },
  {
    slug: 'chain-info/asked-chain-id',
    clause: '4.4 chainId',
    title: '`chainId` is an integer, and given',
    base: 'chainInfo',
    violations: chainViolations,
  },
];
