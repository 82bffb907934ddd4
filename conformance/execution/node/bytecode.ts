import { createRequire } from 'node:module';
import type { Hex } from 'viem';

const require = createRequire(import.meta.url);

/** Returns the runtime code of one of our contracts. @see contracts/ */
export function bytecodeOf(contract: 'pool-trader' | 'state-reader' | 'wallet'): Hex {
  return require(`#fixtures/bytecode/${contract}.json`).deployedBytecode;
}
