import { describe, expect, test } from 'vitest';
import type { Log, TracedFrame } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { transfer } from '../../rule-kit/settlements.testing.ts';
import { findStrays, type Parties } from './strays.ts';

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const NAMED = {
  ...{ native: NATIVE_TOKEN, nobody: NATIVE_TOKEN },
  ...{ A: address('a'), B: address('b'), C: address('c'), wrapped: address('8') },
  ...{ user: address('1'), receiver: address('2'), router: address('3'), pool: address('4') },
  ...{ vault: address('5'), stranger: address('6'), treasury: address('7'), other: address('9') },
} as const;
const { A, B, C, wrapped, user, receiver, router, pool, stranger, treasury } = NAMED;
const at = (name: string | undefined): Address => NAMED[name as keyof typeof NAMED];

const parties: Parties = {
  user,
  known: new Set([user, receiver, router]),
  pools: new Map([[pool, new Set([A, wrapped])]]),
  tokens: new Set([A, B, wrapped]),
  takenByMakers: new Set(),
};

type Frame = TracedFrame & { readonly calls: TracedFrame[] };
const hex = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0');
const call = (
  from: Address,
  to: Address,
  more: Omit<Partial<TracedFrame>, 'calls'> = {},
): Frame => ({
  ...{ type: 'CALL', from, to, input: '0x', calls: [], ...more },
});

/**
 * Reads a sketch of the calls that the router makes for the user. `pool{...}` calls the pool, which
 * makes the calls within; `library other{...}` is a delegate call.
 *
 * - `B pool>receiver 50` orders token B to transfer an amount.
 * - `less 3` sends a part of that to the token's treasury; `reverts` fails.
 * - `B pool=>receiver 50` calls a custom function of token B, which reports a transfer.
 * - `A user>pool 100 {...}` makes the calls within during the transfer.
 * - `wrap 9` deposits native tokens; `twice` reports that deposit as a transfer, too.
 */
