import type { Log, Payment } from '../model/scenario.ts';
import { NATIVE_TOKEN, type TokenAmount } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';

/** A transfer of tokens from one account to another. */
export type Transfer = TokenAmount & { readonly from: Address; readonly to: Address };

/** `Transfer(address indexed from, address indexed to, uint256 value)` */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Returns the transfer in an event of a token; undefined for other events. */
export function transferIn({ address, topics, data }: Log): Transfer | undefined {
  const [event, from, to] = topics;
  if (event !== TRANSFER || from === undefined || to === undefined || data.length < 66) {
    return undefined;
  }
  return {
    token: address.toLowerCase() as Address,
    from: accountIn(from),
    to: accountIn(to),
    amount: BigInt(data.slice(0, 66)),
  };
}

/**
 * `Deposit(address indexed dst, uint256 wad)` and `Withdrawal(address indexed src, uint256 wad)` of
 * the wrapped native token.
 */
const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';
/** Sender of minted tokens and recipient of burned tokens. */
export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';

/** Returns the mint or burn in an event of the wrapped native token; undefined for other events. */
export function wrapIn({ address, topics: [event, account], data }: Log): Transfer | undefined {
  if (account === undefined || data.length < 66) return undefined;
  const moved = { token: address.toLowerCase() as Address, amount: BigInt(data.slice(0, 66)) };
  if (event === DEPOSIT) return { ...moved, from: ZERO_ADDRESS, to: accountIn(account) };
  if (event === WITHDRAWAL) return { ...moved, from: accountIn(account), to: ZERO_ADDRESS };
  return undefined;
}

/** Address that nodes report as the token of a native payment, in simulated events. */
const NATIVE_TOKEN_IN_EVENTS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

/** Returns the payment that an event reports; undefined for other events. */
export function paymentIn(log: Log): Payment | undefined {
  const transfer = transferIn(log);
  if (transfer?.token === NATIVE_TOKEN_IN_EVENTS) {
    return transfer.amount === 0n ? undefined : { ...transfer, token: NATIVE_TOKEN, by: 'native' };
  }
  if (transfer !== undefined) return { ...transfer, by: 'transfer' };
  const wrap = wrapIn(log);
  return wrap && { ...wrap, by: 'wrap' };
}

/** Returns the net amount of each token that each account received. */
export function netOf(
  transfers: readonly Transfer[],
): ReadonlyMap<Address, ReadonlyMap<Address, bigint>> {
  const net = new Map<Address, Map<Address, bigint>>();
  const add = (account: Address, token: Address, amount: bigint) => {
    const tokens = net.get(account) ?? new Map<Address, bigint>();
    net.set(account, tokens.set(token, (tokens.get(token) ?? 0n) + amount));
  };
  for (const { token, from, to, amount } of transfers) {
    add(from, token, -amount);
    add(to, token, amount);
  }
  return net;
}

/** Returns the address in a word of 32 bytes. */
export function accountIn(word: string): Address {
  return `0x${word.slice(-40).toLowerCase()}`;
}
