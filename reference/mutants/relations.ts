import type { SwapResponse } from '../../conformance/contract/resources.ts';
import { alterBody, answerError, type Change, isOperation } from './alter-reply.ts';
import { refuseWhere } from './alter-request.ts';
import { planMutant } from './body-mutant.ts';
import type { Mutant } from './mutant.ts';
import { addTo, reprice, routesInto } from './plan-surgery.ts';

/*
 * Every reply of these is sound by itself: only two replies together show the
 * fault.
 */

/** Gives a slightly worse plan where a request is spelled in some way. */
function worseWhere(
  id: string,
  clause: string,
  caughtBy: string,
  title: string,
  isWhere: (query: URLSearchParams) => boolean,
): Mutant {
  return planMutant(id, clause, caughtBy, title, (plan, query) => {
    if (isWhere(query)) reprice(plan, query, -500n);
  });
}

const isGiven = (name: string, value: string) => (query: URLSearchParams) =>
  query.get(name) === value;

const sides = ['sellToken', 'buyToken'] as const;

const samePlan: readonly Mutant[] = [
  worseWhere(
    'relation/e-alias-worse',
    '4.1 native token',
    'relation/native-aliases',
    'native by 40 times e trades worse than by zeros',
    (query) => sides.some((side) => /^0xe{40}$/i.test(query.get(side) ?? '')),
  ),
  {
    id: 'relation/e-alias-unknown',
    clause: '4.1 native token',
    caughtBy: 'relation/native-aliases',
    title: 'native by 40 times e is no token',
    middleware: () =>
      refuseWhere('swap', (query) =>
        sides.some((side) => /^0xe{40}$/i.test(query.get(side) ?? '')),
      ),
  },
  worseWhere(
    'relation/rfq-false-worse',
    '4.1 useRfq',
    'relation/default-rfq',
    '`useRfq=false` trades worse than nothing',
    isGiven('useRfq', 'false'),
  ),
  worseWhere(
    'relation/default-router-spelled-worse',
    '4.1 router',
    'relation/default-router',
    '`router=default-router` trades worse than nothing',
    isGiven('router', 'default-router'),
  ),
  worseWhere(
    'relation/calldata-false-worse',
    '4.1 includeCalldata',
    'relation/default-calldata',
    '`includeCalldata=false` trades worse than nothing',
    isGiven('includeCalldata', 'false'),
  ),
  worseWhere(
    'relation/calldata-costs',
    '1.3 calldata',
    'relation/calldata-leaves-plan',
    'plans with calldata are worse',
    isGiven('includeCalldata', 'true'),
  ),
  worseWhere(
    'relation/slippage-taken',
    '4.1 slippageTolerance',
    'relation/slippage-leaves-plan',
    'tolerances above 2 % are used up',
    (query) => Number(query.get('slippageTolerance') ?? 0) > 0.02,
  ),
  worseWhere(
    'relation/recipient-pays',
    '4.1 recipientAddress',
    'relation/recipient-leaves-plan',
    'a recipient beside the user gets a worse plan',
    (query) => query.has('recipientAddress'),
  ),
  worseWhere(
    'relation/some-users-pay',
    '4.1 userAddress',
    'relation/user-leaves-plan',
    'users whose address ends with 7 get a worse plan',
    (query) => /7$/.test(query.get('userAddress') ?? ''),
  ),
  worseWhere(
    'relation/capitals-worse',
    '4.1 sellToken',
    'relation/letter-case',
    'addresses in capitals trade worse',
    (query) => sides.some((side) => /^0x[0-9A-F]*[A-F][0-9A-F]*$/.test(query.get(side) ?? '')),
  ),
  {
    id: 'relation/capitals-unknown',
    clause: '4.1 sellToken',
    caughtBy: 'relation/letter-case',
    title: 'tokens are known by the checksummed address alone, or in lower case',
    middleware: () =>
      refuseWhere('swap', (query) =>
        sides.some((side) => /^0x[0-9A-F]*[A-F][0-9A-F]*$/.test(query.get(side) ?? '')),
      ),
  },
  worseWhere(
    'relation/order-matters',
    '4 get',
    'relation/parameter-order',
    'an amount before the tokens trades worse',
    (query) => {
      const names = [...query.keys()];
      return names.findIndex((name) => name.endsWith('Amount')) < names.indexOf('sellToken');
    },
  ),
  worseWhere(
    'relation/universal-calldata-costs',
    '1.3 calldata',
    'relation/calldata-leaves-plan',
    'plans of universal-router with calldata are worse',
    (query) =>
      query.get('includeCalldata') === 'true' && query.get('router') === 'universal-router',
  ),
  {
    id: 'relation/e-alias-without-checksum',
    clause: '4.1 sellToken',
    caughtBy: 'relation/letter-case',
    title: 'native by 40 times e is known in lower case alone',
    middleware: () =>
      refuseWhere('swap', (query) =>
        sides.some((side) => /^0xe*E[eE]*$/.test(query.get(side) ?? '')),
      ),
  },
  {
    id: 'relation/key-not-last',
    clause: '4 get',
    caughtBy: 'relation/parameter-order',
    title: 'what stands behind the key is not read',
    middleware: () => refuseWhere('swap', (query) => [...query.keys()][0] === 'apiKey'),
  },
  {
    id: 'relation/percent-encoding-unread',
    clause: '4 get',
    caughtBy: 'relation/percent-encoding',
    title: 'percent-encoded digits are not decoded',
    middleware: () => async (ctx, next) => {
      if (isOperation(ctx, 'swap') && /=%3[0-9]/.test(ctx.req.url ?? '')) {
        answerError(ctx, 400, 'INVALID_PARAMETER');
      } else await next();
    },
  },
  {
    id: 'relation/never-twice-the-same',
    clause: '1.5 read only',
    caughtBy: 'relation/repeats',
    title: 'every second plan is worse',
    middleware: () => {
      let answered = 0;
      return alterBody('swap', (plan, query) => {
        answered += 1;
        if (answered % 2 === 0) reprice(plan, query, -500n);
      });
    },
  },
];

