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
  /** The rule to fix first. */
  readonly first: string;
  /** Start of what its reply had instead. */
  readonly got?: string;
  /** Rules that the report lists under the first cause, as some that may follow from it. */
  readonly followedBy?: readonly string[];
  /** Parameters that the cause names as ignored. */
  readonly ignores?: readonly string[];
  /** Text that the list of these rules contains. */
  readonly says?: string;
  /** True if the plans are also executed. */
  readonly isExecuted?: true;
};

const is200 = (status: number) => status === 200;

const MISTAKES: readonly Mistake[] = [
  {
    title: 'the letter case of the alias of the native token is not ignored',
    first: 'swap/native-aliases-accepted',
    got: '400 "REJECTED"',
    reject: (query) =>
      ['sellToken', 'buyToken'].some((side) => {
        const text = query.get(side) ?? '';
        return E_ALIAS.test(text) && text !== '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
      }),
  },
  {
    title: 'amounts are read as floats',
    first: 'swap/buy-amount-reached',
    got: '0.00900719 USDC (9007199254740992 base units)',
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
    first: 'endpoint/content-type',
    got: 'no content-type',
    middleware: () => async (ctx, next) => {
      await next();
      const body = JSON.stringify(ctx.body);
      ctx.body = body;
      ctx.remove('Content-Type');
    },
  },
  {
    title: '500 on bad input',
    first: 'swap/chain-id',
    got: '500 "INTERNAL"',
    middleware: () => async (ctx, next) => {
      await next();
      if (ctx.status === 400) {
        ctx.status = 500;
        ctx.body = { error: 'INTERNAL', message: 'Cannot read properties of undefined' };
      }
    },
  },
  {
    title: '500 on bad input, without JSON',
    first: 'swap/chain-id',
    got: '500 with "Internal Server Error"',
    middleware: () => async (ctx, next) => {
      await next();
      if (ctx.status === 400) {
        ctx.status = 500;
        ctx.type = 'text/plain';
        ctx.body = 'Internal Server Error';
      }
    },
  },
  {
    title: 'dust is left at intermediate tokens',
    first: 'plan/conserves-between',
    got: 'an outflow of',
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
    first: 'swap/sell-token-echoed',
    got: '"0x',
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
    first: 'token/name',
    got: '`name` is missing',
    plan: (plan) => {
      for (const token of plan.tokens) {
        Object.assign(token, { name: undefined, usdPrice: undefined });
      }
    },
  },
  {
    title: 'rejections have status 422',
    first: 'endpoint/status',
    got: '422 "INVALID_PARAMETER"',
    rejection: { status: 422 },
  },
  {
    title: 'a cache key lacks the recipient',
    first: 'execution/pays-recipient',
    ignores: ['`recipientAddress`'],
    followedBy: ['execution/buys-at-least'],
    isExecuted: true,
    middleware: cacheRepliesBy((query) => query.delete('recipientAddress'), is200),
  },
  {
    title: 'a cache key lacks useRfq',
    first: 'swap/use-rfq',
    ignores: ['`useRfq`'],
    middleware: cacheRepliesBy((query) => query.delete('useRfq'), is200),
  },
  {
    title: 'a cache key has the amount as a float',
    first: 'swap/sell-amount-echoed',
    ignores: ['`sellAmount`'],
    middleware: cacheRepliesBy(
      (query) => query.set('sellAmount', String(Number(query.get('sellAmount')))),
      is200,
    ),
  },
  {
    title: 'the tolerance is read as a percentage',
    first: 'execution/tolerates',
    got: 'reverted with',
    isExecuted: true,
    query: changeTolerance((tolerance) => tolerance / 100),
  },
];

let node: Awaited<ReturnType<typeof startFixtureChain>>;
let source: RunningSource;
beforeAll(async () => {
  node = await startFixtureChain(CHAIN);
  // Nothing changes the chain, so plans settle without a copy.
  source = { chainId: CHAIN, rpcUrl: node.url, isPrivate: true };
});
afterAll(() => node.stop());

describe('a service with a usual mistake', () => {
  test.each(MISTAKES)('$title -> the first lines name what to fix', async (mistake) => {
    const { followedBy = [], says = '', ignores = [], isExecuted } = mistake;
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
    const [opening = ''] = text.split('\n\n');
    expect(opening).toContain(`Fix first: ${mistake.first}: `);
    expect(opening).toContain(`Actual: ${mistake.got ?? ''}`);
    expect(/ Cause: this is the (reply|calldata) of request /.test(opening)).toBe(
      ignores.length > 0,
    );
    const [first = ''] = text.split('\n\n  ✗ ').slice(1);
    const listed = first.slice(first.indexOf('may follow from this'));
    for (const rule of followedBy) expect(listed).toContain(`\n      ${rule} [`);
    expect(listed).toContain(says);
    for (const name of ignores) expect(opening).toContain(`differs only in ${name}`);
    // Grouping hides no failure from the verdict.
    expect(report.verdict).toBe('nonconforming');
    const failed = report.rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    for (const rule of followedBy) expect(failed).toContain(rule);
  });
});
