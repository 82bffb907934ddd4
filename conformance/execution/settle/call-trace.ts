import type { TracedFrame } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';
import { accountIn, type Transfer, transferIn, ZERO_ADDRESS } from '../../rule-kit/transfers.ts';
import { nativeSentBy } from './payments.ts';
import { describeRevert, identifyRevert, OUT_OF_GAS } from './revert.ts';

/**
 * A payment that a contract ordered. `callers` are the calls that led to it, the transaction first.
 */
export type OrderedPayment = Transfer & { readonly callers: readonly TracedFrame[] };

const TRANSFER_CALL = '0xa9059cbb';
const TRANSFER_FROM_CALL = '0x23b872dd';

/** Returns whether a call orders a standard transfer of a token. */
export function isTransferCall({ input }: TracedFrame): boolean {
  return input.startsWith(TRANSFER_CALL) || input.startsWith(TRANSFER_FROM_CALL);
}

/** Returns the reason why a transaction failed, as text and as an identifier. */
export function whyFailed(root: TracedFrame): { readonly reason: string; readonly error: string } {
  const ranOut = (frame: TracedFrame): boolean =>
    /out ?of ?gas/i.test(frame.error ?? '') || (frame.calls ?? []).some(ranOut);
  if (ranOut(root)) return { reason: 'it ran out of gas', error: OUT_OF_GAS };
  const output = root.output ?? '0x';
  return { reason: describeRevert(output), error: identifyRevert(output) };
}

/**
 * Returns the account that acts in a call. A delegate call runs other code in its caller's account,
 * so its caller acts.
 */
export function actorOf({ type, from, to = from }: TracedFrame): Address {
  return type === 'DELEGATECALL' || type === 'CALLCODE' ? from : to;
}

/**
 * Returns the payments that contracts ordered within a call: native tokens sent with calls, and
 * calls to tokens.
 */
export function paymentsIn(
  frame: TracedFrame,
  callers: readonly TracedFrame[] = [],
): readonly OrderedPayment[] {
  if (frame.error !== undefined) return [];
  const inner = [...callers, frame];
  return [
    ...[...nativeSentBy(frame), ...orderIn(frame)].map((payment) => ({ ...payment, callers })),
    ...(frame.calls ?? []).flatMap((call) => paymentsIn(call, inner)),
  ];
}

/**
 * Returns the transfer that a call orders. A token may have non-standard payment functions, whose
 * payee is the caller or an account in the arguments.
 */
function orderIn({ type, from, to, input, logs = [] }: TracedFrame): readonly Transfer[] {
  if (type !== 'CALL' || to === undefined) return [];
  const words = input.slice(10).match(/.{64}/g) ?? [];
  const [payer, payee, amount] = input.startsWith(TRANSFER_FROM_CALL)
    ? [words[0], words[1], words[2]]
    : input.startsWith(TRANSFER_CALL)
      ? [from, words[0], words[1]]
      : [];
  if (payer === undefined) {
    const named = new Set([from, ...words.map(accountIn)]);
    const paid = logs.flatMap((log) =>
      log.address.toLowerCase() === to ? (transferIn(log) ?? []) : [],
    );
    return paid.filter((each) => each.from !== ZERO_ADDRESS && named.has(each.to));
  }
  if (payee === undefined || amount === undefined) return [];
  const parties = { from: accountIn(payer), to: accountIn(payee) };
  return [{ token: to, ...parties, amount: BigInt(`0x${amount}`) }];
}
