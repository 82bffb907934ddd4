import type { SwapResponse } from '../../conformance/contract/resources.ts';
import { alterText, queryOf } from './alter-reply.ts';
import { alterRequest, refuseWhere } from './alter-request.ts';
import { planMutant } from './body-mutant.ts';
import type { Mutant } from './mutant.ts';
import { addTo, reprice, routesFrom } from './plan-surgery.ts';

const isExactInput = (query: URLSearchParams) => query.has('sellAmount');

/** Sells more than was asked, soundly. */
function sellMore(plan: SwapResponse, baseUnits: bigint): void {
  addTo(plan.sell, baseUnits);
  addTo(routesFrom(plan, plan.sell.referenceId)[0]?.fromTokens[0], baseUnits);
}

const echoes: readonly Mutant[] = [
  planMutant(
    'swap/sells-one-more',
    '4.1 sellAmount',
    'swap/sell-amount-echoed',
    'exact input: one base unit more is sold than was asked',
    (plan, query) => {
      if (isExactInput(query)) sellMore(plan, 1n);
    },
  ),
  {
    id: 'swap/sell-amount-through-a-float',
    clause: '4.1 sellAmount',
    caughtBy: 'swap/sell-amount-echoed',
    title: 'amounts beyond 2^53 lose their last digits',
    middleware: () =>
      alterRequest('swap', (query) => {
        const sellAmount = query.get('sellAmount') ?? '';
        const isLarge = /^[1-9][0-9]{15,30}$/.test(sellAmount);
        if (isLarge) query.set('sellAmount', String(BigInt(Number(sellAmount))));
      }),
  },
  planMutant(
    'swap/buys-less',
    '4.1 buyAmount',
    'swap/buy-amount-reached',
    'exact output: three parts per million less are bought than was asked',
    (plan, query) => {
      if (isExactInput(query)) return;
      const short = new URLSearchParams({ sellAmount: '' });
      reprice(plan, short, -3n);
    },
  ),
  planMutant(
    'swap/buys-more',
    '4.1 buyAmount',
    'swap/buy-amount-echoed',
    'exact output: one base unit more is bought than was asked',
    (plan, query) => {
      if (!isExactInput(query)) reprice(plan, new URLSearchParams({ sellAmount: '' }), 0n);
    },
  ),
  {
    id: 'swap/exact-output-as-input',
    clause: '4.1 buyAmount',
    caughtBy: 'swap/buy-amount-reached',
    title: '`buyAmount` is taken for `sellAmount`',
    middleware: () =>
      alterRequest('swap', (query) => {
        const buyAmount = query.get('buyAmount');
        if (buyAmount === null || query.has('sellAmount')) return;
        query.delete('buyAmount');
        query.set('sellAmount', buyAmount);
      }),
  },
  planMutant(
    'swap/sells-another-token',
    '4.1 sellToken',
    'swap/sell-token-echoed',
    'the sell token goes by the address of the first pool',
    ({ tokens, sell, routes }) => {
      const token = tokens.find(({ referenceId }) => referenceId === sell.referenceId);
      if (token && routes[0]) token.address = routes[0].address;
    },
  ),
  planMutant(
    'swap/buys-another-token',
    '4.1 buyToken',
    'swap/buy-token-echoed',
    'sell and buy token have exchanged their addresses',
    ({ tokens, sell, buy }) => {
      const sold = tokens.find(({ referenceId }) => referenceId === sell.referenceId);
      const bought = tokens.find(({ referenceId }) => referenceId === buy.referenceId);
      if (sold && bought) [sold.address, bought.address] = [bought.address, sold.address];
    },
  ),
  {
    id: 'swap/sides-reversed',
    clause: '4.1 buyToken',
    caughtBy: 'swap/buy-token-echoed',
    title: 'exact output plans the trade the other way round',
    middleware: () =>
      alterRequest('swap', (query) => {
        const [sellToken, buyToken] = [query.get('sellToken'), query.get('buyToken')];
        if (isExactInput(query) || sellToken === null || buyToken === null) return;
        query.set('sellToken', buyToken);
        query.set('buyToken', sellToken);
      }),
  },
  {
    id: 'swap/router-ignored',
    clause: '4.1 router',
    caughtBy: 'swap/router-echoed',
    title: 'service-router is asked for, and default-router plans',
    middleware: () =>
      alterRequest('swap', (query) => {
        if (query.get('router') === 'service-router') query.delete('router');
      }),
  },
  {
    id: 'swap/another-default-router',
    clause: '4.1 router',
    caughtBy: 'swap/router-default',
    title: 'universal-router plans where no router is asked for',
    middleware: () =>
      alterRequest('swap', (query) => {
        if (!query.has('router')) query.set('router', 'universal-router');
      }),
  },
];

function calldataMutant(
  id: string,
  clause: string,
  caughtBy: string,
  title: string,
  change: (plan: SwapResponse, isAsked: boolean) => void,
): Mutant {
  return planMutant(id, clause, caughtBy, title, (plan, query) =>
    change(plan, query.get('includeCalldata') === 'true'),
  );
}

