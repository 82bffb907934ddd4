import { readSwapBody } from '../checks/plan.ts';
import { curlLine } from '../client/curl-line.ts';
import { sketchPlan } from '../model/plan-sketch.ts';
import type { Failure, Report, RuleResult } from '../model/report.ts';

const ADDRESS = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

const tokens = ['WETH', 'USDC', 'DAI', 'WBTC', 'LINK'].map((symbol, referenceId) => ({
  referenceId,
  address: ADDRESS.replace('5F', `0${referenceId}`),
  name: symbol,
  symbol,
  decimals: [18, 6, 18, 8, 18][referenceId],
  usdPrice: 1,
}));

export const wireRoute = (
  from: number,
  to: number,
  amountIn: string,
  amountOut: string,
  name = 'Uniswap V3',
) => ({
  address: ADDRESS,
  name,
  details: { fee: 500 },
  fromTokens: [{ referenceId: from, amount: amountIn }],
  toTokens: [{ referenceId: to, amount: amountOut }],
});

/** A plan with five tokens. The third route pays out less than the next route spends. */
export const splitPlan = {
  sell: { referenceId: 0, amount: '2500000000000000000' },
  buy: { referenceId: 1, amount: '7493120551' },
  tokens,
  routes: [
    wireRoute(0, 1, '1500000000000000000', '4496001233'),
    wireRoute(0, 1, '250000000000000000', '749000011', 'Uniswap V2'),
    wireRoute(0, 2, '500000000000000000', '1498119307000000000000', 'Uniswap V3'),
    wireRoute(2, 1, '1498200000000000000000', '1498119307', 'Sushi V2'),
    wireRoute(0, 3, '250000000000000000', '1249000', 'Uniswap V3'),
    wireRoute(3, 4, '1249000', '50110000000000000000', 'Uniswap V2'),
    wireRoute(4, 1, '50110000000000000000', '750000000', 'Sushi V2'),
  ],
};

const account = (digit: string) => `0x${digit.repeat(40)}`;
const sender = { from: account('1'), fromName: 'the sender' };

/** The transfers of a settlement, one of which pays a stranger. */
const sampleMoney: NonNullable<Failure['money']> = [
  {
    ...sender,
    ...{ to: account('2'), toName: 'default-router', token: account('8'), symbol: 'WETH' },
    ...{ decimals: 18, amount: '2500000000000000000' },
  },
  {
    ...{ from: account('2'), fromName: 'default-router', to: account('1'), toName: 'the sender' },
    ...{ token: account('9'), symbol: 'USDC', decimals: 6, amount: '7493120000' },
  },
  {
    ...{ from: account('2'), fromName: 'default-router', to: account('3') },
    ...{ token: account('9'), symbol: 'USDC', decimals: 6, amount: '551' },
  },
];

/** A plan with a cycle. */
const cyclicPlan = {
  ...splitPlan,
  tokens: tokens.slice(0, 4),
  routes: [
    wireRoute(0, 2, '2500000000000000000', '7400000000000000000000'),
    wireRoute(2, 3, '7400000000000000000000', '12300000'),
    wireRoute(3, 2, '300000', '180000000000000000000', 'Uniswap V2'),
    wireRoute(3, 1, '12000000', '7493120551'),
  ],
};

const target =
  '/api/v1.0/swap?chainId=31337&sellToken=0x5FbDB2315678afecb367f032d93F642f64180aa3' +
  '&buyToken=0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512&sellAmount=2500000000000000000&apiKey=$SWAPCHECK_API_KEY';

/** Returns a realistic failure; `changes` replace parts of it. */
export function sampleFailure(changes: Partial<Failure> = {}): Failure {
  return {
    fault: 'leaves-over',
    cause: 'plan/conserves-between#leaves-over swap /routes/{}/fromTokens/{}/amount',
    symptom: changes.actual ?? 'leaves-over swap /routes/{}/fromTokens/{}/amount',
    expected: 'an outflow equal to the inflow of each token',
    actual: 'token 2 receives 1498119307000000000000 and spends 1498200000000000000000',
    pointer: '/routes/3/fromTokens/0/amount',
    curl: curlLine('http://127.0.0.1:8080', target),
    count: 14,
    since: 31,
    exchange: {
      id: 31,
      method: 'GET',
      target,
      status: 200,
      excerpt: JSON.stringify({
        aggregator: 'sample',
        router: 'default-router',
        ...splitPlan,
      }).slice(0, 600),
      durationMs: 11.62,
    },
    ...changes,
  };
}

