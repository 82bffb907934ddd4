import type { Log, Payment, TracedFrame } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import { paymentIn } from '../../rule-kit/transfers.ts';

/**
 * Returns the payments that a simulated transaction's events report, including payments in the
 * native token.
 */
export function paymentsInLogs(logs: readonly Log[]): readonly Payment[] {
  return withoutRepeats(logs.flatMap((log) => paymentIn(log) ?? []));
}

/** Returns the payments within a traced call, in the order of the transaction. */
export function paymentsInCalls(root: TracedFrame): readonly Payment[] {
  return withoutRepeats(paymentsInOrder(root));
}

function paymentsInOrder(frame: TracedFrame): readonly Payment[] {
  const { error, logs = [], calls = [] } = frame;
  if (error !== undefined) return [];
  const after = (count: number) =>
    logs
      .filter(({ position = '0x0' }) => Number(position) === count)
      .flatMap((log) => paymentIn(log) ?? []);
  return [
    ...nativeSentBy(frame),
    ...after(0),
    ...calls.flatMap((call, index) => [...paymentsInOrder(call), ...after(index + 1)]),
  ];
}

/** Returns the payment of the native tokens that a call sends, if any. */
export function nativeSentBy({ type, from, to, value = '0x0' }: TracedFrame): readonly Payment[] {
  const amount = type === 'DELEGATECALL' || type === 'CALLCODE' ? 0n : BigInt(value);
  const isSent = amount > 0n && to !== undefined;
  return isSent ? [{ token: NATIVE_TOKEN, from, to, amount, by: 'native' }] : [];
}

/** Counts a deposit once, as wrapping. Some wrapped tokens also report a deposit as a transfer. */
function withoutRepeats(payments: readonly Payment[]): readonly Payment[] {
  const keyOf = ({ token, from, to, amount }: Payment) => [token, from, to, amount].join();
  const wraps = new Set(payments.filter(({ by }) => by === 'wrap').map(keyOf));
  return payments.filter((payment) => payment.by !== 'transfer' || !wraps.has(keyOf(payment)));
}
