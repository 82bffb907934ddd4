import type { RouterInfo } from '../../contract/resources.ts';
import type { Address } from '../../model/trade-request.ts';
import type { Rpc } from '../node/json-rpc.ts';
import { readAddress } from '../settle/read-swap-plan.ts';
import { allowanceRead, readWords, UNUSED_ACCOUNT } from './token-reads.ts';

/** The approval that a router needs to take the sold token. */
export type Approval = {
  readonly router: Address;
  /** The contract that takes the tokens: the router, its token proxy, or Permit2. */
  readonly spender: Address;
  /** True if the spender is Permit2. Then the router must also be approved in Permit2. */
  readonly viaPermit2: boolean;
};

/**
 * Returns the account to approve for a router of `/chainInfo`: its token proxy if it has one,
 * otherwise the router itself. A proxy that responds like Permit2 counts as Permit2, whatever its
 * address.
 *
 * @see Specification 2.9 `tokenProxyAddress`
 */
export async function approvalOf(rpc: Rpc, info: RouterInfo): Promise<Approval | undefined> {
  const router = readAddress(info.deployedAddress);
  if (router === undefined) return undefined;
  const spender = readAddress(info.tokenProxyAddress) ?? router;
  const viaPermit2 = spender !== router && (await isPermit2(rpc, spender));
  return { router, spender, viaPermit2 };
}

/**
 * Returns whether a contract is Permit2. Only Permit2 stores an amount, an expiration and a nonce
 * for each owner, token and spender.
 */
async function isPermit2(rpc: Rpc, address: Address): Promise<boolean> {
  const read = allowanceRead(address, [UNUSED_ACCOUNT, UNUSED_ACCOUNT, UNUSED_ACCOUNT]);
  return (await readWords(rpc, read))?.length === 3;
}
