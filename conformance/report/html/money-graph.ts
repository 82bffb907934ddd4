import { counted } from '../../contract/counted.ts';
import { shorten } from '../../contract/cut-text.ts';
import type { PlanEdge, PlanGraph, PlanNode } from '../../drawing/plan-graph.ts';
import type { Moved } from '../../model/evidence.ts';
import { formatAmount } from '../../model/format-amount.ts';

const MAX_PAYMENTS = 60;
const SENDER = 'the sender';
const RECIPIENT = 'the recipient';
/** Suffix of a second box, for the sender when it is paid, or for an account that pays itself. */
const PAYEE_SUFFIX = ', paid';

/**
 * Returns the graph of payments: accounts are boxes, and payments are arrows. Payments of one token
 * between the same two accounts are merged.
 */
export function moneyGraph(money: readonly Moved[]): PlanGraph {
  const payments = sumPayments(money).slice(0, MAX_PAYMENTS);
  const sender = payments.find(({ fromName }) => fromName === SENDER)?.from;
  const keyOfPayee = ({ from, to }: Moved) =>
    to === sender || to === from ? `${to}${PAYEE_SUFFIX}` : to;
  const nodes = new Map<string, PlanNode>();
  for (const payment of payments) {
    const { from, fromName, to, toName } = payment;
    const payee = keyOfPayee(payment);
    if (!nodes.has(from)) nodes.set(from, account(from, from, fromName));
    if (!nodes.has(payee)) nodes.set(payee, account(payee, to, toName));
  }
  return {
    nodes: [...nodes.values()],
    edges: payments.map((each) => edge(each, keyOfPayee(each))),
  };
}

/** Returns the number of merged payments that the drawing omits. */
export function omittedPayments(money: readonly Moved[]): number {
  return Math.max(0, sumPayments(money).length - MAX_PAYMENTS);
}

function sumPayments(money: readonly Moved[]): readonly Moved[] {
  const sums = new Map<string, Moved>();
  for (const moved of money) {
    const key = `${moved.from} ${moved.to} ${moved.token}`;
    const before = BigInt(sums.get(key)?.amount ?? 0);
    sums.set(key, { ...moved, amount: String(before + BigInt(moved.amount)) });
  }
  return [...sums.values()];
}

function account(key: string, address: string, name: string | undefined): PlanNode {
  const isPaid = key.endsWith(PAYEE_SUFFIX);
  const isPayee = isPaid || name === RECIPIENT;
  const role = name === SENDER && !isPaid ? 'sell' : isPayee ? 'buy' : 'token';
  const short = `${shorten(address, 8)}${address.slice(-4)}`;
  return {
    key,
    lines: [
      name === undefined ? 'unknown' : `${shorten(name, 26)}${isPaid ? PAYEE_SUFFIX : ''}`,
      short,
    ],
    role: name === undefined ? 'missing' : role,
    marked: false,
    hint: `${name ?? 'an account without a name'}: ${address}`,
  };
}

function edge({ from, symbol, token, decimals, amount }: Moved, to: string): PlanEdge {
  return {
    from,
    to,
    lines: [shorten(symbol ?? token, 18), formatAmount(amount, decimals)],
    marked: false,
    selfLoop: false,
    hint: `${counted(amount, 'base unit')} of ${token}`,
  };
}
