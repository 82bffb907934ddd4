import { sameAddress } from '../checks/hex.ts';
import { parameterOf } from '../client/request.ts';
import { isNative } from '../contract/names.ts';
import { TradeTokenSchema } from '../contract/resources.ts';
import { NATIVE, WRAPPED } from '../model/golden-addresses.ts';
import { type JudgedReply, tokenAt } from '../model/judged-reply.ts';
import type { Rule } from '../model/rule.ts';
import { quote, words } from '../model/statement.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { chainInfoFor } from '../rule-kit/known-chains.ts';
import { each, inPlan, none, observe } from '../rule-kit/reply-judges.ts';
import { body, SIDES, sides } from '../rule-kit/reply-values.ts';
import { replyRules } from '../rule-kit/rules-by-id.ts';

const NONE: readonly never[] = [];

function flagsOfWrappedSides(input: JudgedReply) {
  const { exchange, plan: view } = input;
  const native = SIDES.filter(({ parameter }) =>
    isNative(parameterOf(exchange.query, parameter) ?? ''),
  );
  if (native.length === 0) return NONE;
  const wrapped = chainInfoFor(input)?.wrappedNativeTokenAddress;
  if (view === undefined || wrapped === undefined) return [];
  const { plan } = view;
  return native.flatMap(({ side, flag, find }) => {
    const address = tokenAt(plan, plan[side].referenceId)?.address;
    return address !== undefined && sameAddress(address, wrapped)
      ? find(input).map(({ pointer, value }) => ({
          pointer,
          side,
          flag,
          value: value[flag],
        }))
      : [];
  });
}

/** @see Specification 2.2 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    { section: '2.2', slug: 'trade-token', endpoint: 'swap', at: ['/sell', '/buy'] },
    TradeTokenSchema,
    sides,
  ),
  ...replyRules('swap', {
    'trade-token/reference-resolves': {
      clause: '2.2 referenceId',
      must: 'refers only to entries of `tokens` in `sell` and `buy`',
      check: none(
        inPlan(({ dangling }) => dangling.ends),
        'dangling',
        words`the \`referenceId\` of an entry in \`tokens\``,
        ({ referenceId }) => words`${quote(referenceId)}, which no entry has`,
      ),
      breaks: [
        [{ '/sell/referenceId': 12 }, 'at /sell/referenceId: 12, which no entry has'],
        [
          { '/tokens': [] },
          { of: 'nativeSell' },
          'at /sell/referenceId: 0, which no entry has',
          'at /buy/referenceId: 600, which no entry has',
        ],
      ],
      notApplicable: [[{ '': [] }]],
    },
    'trade-token/native-sides-flagged': {
      clause: '2.2 wrapFromNative',
      should: 'flags the native side of a plan that trades the wrapped token',
      because:
        '"Present when the sell token is the native token and needs wrapping". The level is only should, since 4.1 rule 5 says "may appear".',
      needs: 'a plan with a native side that trades its wrapped token',
      check: each(
        flagsOfWrappedSides,
        (value) => value === true,
        'not-flagged',
        ({ side, flag }) =>
          words`\`${side}.${flag}\` is true: native was requested, and the plan trades its wrapped token`,
      ),
      breaks: [
        [{ '/sell/wrapFromNative': undefined }, { of: 'nativeSell' }, 'at /sell: nothing'],
        [{ '/sell/wrapFromNative': false }, { of: 'nativeSell' }, 'at /sell: false'],
      ],
      valid: [[{}, { of: 'nativeSell' }]],
      notApplicable: [
        [{ '': {} }],
        [{ '/tokens/0/address': NATIVE }, { of: 'nativeSell' }],
        [{}, { of: 'nativeSell', query: { chainId: '501' } }],
        [{}, { of: 'nativeSell', query: { sellToken: WRAPPED } }],
      ],
    },
    // 4.1 rule 5 leaves the flags open ("may appear"), so this rule records how the service uses
    // the flags.
    'trade-token/flags-observed': {
      clause: '2.2 unwrapToNative',
      observes: 'whether it sends wrap flags as false',
      check: observe((input) => {
        if (body(input).length === 0) return undefined;
        const isFalse = SIDES.some(({ find, flag }) =>
          find(input).some(({ value }) => value[flag] === false),
        );
        return isFalse ? 'some wrap flags are false' : 'no wrap flag is false';
      }),
      breaks: [
        [{}, 'no wrap flag is false'],
        [{ '/sell/wrapFromNative': false }, 'some wrap flags are false'],
        [{ '/sell/wrapFromNative': true }, 'no wrap flag is false'],
      ],
    },
  }),
];
