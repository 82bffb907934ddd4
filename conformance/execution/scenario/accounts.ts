import { keccak256, stringToBytes } from 'viem';
import type { Address } from '../../model/trade-request.ts';

/** The accounts of a run. Nobody holds their keys, and no service has seen them before. */
export type Accounts = {
  readonly user: Address;
  readonly recipient: Address;
  /** A second user, for trades in which another account sends or requests the calldata. */
  readonly wallet: Address;
  /** Receives test transfers, which show how a token behaves. */
  readonly witness: Address;
  /** Trades directly with pools. */
  readonly trader: Address;
  /** Takes part in no trade, but has approved the routers, as their users have. */
  readonly approver: Address;
};

/** Derives the accounts of a run from a salt. No byte of their addresses is zero. */
export function accountsFrom(salt: string): Accounts {
  const accountOf = (role: string): Address => {
    const hash = keccak256(stringToBytes(`${salt} ${role}`)).slice(2, 42);
    return `0x${hash.replaceAll('00', '7f')}`;
  };
  return {
    user: accountOf('user'),
    recipient: accountOf('recipient'),
    wallet: accountOf('wallet'),
    witness: accountOf('witness'),
    trader: accountOf('trader'),
    approver: accountOf('approver'),
  };
}
