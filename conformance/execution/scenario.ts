import type { BlockFields } from '../model/scenario.ts';
import type { Address } from '../model/trade-request.ts';
import type { Block } from './fork.ts';

/** Coinbase of an ordinary block: an account that exists, as on a chain. */
const COINBASE: Address = '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5';
/** Far more gas than a trade needs, and the maximum of a transaction under EIP-7825. */
const MAX_TRADE_GAS = 1n << 24n;

/** Returns the fields of an ordinary block soon after a given one. */
export function plainFields({ number, hash, baseFeePerGas, gasLimit }: Block): BlockFields {
  return {
    number: number + 2,
    baseFee: baseFeePerGas,
    coinbase: COINBASE,
    prevRandao: hash,
    gasLimit,
  };
}

/** Returns enough gas for any trade that a block of the chain can hold. */
export function ampleGas({ gasLimit }: Block): bigint {
  return gasLimit < MAX_TRADE_GAS ? gasLimit : MAX_TRADE_GAS;
}
