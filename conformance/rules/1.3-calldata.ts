import { KIND_TRADES, within } from '../generate/budget.ts';
import { calldataFormsOf, inForm, spreadInForms } from '../generate/forms.ts';
import { setParameter, tradesOf } from '../generate/trades.ts';
import type { Rule } from '../model/rule.ts';
import { hasCalldataFields } from '../rule-kit/calldata-fields.ts';
import { when } from '../rule-kit/reply-judges.ts';
import { body } from '../rule-kit/reply-values.ts';
import { probeRules, relationRules, replyRules } from '../rule-kit/rules-by-id.ts';
import { samePlan } from '../rule-kit/same-plan.ts';
import { calldataQueries, NO_CALLDATA, withoutCalldata } from '../rule-kit/sample-queries.ts';
import { all, buyLess, has, isEncoded, not, on, reject } from '../rule-kit/service-breaks.ts';
import { acceptsVariants, rejectedVariant } from '../rule-kit/valid-variants.ts';

/** @see Specification 1.3 */
export const rules: readonly Rule[] = [
  ...replyRules('swap', {
    // "The response also carries the router contract address and an estimated gas limit".
    'swap/calldata-complete': {
      clause: '1.3 calldata',
      must: 'returns `routerAddress` and `gasLimit` with `calldata`',
      needs: 'a plan with calldata',
      check: when(
        (input) => body(input).some(({ value }) => 'calldata' in value),
        hasCalldataFields,
      ),
      breaks: [
        [{ '/routerAddress': undefined }, 'at the top level: `routerAddress` is missing'],
        [{ '/gasLimit': undefined }, 'at the top level: `gasLimit` is missing'],
        [
          { '/gasLimit': undefined },
          { origin: 'body-only' },
          'at the top level: `gasLimit` is missing',
        ],
      ],
      notApplicable: [[{ '/calldata': undefined }], [{}, { of: 'plainSwap' }]],
    },
  }),
  ...probeRules({
    'swap/every-plan-encoded': {
      clause: '1.3 calldata',
      should: 'returns calldata for every plan of a router that returns calldata for some',
      because:
        '"Whether an encoder for calldata generation is available for this router": then every plan of that router can be encoded.',
      check: acceptsVariants(
        (session) =>
          spreadInForms(tradesOf(session.facts), within(KIND_TRADES, session), calldataFormsOf).map(
            ([trade, form]) => {
              const requested = inForm(trade, form);
              // Requests for the default router's plans do not name a router.
              const varied =
                form.calldataOf === 'default-router'
                  ? setParameter(requested, 'router', [])
                  : requested;
              return {
                added: [['includeCalldata', 'true']],
                base: withoutCalldata(varied),
                varied,
              };
            },
          ),
        NO_CALLDATA,
      ),
      breaks: [
        [
          on(all(has('buyAmount'), isEncoded), reject),
          rejectedVariant(['includeCalldata', 'true']),
        ],
        [
          on(all(isEncoded, not(has('router'))), reject),
          rejectedVariant(['includeCalldata', 'true']),
        ],
      ],
      valid: [
        [
          'returns no calldata if the request names a router',
          on(all(isEncoded, has('router')), reject),
        ],
      ],
    },
  }),
  ...relationRules({
    'relation/calldata-leaves-plan': {
      clause: '1.3 calldata',
      should: 'returns the same plan with and without calldata',
      because:
        '"The plan format is independent of any router contract": calldata encodes the plan and does not change it.',
      check: samePlan(
        'with and without calldata',
        (session) => calldataQueries(session).map((query) => [query, withoutCalldata]),
        NO_CALLDATA,
      ),
      breaks: [
        [
          on(isEncoded, buyLess),
          'expected the same plan with and without calldata: …, got another plan: …',
        ],
      ],
    },
  }),
];
