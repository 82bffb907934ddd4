import { expect, test } from 'vitest';
import type { Address, TradeRequest } from '../../model/trade-request.ts';
import { ampleCircumstances, type Block, createCircumstances } from './circumstances.ts';

const REQUEST = { router: 'default-router', swapKind: 'exact-input' } as TradeRequest;

function blockOf(coinbase: Address): Block {
  const gas = { gasLimit: 30_000_000n, reportsGasLimit: true, baseFeePerGas: 1_000n };
  return { number: 7, timestamp: 1_750_000_000, hash: '0x', coinbases: [coinbase], ...gas };
}

test('a chain with coinbases -> trades in blocks of these coinbases, and of no other', () => {
  const draw = createCircumstances(1, 'salt');
  const coinbasesAt = (block: Block) =>
    new Set(Array.from({ length: 12 }, () => draw(REQUEST, block).fields.coinbase));
  expect(coinbasesAt(blockOf('0xa'))).toEqual(new Set(['0xa']));
  expect(coinbasesAt(blockOf('0xb'))).toEqual(new Set(['0xa', '0xb']));
  const { fields } = ampleCircumstances({ block: blockOf('0xb'), salt: 'salt' });
  expect(fields.coinbase).toBe('0xb');
});

test('other salts -> nothing else in common that a contract could look for', () => {
  const valuesOf = (salt: string) => {
    const draw = createCircumstances(1, salt);
    const drawn = Array.from({ length: 12 }, () => draw(REQUEST, blockOf('0xa')).fields);
    const { fields } = ampleCircumstances({ block: blockOf('0xa'), salt });
    return [...drawn, fields].flatMap((each) => [each.prevRandao, each.parentHash, each.salt]);
  };
  const [one, other] = [valuesOf('one'), valuesOf('other')];
  expect(new Set([...one, ...other]).size).toBe(one.length + other.length);
});
