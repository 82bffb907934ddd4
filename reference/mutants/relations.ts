import type { SwapResponse } from '../../conformance/contract/resources.ts';
import { keepRepliesBy } from './faults/middleware.ts';
import { alike, type Change, type Condition, type MutantTable } from './faults/mutant.ts';
import { addTo, keepCalldataBy, reprice, routesInto } from './faults/plans.ts';
import {
  all,
  drop,
  E_ALIAS,
  eitherToken,
  isCalldata,
  isExactOutput,
  isGiven,
  matches,
  tolerates,
} from './faults/requests.ts';

/*
 * Every reply of these is sound by itself: only two replies together show the
 * fault.
 */

const CAPITALS = /^0x[0-9A-F]*[A-F][0-9A-F]*$/;

function withoutChain(query: URLSearchParams): string {
  query.delete('chainId');
  return `${query}`;
}

function withoutRfq(query: URLSearchParams): string {
  query.delete('useRfq');
  return `${query}`;
}

function withRoundedAmount(query: URLSearchParams): string {
  query.set('sellAmount', String(Number(query.get('sellAmount'))));
  return `${query}`;
}

/** Makes a plan worse by parts per million. */
const worseBy =
  (ppm: bigint): Change<SwapResponse> =>
  (plan, query) =>
    reprice(plan, query, -ppm);

const isAmountFirst: Condition = (query) => {
  const names = [...query.keys()];
  return names.findIndex((name) => name.endsWith('Amount')) < names.indexOf('sellToken');
};

/**
 * Multiplies what exact input buys by parts in a thousand, by the digits of the
 * amount sold: soundly, with at least one base unit of each route left.
 */
function boughtPerMille(perMille: (digits: number) => bigint): Change<SwapResponse> {
  return (plan, query) => {
    const sellAmount = query.get('sellAmount');
    if (sellAmount === null) return;
    const { buy } = plan;
    const legs = routesInto(plan, buy.referenceId)
      .flatMap(({ toTokens }) => toTokens)
      .filter(({ referenceId }) => referenceId === buy.referenceId);
    for (const leg of legs) {
      const before = BigInt(leg.amount);
      const now = (before * perMille(sellAmount.length)) / 1_000n || 1n;
      addTo(leg, now - before);
      addTo(buy, now - before);
    }
  };
}

