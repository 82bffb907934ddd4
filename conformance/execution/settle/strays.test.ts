import { describe, expect, test } from 'vitest';
import type { TracedFrame } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { transfer } from '../../rule-kit/settlements.testing.ts';
import { findStrays, type Parties } from './strays.ts';

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const [A, B, OTHER] = [account('a'), account('b'), account('c')];
const [USER, RECEIVER, ROUTER] = [account('1'), account('2'), account('3')];
const [POOL, VAULT, STRANGER, TREASURY] = [account('4'), account('5'), account('6'), account('7')];
const WRAPPED = account('8');

const parties: Parties = {
  user: USER,
  known: new Set([USER, RECEIVER, ROUTER]),
  pools: new Map([[POOL, new Set([A, WRAPPED])]]),
  tokens: new Set([A, B, WRAPPED]),
  takenByMakers: new Set(),
};

const hex = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0');
const call = (from: Address, to: Address, ...calls: readonly TracedFrame[]): TracedFrame => ({
  ...{ type: 'CALL', from, to, input: '0x', calls },
});
const send = (from: Address, to: Address, value: bigint): TracedFrame => ({
  ...call(from, to),
  value: `0x${value.toString(16)}`,
});
const pay = (
  by: Address,
  token: Address,
  from: Address,
  to: Address,
  amount: bigint,
  told = [transfer(token, from, to, amount)],
): TracedFrame => ({
  ...call(by, token),
  input: `0x23b872dd${hex(from)}${hex(to)}${hex(amount)}`,
  logs: told,
});
const trade = (...calls: readonly TracedFrame[]): TracedFrame => call(USER, ROUTER, ...calls);
const found = (root: TracedFrame, change: Partial<Parties> = {}) =>
  findStrays(root, { ...parties, ...change });
const strays = (root: TracedFrame, change?: Partial<Parties>) => found(root, change).strays;

const takes = pay(ROUTER, A, USER, POOL, 100n);
const gives = call(ROUTER, POOL, pay(POOL, B, POOL, RECEIVER, 50n));
/** The router does everything within a single call of a vault, which calls it back. */
const unlocked = (...calls: readonly TracedFrame[]): TracedFrame =>
  call(ROUTER, VAULT, call(VAULT, ROUTER, ...calls));