function traced(sketch: string): TracedFrame {
  const root = call(user, router);
  const open = [root];
  const words =
    /(library )?(\w+)\{|(\})|wrap (\d+)( twice)?|(\w+) (\w+)(=?)>(\w+) (\d+)(?: less (\d+))?( reverts)?( \{)?/g;
  for (const word of sketch.matchAll(words)) {
    const [, library, callee, end, deposited, twice, ...payment] = word;
    const [token, from, custom, to, units, fee = 0, reverts, opens] = payment;
    const { calls, to: actor = router } = open.at(-1) ?? root;
    if (end !== undefined) open.pop();
    else if (callee !== undefined) {
      const inner = call(actor, at(callee), library ? { type: 'DELEGATECALL' } : {});
      calls.push(inner);
      open.push(inner);
    } else if (deposited !== undefined) {
      const [topic, amount] = [
        '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
        BigInt(deposited),
      ];
      const deposit = { address: wrapped, topics: [topic, `0x${hex(actor)}`] };
      const logs: Log[] = [{ ...deposit, data: `0x${hex(amount)}` }];
      if (twice) logs.push(transfer(wrapped, NATIVE_TOKEN, actor, amount));
      calls.push(call(actor, wrapped, { value: `0x${amount.toString(16)}`, logs }));
    } else {
      const amount = BigInt(units ?? 0);
      const [payer, payee] = [at(from), at(to)];
      const input: TracedFrame['input'] = custom
        ? `0xb753a98c${hex(payee)}${hex(amount)}`
        : `0x23b872dd${hex(payer)}${hex(payee)}${hex(amount)}`;
      const logs = [transfer(at(token), payer, payee, amount - BigInt(fee))];
      if (fee) logs.push(transfer(at(token), payer, treasury, BigInt(fee)));
      const error = reverts ? { error: 'execution reverted' } : {};
      const ordered =
        token === 'native'
          ? call(payer, payee, { value: `0x${amount.toString(16)}` })
          : call(actor, at(token), { input, logs, ...error });
      calls.push(ordered);
      if (opens) open.push(ordered);
    }
  }
  return root;
}

const TAKES = 'A user>pool 100';
const GIVES = 'pool{ B pool>receiver 50 }';
const BOTH = `${TAKES} ${GIVES}`;
const SWAP_BY_OTHER = `A user>other 100 other{ A other>pool 100 ${GIVES} }`;

describe('findStrays, without a theft', () => {
  test.each([
    ['a pool is paid and pays the receiver', BOTH],
    [
      'a vault keeps the tokens of the pool',
      'A user>vault 100 pool{ vault{ B vault>receiver 50 } }',
    ],
    ['an intermediary passes on all that it is paid', SWAP_BY_OTHER],
    [
      'an intermediary passes on all that a transfer fee leaves',
      `A user>other 100 less 3 other{ A other>pool 97 ${GIVES} }`,
    ],
    ['the token sends a fee to its treasury', `A user>pool 100 less 3 ${GIVES}`],
    [
      'the token sells its fee through the pool for its treasury, during its transfer',
      `A user>pool 100 { A A>pool 3 pool{ B pool>treasury 2 } } ${GIVES}`,
    ],
    [
      'the pool pays its own fee in addition to the trade',
      `${TAKES} pool{ B pool>receiver 50 B pool>treasury 1 }`,
    ],
    [
      'the pool pays a fee from its input, which an intermediary pays in a callback',
      `A user>other 100 other{
        pool{ B pool>other 50 other{ A other>pool 100 } A pool>treasury 1 }
        B other>receiver 50 }`,
    ],
    [
      'a pool that keeps its tokens elsewhere pays a fee in addition to the trade',
      `${TAKES} pool{
        A pool>vault 100 vault{ B vault>pool 51 } B pool>receiver 50 B pool>treasury 1 }`,
    ],
    [
      'the pool pays its fee in a call back to itself',
      `${TAKES} pool{ vault{ pool{ B pool>treasury 1 } } B pool>receiver 50 }`,
    ],
    [
      'the pool stores its input elsewhere, and mints its output',
      'pool{ A user>treasury 100 B nobody=>receiver 50 }',
    ],
    [
      'a hook of a vault takes its fee in a swap that the router makes in a callback of the vault',
      `vault{ router{
        vault{ other{ vault{ B vault>treasury 1 } } }
        A user>vault 100 vault{ B vault>receiver 50 } } }`,
    ],
    [
      'an intermediary wraps the native token',
      `native router>other 9 other{ wrap 9 wrapped other>pool 9 } ${GIVES}`,
    ],
    [
      'a wrapped token reports a deposit twice',
      `native router>other 9 other{ wrap 9 twice wrapped other>pool 9 } ${GIVES}`,
    ],
    ['a payment reverts', `${BOTH} B router>stranger 1 reverts`],
  ])('%s -> none', (_, sketch) => {
    expect(findStrays(traced(sketch), parties).strays).toEqual([]);
  });

  test('a market maker is paid at another account -> none', () => {
    const root = traced('A user>treasury 100 B stranger>receiver 50');
    const makers = { ...parties, takenByMakers: new Set([A]) };
    expect(findStrays(root, makers).strays).toEqual([]);
  });
});

describe('findStrays, if somebody steals', () => {
  test.each([
    ['the router pays a part to a stranger', `${BOTH} B router>stranger 1`, B, 1n],
    [
      'the router sends native tokens to a stranger',
      `${BOTH} native router>stranger 2`,
      NATIVE_TOKEN,
      2n,
    ],
    ['the router takes more from the user, for a stranger', `${BOTH} A user>stranger 3`, A, 3n],
    [
      'the router pays a stranger in a callback of a pool',
      `pool{ B pool>receiver 50 router{ ${TAKES} A user>stranger 3 } }`,
      A,
      3n,
    ],
    [
      'the router makes a pool pay a stranger, in a separate swap',
      `${BOTH} ${TAKES} pool{ B pool>stranger 4 }`,
      B,
      4n,
    ],
    [
      'the router makes a pool pay a stranger in a token that the plan does not trade',
      `${BOTH} ${TAKES} pool{ C pool>stranger 4 }`,
      C,
      4n,
    ],
    [
      'the router makes a pool that keeps its tokens elsewhere pay a stranger, in a separate swap',
      `${BOTH} pool{ A user>pool 9 A pool>vault 9 vault{ B vault>pool 4 } B pool>stranger 4 }`,
      B,
      4n,
    ],
    [
      'the router, in a callback of a vault, makes the vault pay a stranger, too',
      `vault{ router{
        A user>vault 100 vault{ B vault>receiver 50 } vault{ B vault>stranger 4 } } }`,
      B,
      4n,
    ],
    [
      'an intermediary keeps a part of what a pool pays it',
      `${TAKES} stranger{ pool{ B pool>stranger 50 } B stranger>receiver 45 }`,
      B,
      5n,
    ],
    [
      'the router pays a stranger through a custom function of a token',
      `${BOTH} B router=>stranger 8`,
      B,
      8n,
    ],
    [
      'the stranger gives dust, and a token that the plan does not trade',
      `A user>pool 1000000 ${GIVES} B router>stranger 9 A stranger>router 1 C stranger>router 1000000`,
      B,
      9n,
    ],
    [
      'the router, called by a token during its transfer, makes a pool pay a stranger',
      `A user>pool 100 { router{ pool{ B pool>stranger 4 } } } ${GIVES}`,
      B,
      4n,
    ],
    [
      'a library of the router pays a stranger',
      `${BOTH} library other{ B router>stranger 6 }`,
      B,
      6n,
    ],
  ])('%s -> found', (_, sketch, token, amount) => {
    expect(findStrays(traced(sketch), parties).strays).toEqual([{ token, to: stranger, amount }]);
  });

  test('a pool is paid a token that it does not take -> found, although it gives more of that token', () => {
    const { strays } = findStrays(traced(`${BOTH} B router>pool 2`), parties);
    expect(strays).toEqual([{ token: B, to: pool, amount: 2n }]);
  });

  test('another token is taken from the user -> found, in addition to the sold token', () => {
    expect(findStrays(traced(`${BOTH} C user>stranger 7`), parties)).toEqual({
      strays: [],
      taken: [
        { token: A, amount: 100n },
        { token: C, amount: 7n },
      ],
    });
  });
});