/** Returns a rule's result; `more` replaces parts of it. */
export function sampleRule(
  clause: string,
  id: string,
  level: RuleResult['level'],
  outcome: RuleResult['outcome'],
  title: string,
  more: Partial<RuleResult> = {},
): RuleResult {
  return { id, clause, level, title, outcome, checks: 40, failures: [], ...more };
}

/** Returns the part of a failure that contains the sketch of its plan. */
export function sketchOf(body: unknown, pointer?: string): Pick<Failure, 'plan'> {
  const plan = sketchPlan(readSwapBody(body), pointer);
  return plan === undefined ? {} : { plan };
}

const conserved = sketchOf(splitPlan, '/routes/3/fromTokens/0/amount');

/** Parses a line of the form `clause | id | level | outcome | title`. */
function ruleFromLine(line: string, more: Partial<RuleResult> = {}): RuleResult {
  const [clause = '', id = '', level, outcome, title = ''] = line.split(' | ');
  const [ruleLevel, ruleOutcome] = [level as RuleResult['level'], outcome as RuleResult['outcome']];
  return sampleRule(clause, id, ruleLevel, ruleOutcome, title, more);
}

function failedRuleFromLine(
  line: string,
  clauseWords: string,
  ...failures: Partial<Failure>[]
): RuleResult {
  return ruleFromLine(line, { clauseWords, failures: failures.map(sampleFailure) });
}

const rules: readonly RuleResult[] = [
  failedRuleFromLine(
    '1 rule 1 | plan/acyclic | must | fail | The routes form a directed acyclic graph',
    'The swaps form a directed acyclic graph that converts the sell token into the buy token.',
    {
      expected: 'a directed acyclic graph',
      actual: 'routes 1 and 2 form a cycle: DAI, WBTC, DAI',
      pointer: '/routes/2',
      count: 1,
      ...sketchOf(cyclicPlan, '/routes/2'),
    },
  ),
  ruleFromLine('2.1 aggregator | swap/aggregator | must | pass | aggregator is a string', {
    checks: 812,
  }),
  ruleFromLine('2.1 router | swap/router-echo | must | pass | router is the requested router', {
    checks: 640,
  }),
  ruleFromLine('2.2 referenceId | plan/references | must | pass | Every referenceId resolves', {
    checks: 2210,
  }),
  failedRuleFromLine(
    '2.3 decimals | swap/token-decimals | must | fail | decimals is an integer from 0 to 18',
    'Decimal places, 0 to 18',
    {
      expected: 'an integer from 0 to 18',
      actual: '24',
      pointer: '/tokens/3/decimals',
      ...conserved,
    },
  ),
  failedRuleFromLine(
    '2.4 routes | plan/conservation | must | fail | Every intermediate token is conserved',
    'Swaps forming a directed acyclic graph converting all sell tokens into buy tokens.',
    { ...conserved, money: sampleMoney, evidence: 'evidence/plan-conservation-1.json' },
    {
      expected:
        'an outflow of 1,498.11 DAI (1498119307000000000000 base units), equal to the inflow within 2 base units',
      actual: 'an outflow of 1,498.2 DAI (1498200000000000000000 base units)',
      pointer: '/tokens/2',
      place: { pointer: '/tokens/2', text: JSON.stringify(tokens[2]) },
      count: 2,
      ...conserved,
    },
  ),
  ruleFromLine('2.6 metadata | tokens/logo | should | waived | logoURI is a URL', {
    failures: [
      sampleFailure({
        expected: 'a URL',
        actual: '"/logo.png"',
        pointer: '/4/metadata/logoURI',
        waiver: { reason: 'the image server moves in May', expires: '2026-05-31' },
      }),
    ],
  }),
  ruleFromLine(
    '2.9 tokenProxyAddress | chains/token-proxy | must | not-applicable | tokenProxyAddress is an address',
    { checks: 0, why: 'no router has a token proxy' },
  ),
  failedRuleFromLine(
    '4.1 rule 1 | swap/exactly-one-amount | must | fail | Both amounts, or neither, are rejected',
    'Exactly one of sellAmount and buyAmount must be given, never both and never neither.',
    {
      expected: 'status 400 with an Error body',
      actual: 'no reply within 5000 ms',
      pointer: '',
      exchange: {
        id: 77,
        method: 'GET',
        target: '/api/v1.0/swap?apiKey=$SWAPCHECK_API_KEY',
        excerpt: 'no reply within 5000 ms.',
        durationMs: 5000.4,
      },
    },
  ),
  ruleFromLine(
    '4.1 rule 6 | swap/unknown-router | should | fail | An unknown router name is rejected',
    {
      failures: [
        sampleFailure({
          ...{ expected: 'status 400', actual: 'status 200', pointer: '/router', count: 3 },
        }),
      ],
    },
  ),
  ruleFromLine('5 rule 3 | auth/missing-key | observe | observed | Answer to a missing key', {
    observed: [{ text: 'status 401 with error "UNAUTHORIZED"', times: 1 }],
  }),
  ruleFromLine('7 error values | errors/vocabulary | observe | observed | Values of error', {
    observed: [
      { text: 'INVALID_PARAMETER', times: 412 },
      { text: 'NO_ROUTE', times: 31 },
    ],
  }),
  ruleFromLine(
    '8 amounts | limits/calldata-gas | must | could-not-run | gasLimit is a decimal string',
    {
      checks: 0,
      why: 'every request with calldata was rejected with 429',
    },
  ),
  ruleFromLine('10 rates | limits/rate | observe | not-applicable | Rate limits', {
    checks: 0,
    why: 'none was met',
  }),
];

