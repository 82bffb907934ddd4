import { createRequire } from 'node:module';

/**
 * Returns the id of a chain, named by its id or as wallets and clients name it,
 * whatever the letter case and the marks between words.
 *
 * @example
 * findChain('ARBITRUM_ONE') // 42161
 */
export function findChain(name: string): number | undefined {
  if (/^[0-9]{1,15}$/.test(name)) return Number(name);
  // Loaded only for a name: there are hundreds of chains.
  const chains = createRequire(import.meta.url)('viem/chains') as Readonly<
    Record<string, { readonly id?: number; readonly name?: string }>
  >;
  const wanted = plain(name);
  const found = Object.entries(chains).find(
    ([key, chain]) => plain(key) === wanted || plain(chain.name ?? '') === wanted,
  );
  return found?.[1].id;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
