import { createRequire } from 'node:module';
import type { Address as ViemAddress } from 'viem';
import type { SingletonContracts } from '../../fixtures/chains/contracts.ts';
import { createSender } from '../../fixtures/chains/sender.ts';
import { addLiquidity, initialize } from '../../fixtures/chains/singleton-pools.ts';
import type { TestChain } from './test-chain.testing.ts';

/** Contracts of Uniswap V4 on the first fixture chain, and the account that opens pools. */
export const MANAGER: SingletonContracts & { readonly deployer: ViemAddress } = createRequire(
  import.meta.url,
)('#fixtures/markets/31337.contracts.json');

const PRICE_OF_ONE = 1n << 96n;
const HALF_RANGE_IN_SPACINGS = 100;

/**
 * Opens a pool of two currencies at a price of one; the zero address means the native token. The
 * deployer pays about 0.005 of `liquidity` per tick spacing, and must have allowed
 * `modifyLiquidity` to take that amount.
 */
export async function openManagerPool(
  chain: TestChain,
  currencies: readonly [ViemAddress, ViemAddress],
  { fee, tickSpacing }: { readonly fee: number; readonly tickSpacing: number },
  liquidity: bigint,
): Promise<void> {
  const [currency0 = '', currency1 = ''] = currencies.map((each) => each.toLowerCase()).sort();
  const key = { currency0, currency1, fee, tickSpacing };
  const sender = await createSender(chain.client, MANAGER.deployer);
  initialize(sender, MANAGER, key, PRICE_OF_ONE);
  const range = {
    lower: -HALF_RANGE_IN_SPACINGS * tickSpacing,
    upper: HALF_RANGE_IN_SPACINGS * tickSpacing,
    liquidity,
  };
  addLiquidity(sender, MANAGER, key, range, liquidity);
  await sender.mine();
}
