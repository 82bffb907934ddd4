import {
  type Static,
  type TLiteral,
  type TObject,
  Type,
} from '../../../conformance/contract/schema.ts';
import { parseAddress } from '../domain/address.ts';
import { MarketFileError } from '../domain/market-file-error.ts';
import type { PoolEntry, Read } from './family.ts';
import { address, closed, parseUpTo, source, unsigned } from './pool-schema.ts';
import { MAX_BALANCE, type VaultPool } from './vault-pool.ts';

const fields = {
  address,
  source,
  vault: address,
  poolId: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'Pool id at the Vault.' }),
  tokens: Type.Array(address, { minItems: 2, description: 'Ascending.' }),
  balances: Type.Array(unsigned, { description: 'Base units, in the order of the tokens.' }),
  swapFee: Type.String({
    pattern: '^[0-9]+$',
    maxLength: 18,
    description: 'Fraction of the input, in units of 10^-18.',
  }),
};
type VaultFile = Static<TObject<typeof fields>>;

/** Returns the schema of a Vault pool with the additional fields of a family. */
export function vaultSchema<Name extends string, Own extends Parameters<typeof closed>[0]>(
  family: Name,
  maxTokens: number,
  own: Own,
) {
  return closed({
    family: Type.Literal(family) as TLiteral<Name>,
    ...fields,
    tokens: Type.Array(address, { minItems: 2, maxItems: maxTokens, description: 'Ascending.' }),
    ...own,
  });
}

/**
 * Returns the fields that all Vault pools share, read from a pool's file entry.
 * @throws {MarketFileError} if balances and tokens differ in number, or a balance is too large
 */
export function parseVaultPool(
  file: VaultFile,
  at: string,
  decimalsOf: (token: string) => number,
): VaultPool {
  if (file.balances.length !== file.tokens.length) {
    const must = `must be ${file.tokens.length} balances, one for each token`;
    throw new MarketFileError(`${at}/balances`, file.balances.length, must);
  }
  return {
    address: parseAddress(file.address),
    source: file.source,
    vault: parseAddress(file.vault),
    poolId: file.poolId,
    tokens: file.tokens.map(parseAddress),
    balances: file.balances.map((text, i) => parseUpTo(MAX_BALANCE, text, `${at}/balances/${i}`)),
    scales: file.tokens.map((token) => 10n ** BigInt(18 - decimalsOf(token))),
    swapFee: BigInt(file.swapFee),
  };
}

const POOL_ID: Read = { view: 'function getPoolId() view returns (bytes32)' };
const VAULT: Read = { view: 'function getVault() view returns (address)' };
const SWAP_FEE: Read = { view: 'function getSwapFeePercentage() view returns (uint256)' };

function poolTokens(vault: string, poolId: unknown): Read {
  const view =
    'function getPoolTokens(bytes32) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)';
  return { view, args: [poolId], of: vault };
}

type VaultIdentity = Omit<VaultFile, 'balances' | 'swapFee'>;

/**
 * Returns the reads of a Vault pool. `own` is what the family reads at each block. `ownFile` turns
 * the results into the family's fields in the file.
 */
export function vaultLive<Name extends string, Own extends object>(
  family: Name,
  { own, ownFile }: { own: readonly Read[]; ownFile: (results: readonly unknown[]) => Own },
) {
  return {
    identify: [
      // The family's own reads identify the pool, because the other reads succeed for every Vault
      // pool.
      () => [POOL_ID, VAULT, ...own],
      (_: PoolEntry, [poolId, vault]: readonly unknown[]) => [poolTokens(`${vault}`, poolId)],
    ],
    identity: ({ address, source }: PoolEntry, results: readonly unknown[]) => {
      const [poolId, vault] = results as [string, string];
      const [tokens] = results.at(-1) as [readonly string[]];
      return {
        family,
        address,
        source,
        vault: vault.toLowerCase(),
        poolId,
        tokens: tokens.map((token) => token.toLowerCase()),
      };
    },
    reads: ({ vault, poolId }: VaultIdentity) => [poolTokens(vault, poolId), SWAP_FEE, ...own],
    state: (fixed: VaultIdentity, [held, swapFee, ...rest]: readonly unknown[]) => {
      const [, balances] = held as [unknown, readonly bigint[]];
      return {
        ...fixed,
        family,
        balances: balances.map(String),
        swapFee: `${swapFee}`,
        ...ownFile(rest),
      };
    },
  };
}
