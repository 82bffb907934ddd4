import { isPoolIdentifier, isZeroAddress } from '../checks/hex.ts';
import { isObject } from '../checks/reply-body.ts';
import { RouteSchema } from '../contract/resources.ts';
import { formatQuoted } from '../model/format-statement.ts';
import { NATIVE } from '../model/golden-addresses.ts';
import type { Rule } from '../model/rule.ts';
import { account, words } from '../model/statement.ts';
import { faultUnless } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { isHexPlan } from '../rule-kit/hex-addresses.ts';
import { each, inPlan, none, observe, when } from '../rule-kit/reply-judges.ts';
import { type Fields, routes, strings } from '../rule-kit/reply-values.ts';
import { isWithoutRfq } from '../rule-kit/request-parameters.ts';
import { replyRules, settlementRules } from '../rule-kit/rules-by-id.ts';

function keysOfDetails({ name, details }: Fields): string {
  const keys = isObject(details) ? Object.keys(details).sort() : [];
  return `${formatQuoted(name)}: ${keys.slice(0, 8).map(formatQuoted).join(', ') || 'none'}`;
}

/** @see Specification 2.4 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    { section: '2.4', slug: 'route', endpoint: 'swap', at: ['/routes/0'] },
    RouteSchema,
    routes,
  ),
  ...replyRules('swap', {
    // "Tokens swapped from", "Tokens swapped to": a swap has both.
    'route/two-ends': {
      clause: '2.4 fromTokens',
      must: 'swaps at least one token for at least one other in every route',
      check: none(
        inPlan(({ plan, graph }) => (plan.routes.length === 0 ? undefined : graph.openEnded)),
        'open-end',
        words`at least one token in \`fromTokens\` and one in \`toTokens\``,
        words`no token at one end`,
      ),
      breaks: [[{ '/routes/0/fromTokens': [] }, 'at /routes/0: no token at one end']],
      notApplicable: [[{ '/routes': [] }]],
    },
    'route/address-hex': {
      clause: '2.4 address',
      should:
        'gives pool addresses as 20 bytes of hex (or a 32-byte pool id), on chains with such addresses',
      because:
        '"Address of the liquidity pool": a client that encodes the plan calls it. Pools of singleton contracts are known by 32-byte ids, so those pass too.',
      check: when(
        isHexPlan,
        each(
          strings(routes, 'address'),
          isPoolIdentifier,
          'not-hex',
          words`\`0x\` and 40 hex digits, or 64`,
        ),
      ),
      breaks: [[{ '/routes/0/address': 'pool' }, 'at /routes/0/address']],
      valid: [
        [
          {
            '/routes/0/address':
              '0x3333333333333333333333333333333333333333333333333333333333333333',
          },
        ],
      ],
    },
    'route/address-of-a-pool': {
      clause: '2.4 address',
      should: 'names no pool at the zero address',
      because:
        '"Address of the liquidity pool": no pool has the zero address. A market maker need not be a pool.',
      needs: 'a plan without RFQ liquidity',
      check: when(
        ({ exchange }) => isWithoutRfq(exchange),
        each(
          strings(routes, 'address'),
          (address) => !isZeroAddress(address),
          'zero-address',
          words`the address of a pool`,
        ),
      ),
      breaks: [
        [{ '/routes/0/address': NATIVE }, 'at /routes/0/address'],
        [{ '/routes/0/address': NATIVE }, { query: { useRfq: 'false' } }, 'at /routes/0/address'],
      ],
      notApplicable: [[{ '/routes/0/address': NATIVE }, { query: { useRfq: 'true' } }]],
    },
    'route/ends-observed': {
      clause: '2.4 toTokens',
      observes: 'how many tokens its routes have at each end',
      check: observe((input) => {
        const seen = new Set<string>();
        for (const { value } of routes(input)) {
          const [from, to] = [value['fromTokens'], value['toTokens']];
          if (Array.isArray(from) && Array.isArray(to)) seen.add(`${from.length} to ${to.length}`);
        }
        return seen.size === 0 ? undefined : [...seen].sort();
      }),
      breaks: [
        [{}, '1 to 1'],
        [{ '/routes/0/fromTokens/1': { referenceId: 1, amount: '5' } }, '1 to 1', '2 to 1'],
      ],
    },
    // "Keys inside `details` for each liquidity source: not shown".
    'route/details-observed': {
      clause: '2.4 keys of details',
      observes: 'which keys it puts into `details`',
      check: observe((input) => {
        const seen = new Set<string>();
        for (const { value } of routes(input)) seen.add(keysOfDetails(value));
        return seen.size === 0 ? undefined : [...seen].sort();
      }),
      breaks: [
        [
          {},
          '"SourceA": "fee"',
          '"SourceA": none',
          '"SourceB": "feeInBps", "fromFewWrappedTokenAddress"',
        ],
        [
          { '/routes/0/details': { c: 1, a: 2 }, '/routes/1/details': {} },
          '"SourceA": none',
          '"SourceB": "a", "c"',
        ],
      ],
    },
  }),
  ...settlementRules('through-pools', {
    'execution/pools-are-contracts': {
      clause: '2.4 address',
      should: 'names a contract on the chain as the address of each pool',
      because: '"Address of the liquidity pool": a client that encodes the plan calls it.',
      needs: 'a plan',
      check: ({ poolsWithoutCode }, t) => {
        const [pool] = poolsWithoutCode;
        return t.check(
          faultUnless(
            pool === undefined,
            'no-code',
            words`a contract at the address of every pool`,
            words`no code at ${account(pool ?? '')}`,
          ),
        );
      },
      breaks: [[{ poolsWithoutCode: ['pool2', 'pool1'] }, 'no code at pool2']],
    },
  }),
];
