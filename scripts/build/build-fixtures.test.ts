import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type BuiltChain,
  buildChain,
  contractsFile,
  marketFile,
} from '../../fixtures/chains/build-chain.ts';
import { chainSpecs } from '../../fixtures/chains/chains.ts';
import { type ChainReader, createReader, readFrom } from '../../fixtures/chains/sender.ts';
import type { MarketFile } from '../../reference/market/market-file.ts';

/*
 * Reads tokens with one call per field, independent of the build, to find faults in the build.
 * `chain.test.ts` in pools/ compares pools with swaps of the real contracts.
 */
const token = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
]);

const require = createRequire(import.meta.url);
const textOf = (name: string): string =>
  readFileSync(require.resolve(`#fixtures/markets/${name}.json`), 'utf8');
const rebuild = 'the chain and the committed file differ: npm run build:fixtures';

describe.each(chainSpecs)('chain $chainId', (spec) => {
  const committed = JSON.parse(textOf(String(spec.chainId))) as MarketFile;
  const named = JSON.parse(textOf(`${spec.chainId}.contracts`)) as BuiltChain['contracts'];
  let chain: BuiltChain;
  let reader: ChainReader;

  beforeAll(async () => {
    chain = await buildChain(spec);
    reader = createReader(chain.node.url);
  });
  afterAll(() => chain?.node.stop());

  test('a second build -> the committed bytes', () => {
    expect(marketFile(chain), rebuild).toBe(textOf(String(spec.chainId)));
    expect(contractsFile(chain), rebuild).toBe(textOf(`${spec.chainId}.contracts`));
  });

  test('every token -> its metadata', async () => {
    for (const { address, name, symbol, decimals } of committed.tokens) {
      expect([name, symbol, decimals]).toEqual([
        await readFrom(reader, address, token, 'name'),
        await readFrom(reader, address, token, 'symbol'),
        await readFrom(reader, address, token, 'decimals'),
      ]);
    }
  });

  test('Permit2 and the wrapped native token -> at their expected addresses', () => {
    expect(named.permit2).toBe('0x000000000022d473030f116ddee9f6b43ac78ba3');
    expect(committed.wrappedNative).toBe(named.wrappedNative);
  });
});