const calldata: readonly Mutant[] = [
  calldataMutant(
    'swap/calldata-unasked',
    '4.1 rule 3',
    'swap/no-calldata-unasked',
    'every plan has `routerAddress`, `calldata` and `gasLimit`',
    (plan, isAsked) => {
      if (isAsked) return;
      const [pool] = plan.routes;
      Object.assign(plan, { routerAddress: pool?.address, calldata: '0x00', gasLimit: '21000' });
    },
  ),
  calldataMutant(
    'swap/gas-limit-unasked',
    '4.1 rule 3',
    'swap/no-calldata-unasked',
    'every plan has `gasLimit`',
    (plan) => {
      plan.gasLimit ??= '250000';
    },
  ),
  calldataMutant(
    'swap/calldata-null-unasked',
    '4.1 rule 3',
    'swap/no-calldata-unasked',
    'fields that were not asked for are there as null',
    (plan, isAsked) => {
      if (!isAsked) Object.assign(plan, { routerAddress: null, calldata: null, gasLimit: null });
    },
  ),
  calldataMutant(
    'swap/calldata-withheld',
    '4.1 rule 4',
    'swap/calldata-as-asked',
    '`includeCalldata=true` changes nothing',
    (plan) => {
      delete plan.routerAddress;
      delete plan.calldata;
      delete plan.gasLimit;
    },
  ),
  calldataMutant(
    'swap/gas-limit-withheld',
    '1.3 calldata',
    'swap/calldata-complete',
    'calldata comes without `gasLimit`',
    (plan) => {
      delete plan.gasLimit;
    },
  ),
  calldataMutant(
    'swap/router-address-withheld',
    '4.1 rule 4',
    'swap/calldata-as-asked',
    'calldata comes without `routerAddress`',
    (plan) => {
      delete plan.routerAddress;
    },
  ),
];

function refusalMutant(
  id: string,
  clause: string,
  caughtBy: string,
  title: string,
  isRefused: (query: URLSearchParams) => boolean,
): Mutant {
  return { id, clause, caughtBy, title, middleware: () => refuseWhere('swap', isRefused) };
}

const tolerance = (query: URLSearchParams) => query.get('slippageTolerance') ?? '';

const refusals: readonly Mutant[] = [
  refusalMutant(
    'swap/slippage-of-zero-refused',
    '8 slippageTolerance',
    'swap/slippage-bounds',
    'a tolerance of 0 is taken for none',
    (query) => tolerance(query) === '0',
  ),
  refusalMutant(
    'swap/slippage-of-one-refused',
    '8 slippageTolerance',
    'swap/slippage-bounds',
    'a tolerance of 1 is refused',
    (query) => tolerance(query) === '1',
  ),
  refusalMutant(
    'swap/slippage-steps-by-float',
    '8 slippageTolerance',
    'swap/slippage-bounds',
    'steps are judged by float: 0.0003 / 0.0001 is no integer',
    (query) => tolerance(query) !== '' && !Number.isInteger(Number(tolerance(query)) / 0.0001),
  ),
  refusalMutant(
    'swap/rfq-refused',
    '4.1 useRfq',
    'swap/flags-accepted',
    '`useRfq=true` is refused',
    (query) => query.get('useRfq') === 'true',
  ),
  refusalMutant(
    'swap/calldata-false-refused',
    '4.1 useRfq',
    'swap/flags-accepted',
    '`includeCalldata=false` is refused',
    (query) => query.get('includeCalldata') === 'false',
  ),
  refusalMutant(
    'swap/recipient-refused',
    '4.1 recipientAddress',
    'swap/recipient-accepted',
    '`recipientAddress` is refused where it is not the user',
    (query) =>
      query.has('recipientAddress') && query.get('recipientAddress') !== query.get('userAddress'),
  ),
  refusalMutant(
    'swap/router-never-plans',
    '2.8 routers',
    'swap/routers-plan',
    'service-router is listed and never plans',
    (query) => query.get('router') === 'service-router',
  ),
  refusalMutant(
    'swap/encoder-never-encodes',
    '2.9 hasEncoder',
    'swap/encoders-encode',
    'service-router has an encoder, it says, and refuses calldata',
    (query) => query.get('router') === 'service-router' && query.get('includeCalldata') === 'true',
  ),
  {
    id: 'swap/one-base-unit-fails',
    clause: '8 amounts',
    caughtBy: 'swap/smallest-amounts',
    title: 'an amount of 1 gives 500',
    middleware: () =>
      refuseWhere(
        'swap',
        (query) => query.get('sellAmount') === '1' || query.get('buyAmount') === '1',
        500,
      ),
  },
  {
    id: 'swap/key-echoed-in-a-plan',
    clause: '2.1 aggregator',
    caughtBy: 'swap-response/aggregator',
    title: '`aggregator` is the query of the request',
    middleware: () =>
      alterText('swap', (text, ctx) =>
        text.replace(
          /"aggregator":"[^"]*"/,
          `"aggregator":${JSON.stringify(Object.fromEntries(queryOf(ctx)))}`,
        ),
      ),
  },
];

/** @see Specification 4.1 and 8 */
export const swapMutants: readonly Mutant[] = [...echoes, ...calldata, ...refusals];
