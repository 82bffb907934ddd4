import type { MutantTable } from './faults/mutant.ts';
import { addTo, overspend, scaleSide } from './faults/plans.ts';
import { drop, fill, isExactInput, isExactOutput, misread } from './faults/requests.ts';

/** @see Specification 4.1: a plan is for the requested trade */
export const swapMutants: MutantTable = {
  'swap/sells-one-more': {
    caughtBy: 'swap/sell-amount-echoed',
    title: 'exact input: one base unit more than requested is sold',
    where: isExactInput,
    plan: (plan) => {
      addTo(plan.sell, 1n);
      overspend(plan);
    },
  },
  'swap/sell-amount-through-a-float': {
    caughtBy: 'swap/sell-amount-echoed',
    title: 'amounts above 2^53 lose their last digits',
    query: misread('sellAmount', /^[1-9][0-9]{15,30}$/, (text) => String(BigInt(Number(text)))),
  },
  'swap/buys-less': {
    caughtBy: 'swap/buy-amount-reached',
    title: 'exact output: three parts per million less than requested are bought',
    where: isExactOutput,
    plan: (plan) => scaleSide(plan, 'buy', -3n),
  },
  'swap/buys-more': {
    caughtBy: 'swap/buy-amount-echoed',
    title: 'exact output: one base unit more than requested is bought',
    where: isExactOutput,
    plan: (plan) => scaleSide(plan, 'buy', 0n),
  },
  'swap/exact-output-as-input': {
    caughtBy: 'swap/buy-amount-reached',
    title: '`buyAmount` is read as `sellAmount`',
    query: (query) => {
      const buyAmount = query.get('buyAmount');
      if (buyAmount === null || query.has('sellAmount')) return;
      query.delete('buyAmount');
      query.set('sellAmount', buyAmount);
    },
  },
  'swap/sides-reversed': {
    caughtBy: 'swap/buy-token-echoed',
    title: 'exact output swaps the direction of the trade',
    where: isExactOutput,
    query: (query) => {
      const [sellToken, buyToken] = [query.get('sellToken'), query.get('buyToken')];
      if (sellToken === null || buyToken === null) return;
      query.set('sellToken', buyToken);
      query.set('buyToken', sellToken);
    },
  },
  'swap/router-ignored': {
    caughtBy: 'swap/router-echoed',
    title: 'default-router is used if service-router is requested',
    query: drop('router', /^service-router$/),
  },
  'swap/another-default-router': {
    caughtBy: 'swap/router-default',
    title: 'universal-router is used if no router is requested',
    query: fill('router', 'universal-router'),
  },
  'swap/key-echoed-in-a-plan': {
    caughtBy: 'swap-response/aggregator',
    title: '`aggregator` is the query of the request',
    plan: (plan, query) => ({ ...plan, aggregator: Object.fromEntries(query) }),
  },
};