/** @see Specification 1.3, 1.5, 4 and 4.1 */
export const relationMutants: MutantTable = {
  ...alike({ plan: worseBy(500n) })({
    'relation/e-alias-worse': {
      caughtBy: 'relation/native-aliases',
      title: 'native by 40 times e gets a worse plan than by zeros',
      where: eitherToken(E_ALIAS),
    },
    'relation/e-alias-worse-by-universal-router': {
      caughtBy: 'relation/native-aliases',
      title: 'through universal-router, native by 40 times e gets a worse plan than by zeros',
      where: all(eitherToken(E_ALIAS), isGiven('router', 'universal-router')),
    },
    'relation/capitals-worse': {
      caughtBy: 'relation/letter-case',
      title: 'addresses in capitals get a worse plan',
      where: eitherToken(CAPITALS),
    },
    'relation/order-matters': {
      caughtBy: 'relation/parameter-order',
      title: 'an amount before the tokens gets a worse plan',
      where: isAmountFirst,
    },
    'relation/rfq-false-worse': {
      caughtBy: 'relation/default-rfq',
      title: '`useRfq=false` gets a worse plan than no `useRfq`',
      where: isGiven('useRfq', 'false'),
    },
    'relation/default-router-spelled-worse': {
      caughtBy: 'relation/default-router',
      title: '`router=default-router` gets a worse plan than no `router`',
      where: isGiven('router', 'default-router'),
    },
    'relation/calldata-false-worse': {
      caughtBy: 'relation/default-calldata',
      title: '`includeCalldata=false` gets a worse plan than no `includeCalldata`',
      where: isGiven('includeCalldata', 'false'),
    },
    'relation/calldata-false-worse-by-service-router': {
      caughtBy: 'relation/default-calldata',
      title: 'through service-router, `includeCalldata=false` gets a worse plan than none',
      where: all(isGiven('includeCalldata', 'false'), isGiven('router', 'service-router')),
    },
    'relation/calldata-costs': {
      caughtBy: 'relation/calldata-leaves-plan',
      title: 'plans with calldata are worse',
      where: isCalldata,
    },
    'relation/universal-calldata-costs': {
      caughtBy: 'relation/calldata-leaves-plan',
      title: 'plans of universal-router with calldata are worse',
      where: all(isCalldata, isGiven('router', 'universal-router')),
    },
    'relation/slippage-taken': {
      caughtBy: 'relation/slippage-leaves-plan',
      title: 'tolerances above 2 % are used up',
      where: (query) => Number(query.get('slippageTolerance')) > 0.02,
    },
    'relation/no-slippage-costs': {
      caughtBy: 'relation/slippage-leaves-plan',
      title: 'a tolerance of 0 gets a worse plan',
      where: isGiven('slippageTolerance', '0'),
    },
    'relation/any-slippage-taken': {
      caughtBy: 'relation/slippage-leaves-plan',
      title: 'a tolerance of 1 gets a worse plan',
      where: isGiven('slippageTolerance', '1'),
    },
    'relation/user-as-recipient-pays': {
      caughtBy: 'relation/recipient-leaves-plan',
      title: 'a recipient who is the user gets a worse plan',
      where: (query) => query.get('recipientAddress') === query.get('userAddress'),
    },
    'relation/recipient-pays': {
      caughtBy: 'relation/recipient-leaves-plan',
      title: 'a recipient beside the user gets a worse plan',
      where: (query) => query.has('recipientAddress'),
    },
    'relation/some-users-pay': {
      caughtBy: 'relation/user-leaves-plan',
      title: 'users whose address ends with 7 get a worse plan',
      where: matches('userAddress', /7$/),
    },
  }),
  'relation/e-alias-unknown': {
    caughtBy: 'relation/native-aliases',
    title: 'native by 40 times e is no token',
    refuse: eitherToken(E_ALIAS),
  },
  'relation/zeros-unknown': {
    caughtBy: 'swap/native-aliases-accepted',
    title: 'native by zeros is no token',
    refuse: eitherToken(/^0x0{40}$/),
  },
  'relation/e-alias-without-checksum': {
    caughtBy: 'relation/letter-case',
    title: 'native by 40 times e is known in lower case alone',
    refuse: eitherToken(/^0xe*E[eE]*$/),
  },
  'relation/capitals-unknown': {
    caughtBy: 'relation/letter-case',
    title: 'tokens are known by the checksummed address alone, or in lower case',
    refuse: eitherToken(CAPITALS),
  },
  'relation/key-not-last': {
    caughtBy: 'relation/parameter-order',
    title: 'what stands behind the key is not read',
    refuse: (query) => [...query.keys()][0] === 'apiKey',
  },
  'relation/percent-encoding-unread': {
    caughtBy: 'relation/percent-encoding',
    title: 'percent-encoded digits are not decoded',
    refuse: (_, ctx) => /=%3[0-9]/.test(ctx.req.url ?? ''),
  },
  'relation/percent-encoding-of-names-unread': {
    caughtBy: 'relation/percent-encoding',
    title: 'percent-encoded letters of a name are not decoded',
    refuse: (_, ctx) => /[?&][^=&]*%[^=&]*=/.test(ctx.req.url ?? ''),
  },
  'relation/lower-case-escapes-unread': {
    caughtBy: 'relation/percent-encoding',
    title: 'what is percent-encoded in lower case is not decoded',
    refuse: (_, ctx) => /%[0-9][a-f]/.test(ctx.req.url ?? ''),
  },
  'relation/empty-parameter-fails': {
    caughtBy: 'relation/separator-at-end',
    title: 'a separator at the end gives 400',
    refuse: (_, ctx) => /&$/.test(ctx.req.url ?? ''),
  },
  'relation/separators-worse': {
    caughtBy: 'relation/separators',
    title: 'a query with separators to spare gets a worse plan',
    where: (_, ctx) => /\?&|&&|&$/.test(ctx.req.url ?? ''),
    plan: worseBy(500n),
  },
  'relation/chain-not-in-key': {
    caughtBy: 'relation/chains-apart',
    title: 'what was asked before is answered as then, whatever the chain',
    middleware: keepRepliesBy(withoutChain),
  },
  'relation/chain-not-in-key-of-refusals': {
    caughtBy: 'relation/chains-apart',
    title: 'what was refused before is refused again, whatever the chain',
    middleware: keepRepliesBy(withoutChain, (status) => status !== 200),
  },
  'relation/rfq-not-in-key': {
    caughtBy: 'relation/rfq-apart',
    title: 'plans are cached by a key that lacks `useRfq`',
    middleware: keepRepliesBy(withoutRfq, (status) => status === 200),
  },
  'relation/amount-rounded-in-key': {
    caughtBy: 'swap/sell-amount-echoed',
    title: 'what was asked before is answered as then, for amounts that a double holds alike',
    middleware: keepRepliesBy(withRoundedAmount, (status) => status === 200),
  },
  ...alike({ caughtBy: 'relation/calldata' })({
    'relation/recipient-in-capitals-unread': {
      title: 'a recipient in capitals is not paid: the sender is',
      query: drop('recipientAddress', CAPITALS),
    },
    'relation/recipient-unread-before-the-key': {
      title: 'behind the key, the recipient is not read for calldata',
      where: (query) => [...query.keys()][0] === 'apiKey',
      query: drop('recipientAddress'),
    },
    'relation/tolerance-encoded-unread': {
      title: 'a tolerance that is percent-encoded is taken for a half',
      where: (_, ctx) => /slippageTolerance=%/.test(ctx.req.url ?? ''),
      query: tolerates(() => 0.5),
    },
    'relation/rfq-false-tolerates-more': {
      title: 'with `useRfq=false` calldata has twice the tolerance',
      where: isGiven('useRfq', 'false'),
      query: tolerates((tolerance) => 2 * tolerance),
    },
  }),
  'relation/calldata-kept': {
    caughtBy: 'swap-response/calldata-differs',
    title: 'the calldata of a pair is kept, whatever is asked of it later',
    middleware: keepCalldataBy((query) =>
      ['chainId', 'sellToken', 'buyToken', 'router'].map((name) => query.get(name)).join(' '),
    ),
  },
  'relation/exact-output-cheaper': {
    caughtBy: 'relation/exact-output-costs-no-less',
    title: 'exact output costs 5 % less than exact input',
    where: isExactOutput,
    plan: worseBy(-50_000n),
  },
  'relation/more-buys-less': {
    caughtBy: 'relation/more-in-no-less-out',
    title: 'amounts with an even number of digits buy a twentieth',
    plan: boughtPerMille((digits) => (digits % 2 === 0 ? 50n : 1_000n)),
  },
};
