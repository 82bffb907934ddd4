import { encodeFunctionData, maxUint256, parseAbi } from 'viem';
import type { RouterInfo } from '../contract/resources.ts';
import type { UserCall } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';
import { UNUSED_ACCOUNT } from './funding.ts';
import { type Rpc, undefinedIfRejected } from './json-rpc.ts';
import { readAddress } from './read-swap-plan.ts';

/** The account that a user approves so that a router can take the sold token. */
export type Approval = {
  readonly router: Address;
  /** The contract that takes the tokens: the router, its token proxy, or Permit2. */
  readonly spender: Address;
  /** Whether the spender is Permit2, in which the router must be approved, too. */
  readonly viaPermit2: boolean;
};

const ABI = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function allowance(address owner, address token, address spender) view returns (uint160, uint48, uint48)',
]);
const MAX_UINT160 = (1n << 160n) - 1n;
const MAX_UINT48 = 2 ** 48 - 1;

/**
 * Returns the spender to approve for a router of `/chainInfo`: its token proxy if it has one, otherwise
 * the router. A proxy that responds like Permit2 counts as Permit2, whatever its address.
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

/** Returns the calls with which a user approves any amount of a token for a router. */
export function approvalCalls(token: Address, approval: Approval): readonly UserCall[] {
  const { router, spender, viaPermit2 } = approval;
  const args = [spender, maxUint256] as const;
  const approve = encodeFunctionData({ abi: ABI, functionName: 'approve', args });
  const calls: UserCall[] = [{ to: token, value: 0n, data: approve }];
  if (viaPermit2) {
    const grant = [token, router, MAX_UINT160, MAX_UINT48] as const;
    const data = encodeFunctionData({ abi: ABI, functionName: 'approve', args: grant });
    calls.push({ to: spender, value: 0n, data });
  }
  return calls;
}

/** Only Permit2 stores an amount, an expiration and a nonce for each owner, token and spender. */
async function isPermit2(rpc: Rpc, address: Address): Promise<boolean> {
  const args = [UNUSED_ACCOUNT, UNUSED_ACCOUNT, UNUSED_ACCOUNT] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'allowance', args });
  const returned = await undefinedIfRejected(
    rpc<string>('eth_call', [{ to: address, data }, 'latest']),
  );
  return returned?.length === 2 + 3 * 64;
}
