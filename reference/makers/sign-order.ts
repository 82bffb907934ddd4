import { hashTypedData } from 'viem/utils';
import type { Address } from '../planner/domain/address.ts';
import { type MakerOrder, ORDER_FIELDS } from '../planner/pools/maker-order.ts';

type OrderDomain = { readonly chainId: number; readonly makerOrders: Address };

/**
 * Returns the EIP-712 hash of an order, for its maker to sign.
 *
 * @see ../contracts/MakerOrders.sol
 */
export function hashOrder({ chainId, makerOrders }: OrderDomain, order: MakerOrder): `0x${string}` {
  return hashTypedData({
    domain: {
      name: 'Swapcheck Maker Orders',
      version: '1',
      chainId,
      verifyingContract: makerOrders,
    },
    types: { MakerOrder: ORDER_FIELDS },
    primaryType: 'MakerOrder',
    message: order,
  });
}

/** Returns the order's signature: r, s and v as 65 bytes of hex. */
export async function signOrder(
  domain: OrderDomain,
  order: MakerOrder,
  privateKey: `0x${string}`,
): Promise<`0x${string}`> {
  // Loaded on first use: most requests need no signature.
  const { sign } = await import('viem/accounts');
  return sign({ hash: hashOrder(domain, order), privateKey, to: 'hex' });
}
