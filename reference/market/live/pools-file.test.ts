import { describe, expect, test } from 'vitest';
import { MarketFileError } from '../../planner/domain/market-file-error.ts';
import { FAMILIES } from '../../planner/pools/families.ts';
import { parsePoolsFile } from './pools-file.ts';

const MIXED = '0xAbCdEf0000000000000000000000000000000001';
const LOWER = MIXED.toLowerCase();

const file = () => ({
  format: 1,
  chainId: 1,
  name: 'Some chain',
  usdToken: MIXED,
  wrappedNative: MIXED,
  logos: { [MIXED]: 'https://logos.example/1.svg' },
  pools: [{ family: 'concentrated', address: MIXED, source: 'UniswapV3' }],
  routers: [
    { name: 'universal-router', address: MIXED, tokenProxy: MIXED, sources: ['UniswapV3'] },
  ],
});

describe('parsePoolsFile', () => {
  test('addresses in any letter case -> lower case everywhere', () => {
    const parsed = parsePoolsFile(file());
    expect(JSON.stringify(parsed)).not.toContain(MIXED);
    expect(parsed).toMatchObject({
      usdToken: LOWER,
      logos: { [LOWER]: 'https://logos.example/1.svg' },
      pools: [{ address: LOWER }],
      routers: [{ address: LOWER, tokenProxy: LOWER }],
    });
  });

  test.each([
    [{ format: 2 }, '/format', 'must be equal to constant: 1, got 2'],
    [{ chainId: 0 }, '/chainId', 'must be >= 1, got 0'],
    [{ usdToken: '0x1' }, '/usdToken', 'must match pattern'],
    [{ pools: [] }, '/pools', 'must NOT have fewer than 1 items'],
    [{ reserve: 1 }, '', 'must NOT have additional properties: "reserve"'],
    [
      { pools: [{ family: 'curve', address: MIXED, source: 'Curve' }] },
      '/pools/0/family',
      `allowed values: ${JSON.stringify(Object.keys(FAMILIES))}, got "curve"`,
    ],
  ])('%j -> MarketFileError at %j', (change, pointer, words) => {
    const parse = () => parsePoolsFile({ ...file(), ...change });
    expect(parse).toThrow(MarketFileError);
    expect(parse).toThrow(`pools file at '${pointer}'`);
    expect(parse).toThrow(words);
  });
});
