import { successObject } from '../../checks/reply-body.ts';
import type { Query } from '../../client/request.ts';
import { RELATION_TRADES } from '../../generate/budget.ts';
import { calldataFormsOf, inForm, spreadInForms } from '../../generate/forms.ts';
import {
  parameterIn,
  RECIPIENT_ADDRESS,
  setParameter,
  swapTarget,
  tradesOf,
} from '../../generate/trades.ts';
import type { ProbeRule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { createTally, replyOf } from '../../rule-kit/probing.ts';

/** A change of a trade that its transaction must show. */
type Change = { readonly what: string; readonly of: (query: Query) => Query };

const CHANGES: readonly Change[] = [
  {
    what: 'of half the amount',
    of: (query) => {
      const name = parameterIn(query, 'sellAmount') === '' ? 'buyAmount' : 'sellAmount';
      return setParameter(query, name, [String((BigInt(parameterIn(query, name)) + 1n) / 2n)]);
    },
  },
  {
    what: 'for another recipient',
    of: (query) => setParameter(query, 'recipientAddress', [RECIPIENT_ADDRESS]),
  },
  {
    what: 'at a tolerance of a half',
    of: (query) => setParameter(query, 'slippageTolerance', ['0.5']),
  },
];

/**
 * "Calldata that settles the trade": what settles one trade does not settle
 * another as well. Native sales are left out, whose amount the transaction's
 * value may tell.
 */
const calldataDiffers: ProbeRule = {
  kind: 'probe',
  id: 'swap-response/calldata-differs',
  clause: '2.1 calldata',
  level: 'should',
  title: 'trades that differ in amount, recipient or tolerance have calldata that differs',
  run: async (session) => {
    const trades = tradesOf(session.facts).filter(({ pair }) => !pair.sell.native);
    const queries = spreadInForms(trades, RELATION_TRADES, calldataFormsOf).map(([trade, form]) =>
      inForm(trade, form),
    );
    if (queries.length === 0) {
      return { kind: 'not-applicable', why: 'no router of this service gives calldata' };
    }
    const tally = createTally();
    await Promise.all(
      queries.map(async (query) => {
        const whole = await calldataOf(session, query);
        for (const { what, of } of CHANGES) {
          const changed = await calldataOf(session, of(query));
          if (whole === undefined || changed === undefined) continue;
          tally.check(
            whole.calldata === changed.calldata
              ? {
                  expected: `other calldata for the trade ${what}`,
                  actual: `the same, of ${whole.calldata.length} characters`,
                  pointer: '/calldata',
                  exchange: changed.exchange,
                }
              : undefined,
          );
        }
      }),
    );
    return tally.verdict('no two trades were answered with calldata');
  },
};

async function calldataOf({ get }: Session, query: Query) {
  const exchange = await get(swapTarget(query));
  const reply = replyOf(exchange);
  const calldata = reply === undefined ? undefined : successObject(reply)?.['calldata'];
  return typeof calldata === 'string' ? { calldata, exchange } : undefined;
}

/** @see Specification 2.1 calldata */
export const calldataRules: readonly ProbeRule[] = [calldataDiffers];