/** Changes plans of exact input by the number of digits sold. */
function byDigits(change: (plan: SwapResponse, digits: number) => void): Change<SwapResponse> {
  return (plan, query) => {
    const sellAmount = query.get('sellAmount');
    if (sellAmount !== null) change(plan, sellAmount.length);
  };
}

/** Multiplies what is bought, soundly; at least one base unit of each route is left. */
function scaleBought(plan: SwapResponse, times: bigint, over: bigint): void {
  const legs = routesInto(plan, plan.buy.referenceId)
    .flatMap(({ toTokens }) => toTokens)
    .filter(({ referenceId }) => referenceId === plan.buy.referenceId);
  for (const leg of legs) {
    const before = BigInt(leg.amount);
    const scaled = (before * times) / over;
    const now = scaled > 0n ? scaled : 1n;
    leg.amount = String(now);
    addTo(plan.buy, now - before);
  }
}

const calldata: readonly Mutant[] = [
  {
    id: 'relation/calldata-kept',
    clause: '2.1 calldata',
    caughtBy: 'swap-response/calldata-differs',
    title: 'the calldata of a pair is kept, whatever is asked of it later',
    middleware: () => {
      const kept = new Map<string, string>();
      return alterBody('swap', (plan, query) => {
        if (plan.calldata === undefined) return;
        const names = ['chainId', 'sellToken', 'buyToken', 'router'];
        const key = names.map((name) => query.get(name)).join(' ');
        plan.calldata = kept.get(key) ?? plan.calldata;
        kept.set(key, plan.calldata);
      });
    },
  },
];

const amounts: readonly Mutant[] = [
  planMutant(
    'relation/exact-output-dearer',
    '4.1 buyAmount',
    'relation/exact-output-costs-no-more',
    'exact output costs 1 % more than exact input',
    (plan, query) => {
      if (query.has('buyAmount')) reprice(plan, query, -10_000n);
    },
  ),
  planMutant(
    'relation/exact-output-cheaper',
    '4.1 buyAmount',
    'relation/exact-output-costs-no-less',
    'exact output costs 5 % less than exact input',
    (plan, query) => {
      if (query.has('buyAmount')) reprice(plan, query, 50_000n);
    },
  ),
  planMutant(
    'relation/more-buys-less',
    '4.1 sellAmount',
    'relation/more-in-no-less-out',
    'amounts with an even number of digits buy a twentieth',
    byDigits((plan, digits) => {
      if (digits % 2 === 0) scaleBought(plan, 1n, 20n);
    }),
  ),
  planMutant(
    'relation/bulk-is-cheaper',
    '4.1 sellAmount',
    'relation/price-does-not-improve',
    'each further digit of the amount buys 1 % more',
    byDigits((plan, digits) => scaleBought(plan, 100n + BigInt(digits), 100n)),
  ),
];

/** @see Specification 1.3, 1.5, 4 and 4.1 */
export const relationMutants: readonly Mutant[] = [...samePlan, ...calldata, ...amounts];
