import { createRequire } from 'node:module';
import type { Hex } from 'viem';

const require = createRequire(import.meta.url);

/** Returns the code of a contract of ours, as it stands on a chain. @see contracts/ */
export function bytecodeOf(contract: 'direct-trader' | 'replayer' | 'state-reader'): Hex {
  return require(`#fixtures/bytecode/${contract}.json`).deployedBytecode;
}