const none = { pass: 0, fail: 0, waived: 0, notApplicable: 0, couldNotRun: 0, observed: 0 };

/**
 * Returns a report with every outcome, every section and several plans; `changes` replace parts of
 * it.
 */
export function sampleReport(changes: Partial<Report> = {}): Report {
  return {
    verdict: 'nonconforming',
    reason: '4 must rules failed.',
    target: 'http://127.0.0.1:8080',
    version: '0.1.0',
    seed: 7,
    startedAt: '2026-04-01T12:00:00.000Z',
    requests: 3120,
    replies: 3084,
    rateLimited: 36,
    durationMs: 14_210.4,
    breadth: { least: 0.385, why: 'replies take 2.5 s' },
    pairs: { requested: 120, listed: 156 },
    tolerancePpm: 1,
    largestDust: {
      baseUnits: '80693000000000000',
      partsPerMillion: 53.86,
      token: '0x02bDB2315678afecb367f032d93F642f64180aa3',
      symbol: 'DAI',
      decimals: 18,
      exchange: 31,
    },
    timings: [
      { endpoint: 'swap', requests: 2900, p50Ms: 3.1, p99Ms: 41.7, maxMs: 5000.4 },
      { endpoint: 'tokens', requests: 80, p50Ms: 1.2, p99Ms: 4.9, maxMs: 6 },
      { endpoint: 'chains', requests: 60, p50Ms: 0.8, p99Ms: 2.2, maxMs: 2.4 },
      { endpoint: 'chainInfo', requests: 80, p50Ms: 1, p99Ms: 3.7, maxMs: 4.1 },
    ],
    summary: {
      must: { ...none, pass: 3, fail: 4, notApplicable: 1, couldNotRun: 1 },
      should: { ...none, fail: 1, waived: 1 },
      observe: { ...none, observed: 2, notApplicable: 1 },
    },
    rules: [...rules],
    notJudged: [
      {
        why: 'calldata was not executed',
        needs: '--fork CHAIN=RPC',
        rules: ['execution/received'],
      },
    ],
    staleWaivers: [{ rule: 'swap/router-echo', why: 'it no longer matches a failure' }],
    ...changes,
  };
}

/** Returns a report whose first rule fails only because the second one does. */
export function reportWithConsequences(): Report {
  const cause = { rule: 'swap/sell-token-echoed', cause: 'swap/sell-token-echoed#other-token' };
  return sampleReport({
    rules: [
      sampleRule('2.1 calldata', 'execution/settles', 'must', 'fail', 'settles', {
        failures: ['reverted', 'not settled'].map((actual) =>
          sampleFailure({ cause: actual, actual, followsFrom: cause, count: 6 }),
        ),
      }),
      sampleRule('4.1 sellToken', cause.rule, 'must', 'fail', 'sells the requested token', {
        failures: [sampleFailure({ cause: cause.cause, expected: 'A', actual: 'B', ...conserved })],
      }),
    ],
  });
}