describe('findStrays, if nobody steals', () => {
  test.each<[string, TracedFrame, Partial<Parties>?]>([
    ['a pool is paid and pays the receiver', trade(takes, gives)],
    [
      'a vault keeps the tokens of the pool',
      trade(pay(ROUTER, A, USER, VAULT, 100n), pay(VAULT, B, VAULT, RECEIVER, 50n)),
    ],
    [
      'an intermediary passes on all that it is paid',
      trade(
        pay(ROUTER, A, USER, OTHER, 100n),
        call(ROUTER, OTHER, pay(OTHER, A, OTHER, POOL, 100n), gives),
      ),
    ],
    [
      'an intermediary passes on all that a transfer fee leaves',
      trade(
        pay(ROUTER, A, USER, OTHER, 100n, [
          transfer(A, USER, OTHER, 97n),
          transfer(A, USER, TREASURY, 3n),
        ]),
        call(ROUTER, OTHER, pay(OTHER, A, OTHER, POOL, 97n), gives),
      ),
    ],
    [
      'the token sends a fee to its treasury',
      trade(
        pay(ROUTER, A, USER, POOL, 100n, [
          transfer(A, USER, POOL, 97n),
          transfer(A, USER, TREASURY, 3n),
        ]),
        gives,
      ),
    ],
    [
      'the pool pays its own fee in addition to the trade',
      trade(
        takes,
        call(ROUTER, POOL, pay(POOL, B, POOL, RECEIVER, 50n), pay(POOL, B, POOL, TREASURY, 1n)),
      ),
    ],
    [
      'the pool pays a fee from its input, which an intermediary pays in a callback',
      trade(
        pay(ROUTER, A, USER, OTHER, 100n),
        call(
          ROUTER,
          OTHER,
          call(
            OTHER,
            POOL,
            pay(POOL, B, POOL, OTHER, 50n),
            call(POOL, OTHER, pay(OTHER, A, OTHER, POOL, 100n)),
            pay(POOL, A, POOL, TREASURY, 1n),
          ),
          pay(OTHER, B, OTHER, RECEIVER, 50n),
        ),
      ),
    ],
    [
      'a pool that keeps its tokens elsewhere pays a fee in addition to the trade',
      trade(
        takes,
        call(
          ROUTER,
          POOL,
          pay(POOL, A, POOL, VAULT, 100n),
          call(POOL, VAULT, pay(VAULT, B, VAULT, POOL, 51n)),
          pay(POOL, B, POOL, RECEIVER, 50n),
          pay(POOL, B, POOL, TREASURY, 1n),
        ),
      ),
    ],
    [
      'the pool pays its fee in a call back to itself',
      trade(
        takes,
        call(
          ROUTER,
          POOL,
          call(POOL, VAULT, call(VAULT, POOL, pay(POOL, B, POOL, TREASURY, 1n))),
          pay(POOL, B, POOL, RECEIVER, 50n),
        ),
      ),
    ],
    [
      'the pool stores its input elsewhere, and mints its output',
      trade(
        call(ROUTER, POOL, pay(POOL, A, USER, TREASURY, 100n), {
          ...call(POOL, B),
          logs: [transfer(B, NATIVE_TOKEN, RECEIVER, 50n)],
        }),
      ),
    ],
    [
      'a hook of a vault takes its fee in a swap that the router makes in a callback of the vault',
      trade(
        unlocked(
          call(
            ROUTER,
            VAULT,
            call(VAULT, OTHER, call(OTHER, VAULT, pay(VAULT, B, VAULT, TREASURY, 1n))),
          ),
          pay(ROUTER, A, USER, VAULT, 100n),
          call(ROUTER, VAULT, pay(VAULT, B, VAULT, RECEIVER, 50n)),
        ),
      ),
    ],
    [
      'an intermediary wraps the native token',
      trade(
        send(ROUTER, OTHER, 9n),
        call(
          ROUTER,
          OTHER,
          { ...send(OTHER, WRAPPED, 9n), logs: [deposit(OTHER, 9n)] },
          pay(OTHER, WRAPPED, OTHER, POOL, 9n),
        ),
        gives,
      ),
    ],
    [
      'a wrapped token reports a deposit twice',
      trade(
        send(ROUTER, OTHER, 9n),
        call(
          ROUTER,
          OTHER,
          {
            ...send(OTHER, WRAPPED, 9n),
            logs: [deposit(OTHER, 9n), transfer(WRAPPED, NATIVE_TOKEN, OTHER, 9n)],
          },
          pay(OTHER, WRAPPED, OTHER, POOL, 9n),
        ),
        gives,
      ),
    ],
    [
      'a market maker is paid at another account',
      trade(pay(ROUTER, A, USER, TREASURY, 100n), pay(ROUTER, B, STRANGER, RECEIVER, 50n)),
      { takenByMakers: new Set([A]) },
    ],
    [
      'a payment reverts',
      trade(takes, gives, { ...pay(ROUTER, B, ROUTER, STRANGER, 1n), error: 'execution reverted' }),
    ],
  ])('%s -> none', (_, root, change) => {
    expect(strays(root, change)).toEqual([]);
  });
});

