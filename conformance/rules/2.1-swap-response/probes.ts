import { successObject } from '../../checks/reply-body.ts';
import type { Query } from '../../client/request.ts';
import {
  changeAmount,
  RECIPIENT_ADDRESS,
  setParameter,
  swapTarget,
} from '../../generate/trades.ts';
import type { Check, Rule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { counted, ownWords, words } from '../../model/statement.ts';
import { replyOf } from '../../rule-kit/reply-status.ts';
import { probeRules } from '../../rule-kit/rules-by-id.ts';
import { calldataQueries, NO_CALLDATA } from '../../rule-kit/sample-queries.ts';
import { encodeAs, has, isEncoded, on } from '../../rule-kit/service-breaks.ts';

type TradeChange = {
  readonly id: string;
  readonly what: string;
  readonly of: (query: Query) => Query;
};

const CHANGES: readonly TradeChange[] = [
  {
    id: 'amount',
    what: 'with half the amount',
    of: (query) => changeAmount(query, (amount) => (amount + 1n) / 2n),
  },
  {
    id: 'recipient',
    what: 'with another recipient',
    of: (query) => setParameter(query, 'recipientAddress', [RECIPIENT_ADDRESS]),
  },
  {
    id: 'tolerance',
    what: 'with a tolerance of 0.5',
    of: (query) => setParameter(query, 'slippageTolerance', ['0.5']),
  },
];

/**
 * Skips sales of the native token, because their calldata need not contain the amount: the value of
 * the transaction does.
 */
const compareCalldata = async (session: Session, t: Check) => {
  const queries = calldataQueries(session, ({ pair }) => !pair.sell.native);
  if (queries.length === 0) return t.skip(NO_CALLDATA);
  await Promise.all(
    queries.map(async (query) => {
      const [calldata] = await calldataOf(session, query);
      for (const { id, what, of } of CHANGES) {
        const [changed] = await calldataOf(session, of(query));
        if (calldata === undefined || changed === undefined) continue;
        const { pointer, value, exchange } = changed;
        const expected = words`other calldata for the same trade ${ownWords(what)}`;
        const actual = words`the same ${counted(value.length, 'character')}`;
        const identity = { fault: 'same', data: { changed: id }, pointer };
        t.check(calldata.value === value ? { ...identity, expected, actual } : undefined, exchange);
      }
    }),
  );
  t.stuck('no two trades returned calldata');
};

async function calldataOf({ get }: Session, query: Query) {
  const exchange = await get(swapTarget(query));
  const reply = replyOf(exchange);
  const value = reply && successObject(reply)?.['calldata'];
  return typeof value === 'string' ? [{ pointer: '/calldata', value, exchange }] : [];
}

/** @see Specification 2.1 */
export const rules: readonly Rule[] = probeRules({
  'swap-response/calldata-differs': {
    clause: '2.1 calldata',
    should: 'returns different calldata for trades that differ in amount, recipient or tolerance',
    because: '"Calldata that settles the trade": calldata for one trade does not settle another.',
    check: compareCalldata,
    breaks: [
      [
        on(isEncoded, encodeAs('0x3593564c')),
        'expected other calldata for the same trade with half the amount, got the same 10 characters',
        'expected other calldata for the same trade with another recipient, got the same 10 characters',
        'expected other calldata for the same trade with a tolerance of 0.5, got the same 10 characters',
      ],
    ],
    valid: [
      [
        'returns the same calldata for all recipients',
        on(has('recipientAddress'), encodeAs('0x3593564c')),
      ],
    ],
  },
});
