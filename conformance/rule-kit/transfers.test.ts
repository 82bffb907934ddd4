import { describe, expect, test } from 'vitest';
import type { Log } from '../model/scenario.ts';

import type { Address } from '../model/trade-request.ts';
import { transfer } from './settlements.testing.ts';
import { accountIn, netOf, paymentIn, transferIn, wrapIn, ZERO_ADDRESS } from './transfers.ts';

const [TOKEN, ONE, OTHER] = ['A', 'b', 'c'].map((digit): Address => `0x${digit.repeat(40)}`) as [
  Address,
  Address,
  Address,
];
const token: Address = `0x${'a'.repeat(40)}`;
const sent = transfer(TOKEN, ONE, OTHER, 7n);
const [event, from, to] = sent.topics as [`0x${string}`, `0x${string}`, `0x${string}`];
const isRead = (change: Partial<Log>) => transferIn({ ...sent, ...change }) !== undefined;

describe('transferIn', () => {
  test('a transfer -> the token in lower case, both accounts and the amount', () => {
    expect(transferIn(sent)).toEqual({ token, from: ONE, to: OTHER, amount: 7n });
  });

  test('data longer than a word -> the amount in the first word', () => {
    expect(transferIn({ ...sent, data: `${sent.data}ff` })?.amount).toBe(7n);
  });

  test.each<[string, Partial<Log>]>([
    ['another event', { topics: [from, from, to] }],
    ['no topics', { topics: [] }],
    ['no sender', { topics: [event] }],
    ['no receiver', { topics: [event, from] }],
    ['less than a word of data', { data: sent.data.slice(0, 65) as Log['data'] }],
    // `Transfer` of an ERC-721 token has the token's id among its topics.
    ['no data', { topics: [event, from, to, from], data: '0x' }],
  ])('%s -> none', (_what, change) => expect(isRead(change)).toBe(false));
});

const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';
const wrap = (name: `0x${string}`): Log => ({ ...sent, topics: [name, from] });

describe('wrapIn', () => {
  test('a deposit -> minted for the account; a withdrawal -> burned from the account', () => {
    expect(wrapIn(wrap(DEPOSIT))).toEqual({ token, from: ZERO_ADDRESS, to: ONE, amount: 7n });
    expect(wrapIn(wrap(WITHDRAWAL))).toEqual({ token, from: ONE, to: ZERO_ADDRESS, amount: 7n });
    const events = [wrap(DEPOSIT), wrap(WITHDRAWAL), sent];
    expect(events.map((each) => paymentIn(each)?.by)).toEqual(['wrap', 'wrap', 'transfer']);
  });

  test.each<[string, Log]>([
    ['a transfer', sent],
    ['no account', { ...wrap(DEPOSIT), topics: [DEPOSIT] }],
    ['less than a word of data', { ...wrap(DEPOSIT), data: '0x07' }],
  ])('%s -> none', (_what, log) => expect(wrapIn(log)).toBeUndefined());
});

test('netOf -> the received minus the sent amount, by account and token', () => {
  const there = { token, from: ONE, to: OTHER, amount: 7n };
  const back = { token, from: OTHER, to: ONE, amount: 2n };
  const net = netOf([there, back, { ...there, token: TOKEN }]);
  expect(net.get(ONE)).toEqual(new Map([[token, -5n], [TOKEN, -7n]])); // biome-ignore format: one row an account
  expect(net.get(OTHER)).toEqual(new Map([[token, 5n], [TOKEN, 7n]])); // biome-ignore format: one row an account
});

test('accountIn -> the last 20 bytes, in lower case', () => {
  expect(accountIn(`0x${'0'.repeat(24)}${'A'.repeat(40)}`)).toBe(token);
});