describe('findStrays, if somebody steals', () => {
  test.each<[string, TracedFrame, Address, bigint]>([
    [
      'the router pays a part to a stranger',
      trade(takes, gives, pay(ROUTER, B, ROUTER, STRANGER, 1n)),
      B,
      1n,
    ],
    [
      'the router sends native tokens to a stranger',
      trade(takes, gives, send(ROUTER, STRANGER, 2n)),
      NATIVE_TOKEN,
      2n,
    ],
    [
      'the router takes more from the user, for a stranger',
      trade(takes, gives, pay(ROUTER, A, USER, STRANGER, 3n)),
      A,
      3n,
    ],
    [
      'the router pays a stranger in a callback of a pool',
      trade(
        call(
          ROUTER,
          POOL,
          pay(POOL, B, POOL, RECEIVER, 50n),
          call(POOL, ROUTER, takes, pay(ROUTER, A, USER, STRANGER, 3n)),
        ),
      ),
      A,
      3n,
    ],
    [
      'the router makes a pool pay a stranger, in a separate swap',
      trade(takes, gives, takes, call(ROUTER, POOL, pay(POOL, B, POOL, STRANGER, 4n))),
      B,
      4n,
    ],
    [
      'the router makes a pool pay a stranger in a token that the plan does not trade',
      trade(takes, gives, takes, call(ROUTER, POOL, pay(POOL, OTHER, POOL, STRANGER, 4n))),
      OTHER,
      4n,
    ],
    [
      'the router makes a pool that keeps its tokens elsewhere pay a stranger, in a separate swap',
      trade(
        takes,
        gives,
        call(
          ROUTER,
          POOL,
          pay(POOL, A, USER, POOL, 9n),
          pay(POOL, A, POOL, VAULT, 9n),
          call(POOL, VAULT, pay(VAULT, B, VAULT, POOL, 4n)),
          pay(POOL, B, POOL, STRANGER, 4n),
        ),
      ),
      B,
      4n,
    ],
    [
      'the router, in a callback of a vault, makes the vault pay a stranger, too',
      trade(
        unlocked(
          pay(ROUTER, A, USER, VAULT, 100n),
          call(ROUTER, VAULT, pay(VAULT, B, VAULT, RECEIVER, 50n)),
          call(ROUTER, VAULT, pay(VAULT, B, VAULT, STRANGER, 4n)),
        ),
      ),
      B,
      4n,
    ],
    [
      'an intermediary keeps a part of what a pool pays it',
      trade(
        takes,
        call(
          ROUTER,
          STRANGER,
          call(STRANGER, POOL, pay(POOL, B, POOL, STRANGER, 50n)),
          pay(STRANGER, B, STRANGER, RECEIVER, 45n),
        ),
      ),
      B,
      5n,
    ],
    [
      'the router pays a stranger through a custom function of a token',
      trade(takes, gives, {
        ...call(ROUTER, B),
        input: `0xb753a98c${hex(STRANGER)}${hex(8n)}`,
        logs: [transfer(B, ROUTER, STRANGER, 8n)],
      }),
      B,
      8n,
    ],
    [
      'the stranger gives dust, and a token that the plan does not trade',
      trade(
        pay(ROUTER, A, USER, POOL, 1_000_000n),
        gives,
        pay(ROUTER, B, ROUTER, STRANGER, 9n),
        pay(STRANGER, A, STRANGER, ROUTER, 1n),
        pay(STRANGER, OTHER, STRANGER, ROUTER, 1_000_000n),
      ),
      B,
      9n,
    ],
    [
      'a library of the router pays a stranger',
      trade(takes, gives, {
        ...{ type: 'DELEGATECALL', from: ROUTER, to: OTHER, input: '0x' },
        calls: [pay(ROUTER, B, ROUTER, STRANGER, 6n)],
      }),
      B,
      6n,
    ],
  ])('%s -> found', (_, root, token, amount) => {
    expect(strays(root)).toEqual([{ token, to: STRANGER, amount }]);
  });

  test('a pool is paid a token that it does not take -> found, although it gives more of that token', () => {
    const root = trade(takes, gives, pay(ROUTER, B, ROUTER, POOL, 2n));
    expect(strays(root)).toEqual([{ token: B, to: POOL, amount: 2n }]);
  });

  test('another token is taken from the user -> found, in addition to the sold token', () => {
    const root = trade(takes, gives, pay(ROUTER, OTHER, USER, STRANGER, 7n));
    expect(found(root)).toEqual({
      strays: [],
      taken: [
        { token: A, amount: 100n },
        { token: OTHER, amount: 7n },
      ],
    });
  });
});

function deposit(holder: Address, amount: bigint) {
  const topics = [
    '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
    `0x${hex(holder)}`,
  ];
  return { address: WRAPPED, topics, data: `0x${hex(amount)}` };
}
