import { createRequire } from 'node:module';
import { encodeFunctionData, toHex, type Address as ViemAddress, zeroAddress } from 'viem';
import { artifact } from '../../scripts/fixtures/artifacts.ts';
import type { SingletonContracts } from '../../scripts/fixtures/contracts.ts';
import { modifyLiquidityAbi } from '../../scripts/fixtures/singleton-pools.ts';
import type { TestChain } from './test-chain.testing.ts';

/** The contracts of Uniswap V4 on the first fixture chain, and who opens pools there. */
export const MANAGER: SingletonContracts & { readonly deployer: ViemAddress } = createRequire(
  import.meta.url,
)('#fixtures/markets/31337.contracts.json');

const PRICE_OF_ONE = 1n << 96n;
/** Of ticks about that price, in spacings. */
const RANGE = 100;

/**
 * Opens a pool of two currencies, of which zero is native, at a price of one. The deployer pays
 * about 0.005 of `liquidity` a tick spacing, which it must hold and have approved to `modifyLiquidity`.
 */
export async function openManagerPool(
  chain: TestChain,
  currencies: readonly [ViemAddress, ViemAddress],
  { fee, tickSpacing }: { readonly fee: number; readonly tickSpacing: number },
  liquidity: bigint,
): Promise<void> {
  const { deployer, poolManager, modifyLiquidity } = MANAGER;
  const [currency0, currency1] = currencies.map((each) => each.toLowerCase()).sort();
  const key = { currency0, currency1, fee, tickSpacing, hooks: zeroAddress };
  const { abi } = artifact('poolManager');
  await chain.call(deployer, poolManager, abi, 'initialize', [key, PRICE_OF_ONE]);
  const range = { tickLower: -RANGE * tickSpacing, tickUpper: RANGE * tickSpacing };
  const change = { ...range, liquidityDelta: liquidity, salt: toHex(0, { size: 32 }) };
  const input = encodeFunctionData({
    abi: modifyLiquidityAbi(),
    functionName: 'modifyLiquidity',
    args: [key, change, '0x'],
  });
  // What is not needed comes back.
  const sent = await chain.send(deployer, modifyLiquidity, input, { value: liquidity });
  if (sent.kind === 'reverted') throw new Error(`no liquidity was added: ${sent.error}`);
}
