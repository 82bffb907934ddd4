import { isDecimal, textFitsUint256 } from '../checks/amounts.ts';
import { statusOf } from '../client/exchange.ts';
import { BOUND_TRADES, within } from '../generate/budget.ts';
import { calldataFormsOf } from '../generate/forms.ts';
import {
  exactInput,
  exactOutput,
  setParameter,
  swapTarget,
  TOLERANCES,
  type Trade,
  tradesOf,
} from '../generate/trades.ts';
import type { Check, Rule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { words } from '../model/statement.ts';
import { observeEach, ofFirstTrade } from '../rule-kit/probes.ts';
import { each, eachAmount, observe, when } from '../rule-kit/reply-judges.ts';
import {
  isInformative,
  NOTHING_LEARNED,
  statusData,
  statusWords,
} from '../rule-kit/reply-status.ts';
import { entries, numbers, planTokens } from '../rule-kit/reply-values.ts';
import { probeRules, replyRules } from '../rule-kit/rules-by-id.ts';
import { NO_CALLDATA, NO_PLAN } from '../rule-kit/sample-queries.ts';
import { has, on, reject, respond } from '../rule-kit/service-breaks.ts';
import { acceptsValues, rejectedVariant } from '../rule-kit/valid-variants.ts';

const isDecimals = (decimals: number) => decimals >= 0 && decimals <= 18;

/**
 * One base unit is a valid amount, even if it is too little for a trade. The specification leaves
 * open which status a trade without a plan gets, so the probe requests a trade that no pool can
 * fill.
 */
const trySmallestAmounts = async (session: Session, t: Check) => {
  const trades = tradesOf(session.facts).slice(0, within(BOUND_TRADES, session));
  await Promise.all(
    trades.flatMap((trade) => [
      trySmallest(session, trade, 'sellAmount', t),
      trySmallest(session, trade, 'buyAmount', t),
    ]),
  );
  t.stuck(trades.length === 0 ? NO_PLAN : NOTHING_LEARNED);
};

async function trySmallest(
  session: Session,
  trade: Trade,
  name: 'sellAmount' | 'buyAmount',
  t: Check,
): Promise<void> {
  const targetOf = (amount: bigint) =>
    swapTarget(name === 'sellAmount' ? exactInput(trade, amount) : exactOutput(trade, amount));
  const [zero, one] = await Promise.all([session.get(targetOf(0n)), session.get(targetOf(1n))]);
  if (await isInformative(session, zero, swapTarget(exactInput(trade)))) {
    t.check(
      statusOf(zero) === 400
        ? undefined
        : {
            ...{ fault: 'zero-not-rejected', data: { ...statusData(zero), parameter: name } },
            ...{ expected: words`400 for \`${name}=0\``, actual: statusWords(zero) },
          },
      zero,
    );
  }
  const status = statusOf(one);
  if (status === undefined) return;
  const isUsual = status === 200 || status === 400;
  // If one base unit is too little for a plan, the usual status of trades without a plan is
  // correct.
  const other = isUsual ? status : statusOf(await session.get(targetOf(1n << 200n)));
  if (status === 500 && other === 500) return;
  t.observe(`${name}=1: ${status}`);
  t.check(
    status === other
      ? undefined
      : {
          ...{ fault: 'one-not-valid', data: { ...statusData(one), parameter: name } },
          expected: words`200 or 400 for \`${name}=1\`, or the status of other trades without a plan`,
          actual: statusWords(one),
        },
    one,
  );
}

const exceedsPools = has('sellAmount', RegExp(`^(1|${1n << 200n})$`));

/** @see Specification 8 */
export const rules: readonly Rule[] = [
  ...probeRules({
    // "0 to 1, multiple of 0.0001": 0.0003 is a multiple, though not in floating point.
    'swap/slippage-bounds': {
      clause: '8 slippageTolerance',
      must: 'accepts a `slippageTolerance` of 0, 1 and any step between',
      check: acceptsValues(
        calldataFormsOf,
        () => TOLERANCES.map((value) => ['slippageTolerance', value]),
        NO_CALLDATA,
      ),
      breaks: [
        [on(has('slippageTolerance', '1'), reject), rejectedVariant(['slippageTolerance', '1'])],
        [on(has('slippageTolerance', '0'), reject), rejectedVariant(['slippageTolerance', '0'])],
        [
          on(has('slippageTolerance', '0.0003'), reject),
          rejectedVariant(['slippageTolerance', '0.0003']),
        ],
        [
          on(has('slippageTolerance', /^(?!0\.01$)/), reject),
          ...TOLERANCES.filter((value) => value !== '0.01').map((value) =>
            rejectedVariant(['slippageTolerance', value]),
          ),
        ],
      ],
    },
    // "positive integers".
    'swap/smallest-amounts': {
      clause: '8 amounts',
      must: 'rejects an amount of 0; for one base unit, returns a plan or the usual status of a trade without a plan',
      check: trySmallestAmounts,
      breaks: [
        [on(has('sellAmount', '0'), respond(200, {})), 'expected 400 for `sellAmount=0`, got 200'],
        [on(has('buyAmount', '0'), respond(404)), 'expected 400 for `buyAmount=0`, got 404 "NO"'],
        [
          on(has('buyAmount', '1'), respond(404)),
          'expected 200 or 400 for `buyAmount=1`, or the status of other trades without a plan, got 404 "NO"',
        ],
        [
          on(has('sellAmount', '1'), respond(500)),
          'expected 200 or 400 for `sellAmount=1`, or the status of other trades without a plan, got 500 "NO"',
        ],
      ],
      valid: [
        ['has status 409 for any trade without a plan', on(exceedsPools, respond(409))],
        ['fails for any trade without a plan', on(exceedsPools, respond(500))],
      ],
    },
    'endpoint/request-size-observed': {
      clause: '8 request size',
      observes: 'how it responds to long requests and unknown parameters',
      check: observeEach(
        ofFirstTrade((query) => [
          ['an unknown parameter', swapTarget([...query, ['unknown', '1']])],
          ['a query of 4 KB', swapTarget([...query, ['unknown', 'x'.repeat(4_096)]])],
          ['a query of 64 KB', swapTarget([...query, ['unknown', 'x'.repeat(65_536)]])],
          [
            'an amount of 1,000 digits',
            swapTarget(setParameter(query, 'sellAmount', ['9'.repeat(1_000)])),
          ],
        ]),
      ),
    },
  }),
  ...replyRules('swap', {
    // "Token decimals | 0 to 18".
    'limits/plan-decimals': {
      clause: '8 decimals',
      must: 'returns `decimals` from 0 to 18 in /swap',
      check: each(numbers(planTokens, 'decimals'), isDecimals, 'out-of-range', words`0 to 18`),
      breaks: [
        [{ '/tokens/1/decimals': 19 }, 'at /tokens/1/decimals'],
        [{ '/tokens/1/decimals': -1 }, 'at /tokens/1/decimals'],
      ],
      valid: [
        [{ '/tokens/1/decimals': 0 }, { fails: ['token/decimals-as-listed'] }],
        [{ '/tokens/1/decimals': 18 }, { fails: ['token/decimals-as-listed'] }],
        [{ '/tokens/1/decimals': '19' }, { fails: ['token/decimals'] }],
      ],
      notApplicable: [[{ '': { tokens: [], routes: [] } }]],
    },
    // "Amounts in all payloads | decimal strings in base units".
    'limits/amounts-decimal': {
      clause: '8 payload amounts',
      must: 'writes amounts as decimal strings in base units',
      check: eachAmount(isDecimal, 'not-decimal', words`decimal digits only`),
      breaks: [
        [{ '/sell/amount': '0x5' }, 'at /sell/amount'],
        [{ '/routes/1/toTokens/0/amount': '0x5' }, 'at /routes/1/toTokens/0/amount'],
        [{ '/sell/amount': '1e22' }, 'at /sell/amount'],
        [{ '/routes/1/toTokens/0/amount': '1e22' }, 'at /routes/1/toTokens/0/amount'],
        [{ '/sell/amount': '' }, 'at /sell/amount'],
        [{ '/routes/1/toTokens/0/amount': '' }, 'at /routes/1/toTokens/0/amount'],
        [{ '/sell/amount': '-1' }, 'at /sell/amount'],
        [{ '/routes/1/toTokens/0/amount': '-1' }, 'at /routes/1/toTokens/0/amount'],
      ],
      valid: [
        [{ '/sell/amount': 5 }, { fails: ['trade-token/amount'] }],
        [{ '/routes/1/toTokens/0/amount': 5 }, { fails: ['route-token/amount'] }],
      ],
      notApplicable: [[{ '': { tokens: [], routes: [] } }]],
    },
    'limits/amounts-fit-uint256': {
      clause: '8 payload amounts',
      should: 'writes amounts that fit into 256 bits, as token contracts require',
      because: 'A client cannot encode an amount that exceeds the integers of token contracts.',
      check: eachAmount(
        (amount) => !isDecimal(amount) || textFitsUint256(amount),
        'too-large',
        words`less than 2^256`,
      ),
      breaks: [
        [
          {
            '/sell/amount':
              '115792089237316195423570985008687907853269984665640564039457584007913129639936',
          },
          'at /sell/amount',
        ],
        [
          {
            '/routes/1/toTokens/0/amount':
              '115792089237316195423570985008687907853269984665640564039457584007913129639936',
          },
          'at /routes/1/toTokens/0/amount',
        ],
      ],
      valid: [
        [
          {
            '/sell/amount':
              '115792089237316195423570985008687907853269984665640564039457584007913129639935',
          },
          { fails: ['plan/conserves-sell', 'swap/sell-amount-echoed'] },
        ],
        [
          {
            '/routes/1/toTokens/0/amount':
              '115792089237316195423570985008687907853269984665640564039457584007913129639935',
          },
          { fails: ['plan/conserves-between'] },
        ],
      ],
      notApplicable: [[{ '': { tokens: [], routes: [] } }]],
    },
  }),
  ...replyRules('tokens', {
    'limits/listed-decimals': {
      clause: '8 decimals',
      must: 'returns `decimals` from 0 to 18 in /tokens',
      check: each(numbers(entries, 'decimals'), isDecimals, 'out-of-range', words`0 to 18`),
      breaks: [[{ '/0/decimals': 19 }, 'at /0/decimals']],
      notApplicable: [[{ '': [] }]],
    },
  }),
  ...replyRules('any', {
    // "Rate limits, quotas and request size limits: not shown".
    'endpoint/rate-limits-observed': {
      clause: '8 rate limits',
      observes: 'which rate limits its headers show',
      check: when(
        ({ exchange }) => exchange.origin !== 'body-only',
        observe(({ reply: { status, headers } }) => {
          const named: string[] = [];
          for (const name in headers) {
            if (/^(retry-after|x-ratelimit|ratelimit|x-rate-limit)/.test(name)) named.push(name);
          }
          if (status !== 429 && named.length === 0) return 'none';
          return [...(status === 429 ? ['429'] : []), ...named.sort()].join(', ');
        }),
      ),
      breaks: [
        [{}, 'none'],
        [{}, { of: 'error', status: 429 }, '429'],
        [
          {},
          {
            of: 'error',
            status: 200,
            headers: {
              'x-ratelimit-b': ['1'],
              'retry-after': ['1'],
              'ratelimit-a': ['1'],
              'x-retry-after': ['1'],
            },
          },
          'ratelimit-a, retry-after, x-ratelimit-b',
        ],
      ],
    },
  }),
];
