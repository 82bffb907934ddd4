import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExecutor } from '../../conformance/execution/executor.ts';
import type { RunningSource } from '../../conformance/execution/fork/source.ts';
import { renderText } from '../../conformance/output/text.ts';
import { reportDocument } from '../../conformance/report/report-document.ts';
import { startFixtureChain } from '../../fixtures/chains/fixture-chain.ts';
import { cacheRepliesBy, middlewareOf } from './mutants/faults/middleware.ts';
import type { Fault } from './mutants/faults/mutant.ts';
import { addTo, routesInto, tokenBetween } from './mutants/faults/plans.ts';
import { changeTolerance, E_ALIAS, misread } from './mutants/faults/requests.ts';
import { judgeMutant } from './mutants/mutant-run.testing.ts';

const CHAIN = 31338;

type Mistake = Fault & {
  readonly title: string;
  /** The beginning of the first line of the report. */
  readonly firstLine: string;
  /** Rules that the report lists under the first cause, as some that may follow from it. */
  readonly followedBy?: readonly string[];
  /** Parameter that the first line names as ignored. */
  readonly ignores?: readonly [parameter: string];
  /** Text that the list of these rules contains. */
  readonly says?: string;
  /** True if the plans are also executed. */
  readonly isExecuted?: true;
};

const is200 = (status: number) => status === 200;

const MISTAKES: readonly Mistake[] = [
  {
    title: 'the letter case of the alias of the native token is not ignored',
    firstLine: 'swap/native-aliases-accepted, because it got 400 "REJECTED" instead of 200',
    reject: (query) =>
      ['sellToken', 'buyToken'].some((side) => {
        const text = query.get(side) ?? '';
        return E_ALIAS.test(text) && text !== '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
      }),
  },
  {
    title: 'amounts are read as floats',
    firstLine:
      'swap/buy-amount-reached, because it got 0.00900719 USDC (9007199254740992 base units) instead of 0.00900719 USDC (9007199254740993 base units)',
    followedBy: ['execution/buys-at-least'],
    isExecuted: true,
    query: (query) => {
      for (const name of ['sellAmount', 'buyAmount']) {
        misread(name, /^[1-9][0-9]{15,30}$/, (text) => String(BigInt(Number(text))))(query);
      }
    },
  },
  {
    title: 'no content type',
    firstLine: 'endpoint/content-type, because it got no content-type instead of',
    middleware: () => async (ctx, next) => {
      await next();
      const body = JSON.stringify(ctx.body);
      ctx.body = body;
      ctx.remove('Content-Type');
    },
  },
  {
    title: '500 on bad input',
    firstLine: 'swap/chain-id, because it got 500 "INTERNAL" instead of 400 with an Error',
    middleware: () => async (ctx, next) => {
      await next();
      if (ctx.status === 400) {
        ctx.status = 500;
        ctx.body = { error: 'INTERNAL', message: 'Cannot read properties of undefined' };
      }
    },
  },
  {
    title: 'dust is left at intermediate tokens',
    firstLine: 'plan/conserves-between, because it got an outflow of',
    followedBy: ['execution/through-pools', 'execution/route-amounts'],
    isExecuted: true,
    plan: (plan) => {
      const token = tokenBetween(plan);
      const leg = token === undefined ? undefined : routesInto(plan, token)[0]?.toTokens[0];
      addTo(leg, BigInt(leg?.amount ?? 0) / 1000n + 3n);
    },
  },
  {
    title: 'stale reference ids: sell and buy refer to the tokens of an earlier plan',
    firstLine: 'swap/sell-token-echoed, because it got "0x',
    followedBy: ['execution/settles', 'swap/usd-values-agree'],
    says: 'not settled, because the plan sells 0x',
    isExecuted: true,
    plan: (plan) => {
      const ids = plan.tokens.map(({ referenceId }) => referenceId);
      plan.tokens = plan.tokens.map((token, at) => ({
        ...token,
        referenceId: ids[(at + 1) % ids.length] ?? 0,
      }));
    },
  },
  {
    title: 'fields are missing',
    firstLine: 'token/name, because it got no `name` instead of',
    plan: (plan) => {
      for (const token of plan.tokens) {
        Object.assign(token, { name: undefined, usdPrice: undefined });
      }
    },
  },
  {
    title: 'rejections have status 422',
    firstLine: 'endpoint/status, because it got 422 "INVALID_PARAMETER" instead of 200, 400 or 500',
    rejection: { status: 422 },
  },
  {
    title: 'a cache key lacks the recipient',
    firstLine: 'execution/pays-recipient, because this is the reply of request',
    ignores: ['`recipientAddress`'],
    followedBy: ['execution/buys-at-least'],
    isExecuted: true,
    middleware: cacheRepliesBy((query) => query.delete('recipientAddress'), is200),
  },
  {
    title: 'a cache key lacks useRfq',
    firstLine: 'swap/use-rfq, because this is the reply of request',
    ignores: ['`useRfq`'],
    middleware: cacheRepliesBy((query) => query.delete('useRfq'), is200),
  },
  {
    title: 'a cache key has the amount as a float',
    firstLine: 'swap/sell-amount-echoed, because this is the reply of request',
    ignores: ['`sellAmount`'],
    middleware: cacheRepliesBy(
      (query) => query.set('sellAmount', String(Number(query.get('sellAmount')))),
      is200,
    ),
  },
  {
    title: 'the tolerance is read as a percentage',
    firstLine: 'execution/tolerates, because it got reverted with',
    isExecuted: true,
    query: changeTolerance((tolerance) => tolerance / 100),
  },
];

let node: Awaited<ReturnType<typeof startFixtureChain>>;
let source: RunningSource;
beforeAll(async () => {
  node = await startFixtureChain(CHAIN);
  source = { chainId: CHAIN, rpcUrl: node.url };
});
afterAll(() => node.stop());

describe('a service with a usual mistake', () => {
  test.each(MISTAKES)('$title -> the first line names what to fix', async (mistake) => {
    const { firstLine, followedBy = [], says = '', ignores = [], isExecuted } = mistake;
    const { report } = await judgeMutant({
      middleware: () => middlewareOf(mistake),
      seed: 1,
      chains: [CHAIN],
      profile: 'quick',
      inProcess: true,
      ...(isExecuted && {
        openExecutor: async (service) => createExecutor({ forks: [source], plans: 24 }, service),
      }),
    });
    const text = renderText(reportDocument(report), { isBrief: true });
    expect(text.split('\n', 1)[0]).toContain(`Fix first: ${firstLine}`);
    const [first = ''] = text.split('\n\n  ✗ ').slice(1);
    const listed = first.slice(first.indexOf('may follow from this'));
    for (const rule of followedBy) expect(listed).toContain(`\n      ${rule} [`);
    expect(listed).toContain(says);
    for (const name of ignores) expect(text.split('\n', 1)[0]).toContain(`differs only in ${name}`);
    // Grouping hides no failure from the verdict.
    expect(report.verdict).toBe('nonconforming');
    const failed = report.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    for (const rule of followedBy) expect(failed).toContain(rule);
  });
});
