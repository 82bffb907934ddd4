import { cacheRepliesBy } from './faults/middleware.ts';
import { type MutantTable, withCommon } from './faults/mutant.ts';
import { addTo, cacheCalldataBy, reprice, routesInto } from './faults/plans.ts';
import {
  all,
  changeTolerance,
  drop,
  E_ALIAS,
  eitherToken,
  isCalldata,
  isGiven,
} from './faults/requests.ts';

/*
 * Each reply of these services is valid on its own. Only a comparison of two replies shows the
 * fault.
 */

const isEvenDigits = ({ length }: string) => length % 2 === 0;

/** @see Specification 1.3, 1.5, 4 and 4.1 */
export const relationMutants: MutantTable = {
  ...withCommon({ plan: (plan, query) => reprice(plan, query, -500n) })({
    'relation/e-alias-worse-by-universal-router': {
      caughtBy: 'relation/native-aliases',
      title:
        'through universal-router, the native token as 40 times e has a worse plan than as zeros',
      where: all(eitherToken(E_ALIAS), isGiven('router', 'universal-router')),
    },
    'relation/calldata-false-worse-by-service-router': {
      caughtBy: 'relation/default-calldata',
      title:
        'through service-router, `includeCalldata=false` results in a worse plan than omitting it',
      where: all(isGiven('includeCalldata', 'false'), isGiven('router', 'service-router')),
    },
    'relation/universal-calldata-costs': {
      caughtBy: 'relation/calldata-leaves-plan',
      title: 'plans of universal-router with calldata are worse',
      where: all(isCalldata, isGiven('router', 'universal-router')),
    },
  }),
  'relation/chain-not-in-key': {
    caughtBy: 'relation/chains-distinct',
    title: 'replies are cached by a key that lacks the chain',
    middleware: cacheRepliesBy((query) => query.delete('chainId')),
  },
  'relation/chain-not-in-key-of-refusals': {
    caughtBy: 'relation/chains-distinct',
    title: 'rejections are cached by a key that lacks the chain',
    middleware: cacheRepliesBy(
      (query) => query.delete('chainId'),
      (status) => status !== 200,
    ),
  },
  'relation/rfq-not-in-key': {
    caughtBy: 'relation/rfq-distinct',
    title: 'plans are cached by a key that lacks `useRfq`',
    middleware: cacheRepliesBy(
      (query) => query.delete('useRfq'),
      (status) => status === 200,
    ),
  },
  'relation/amount-rounded-in-key': {
    caughtBy: 'swap/sell-amount-echoed',
    title: 'plans are cached by a key in which the amount is rounded to a double',
    middleware: cacheRepliesBy(
      (query) => query.set('sellAmount', String(Number(query.get('sellAmount')))),
      (status) => status === 200,
    ),
  },
  ...withCommon({ caughtBy: 'relation/calldata' })({
    'relation/recipient-in-capitals-unread': {
      title: 'a recipient in upper case is not paid, and the sender is paid instead',
      query: drop('recipientAddress', /^0x[0-9A-F]*[A-F][0-9A-F]*$/),
    },
    'relation/recipient-unread-before-the-key': {
      title: 'if the key is the first parameter, calldata ignores the recipient',
      where: (query) => [...query.keys()][0] === 'apiKey',
      query: drop('recipientAddress'),
    },
    'relation/tolerance-encoded-unread': {
      title: 'a percent-encoded tolerance is read as 0.5',
      where: (_, ctx) => /slippageTolerance=%/.test(ctx.req.url ?? ''),
      query: changeTolerance(() => 0.5),
    },
    'relation/rfq-false-tolerates-more': {
      title: 'with `useRfq=false`, calldata has twice the tolerance',
      where: isGiven('useRfq', 'false'),
      query: changeTolerance((tolerance) => 2 * tolerance),
    },
  }),
  'relation/calldata-kept': {
    caughtBy: 'swap-response/calldata-differs',
    title: 'calldata is cached by chain, pair and router',
    middleware: cacheCalldataBy((query) =>
      ['chainId', 'sellToken', 'buyToken', 'router'].map((name) => query.get(name)).join(' '),
    ),
  },
  'relation/more-buys-less': {
    caughtBy: 'relation/more-in-no-less-out',
    title: 'sell amounts with an even number of digits buy a twentieth of the usual amount',
    where: (query) => isEvenDigits(query.get('sellAmount') ?? '-'),
    // The plan stays valid: each route keeps at least one base unit.
    plan: (plan) => {
      const { buy } = plan;
      const legs = routesInto(plan, buy.referenceId)
        .flatMap(({ toTokens }) => toTokens)
        .filter(({ referenceId }) => referenceId === buy.referenceId);
      for (const leg of legs) {
        const before = BigInt(leg.amount);
        const change = (before / 20n || 1n) - before;
        addTo(leg, change);
        addTo(buy, change);
      }
    },
  },
};
