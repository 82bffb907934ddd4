import type { Log, TokenAmount } from '../model/settlement.ts';
import type { Address } from '../model/trade-request.ts';

/** What moved from one account to another. */
export type Transfer = TokenAmount & { readonly from: Address; readonly to: Address };

/** `Transfer(address indexed from, address indexed to, uint256 value)` */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Returns the transfer that an event of a token tells of; undefined for other events. */
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

/** Returns the address in a word of 32 bytes. */
export function accountIn(word: string): Address {
  return `0x${word.slice(-40).toLowerCase()}`;
}
