import { loadEmbeddedMarkets } from '../../../../reference/market/embedded-markets.ts';
import { type MutantTable, withCommon } from '../faults/mutant.ts';
import { cacheCalldataBy, encoded, expiresIn, reprice, usdValue } from '../faults/plans.ts';
import { put } from '../faults/put.ts';
import {
  changeTolerance,
  drop,
  isExactInput,
  isGiven,
  isNativeBought,
  misread,
} from '../faults/requests.ts';

const NOWHERE = '0x00000000000000000000000000000000c0ffee99';
const E_ALIAS = `0x${'e'.repeat(40)}`;

const markets = loadEmbeddedMarkets();

function payUser(query: URLSearchParams): void {
  const user = query.get('userAddress');
  if (user !== null && !query.has('recipientAddress')) query.set('recipientAddress', user);
}

const allBut = (name: string) => (query: URLSearchParams) =>
  `${new URLSearchParams([...query].filter(([each]) => each !== name))}`;

type Signed = Readonly<Record<'deadline' | 'takerAmount' | 'signature', string>>;

function inOrder(wordIn: (signed: Signed) => string, change: (word: string) => string) {
  return encoded('calldata', (calldata, plan) => {
    const signed = plan.routes.find(({ details }) => details?.['signature'])?.details;
    if (!signed) return undefined;
    const word = wordIn(signed as Signed);
    return calldata.replace(word, change(word));
  });
}

function flipped(word: string): string {
  return [...word].reverse().join('');
}

function wordOf(amount: string): string {
  return BigInt(amount).toString(16).padStart(64, '0');
}

/** Faults that affect some trades and show only on a fork. */
export const someTradesMutants: MutantTable = {
  ...withCommon({ caughtBy: 'execution/protects' })({
    'settlement/tolerance-of-zero-as-none': {
      title: 'a tolerance of 0 is treated as missing, and calldata allows 0.5%',
      query: changeTolerance((tolerance) => tolerance || 0.005),
    },
    'settlement/tolerance-applied-twice': {
      title: 'the tolerance is applied twice',
      query: changeTolerance((tolerance) => tolerance * 2),
    },
    'settlement/ignores-tolerance-where-native-is-bought': {
      title: 'calldata that buys the native token accepts any price',
      where: isNativeBought,
      query: changeTolerance(() => 1),
    },
    'settlement/ignores-tolerance-with-makers': {
      title: 'with `useRfq=true`, calldata accepts any price',
      where: isGiven('useRfq', 'true'),
      query: changeTolerance(() => 1),
    },
    'settlement/ignores-tolerance-beside-orders': {
      title: 'calldata that fills an order of a market maker accepts any price',
      where: isExactInput,
      plan: encoded('calldata', (calldata, { routes }) =>
        routes.some(({ details }) => details?.['signature'])
          ? calldata.replace(/^(0x.{8}.{64}).{64}/, `$1${'0'.repeat(64)}`)
          : undefined,
      ),
    },
    'settlement/ignores-tolerance-for-recipients': {
      title: 'calldata for a recipient accepts any price',
      where: (query) => query.has('recipientAddress'),
      query: changeTolerance(() => 1),
    },
  }),
  ...withCommon({ caughtBy: 'execution/pays-recipient' })({
    'settlement/recipient-in-capitals-ignored': {
      title: 'a recipient in upper case is ignored, and the sender is paid',
      query: drop('recipientAddress', /[A-F]/),
    },
    'settlement/recipient-cut-short': {
      title: 'the recipient is cut to its last eight bytes',
      query: misread('recipientAddress', /^0x.{24}/i, `0x${'0'.repeat(24)}`),
    },
    'settlement/recipient-who-is-the-user': {
      title: 'calldata for a recipient that is the user pays nobody',
      where: (query) =>
        query.get('recipientAddress')?.toLowerCase() === query.get('userAddress')?.toLowerCase(),
      query: (query) => query.set('recipientAddress', NOWHERE),
    },
  }),
  'settlement/expired-without-a-router': {
    caughtBy: 'execution/settles',
    title: 'without a router in the request, calldata has expired when it is returned',
    where: (query) => !query.has('router'),
    plan: expiresIn(0),
  },
  'settlement/quotes-large-trades-too-well': {
    caughtBy: 'execution/quote-exact',
    title: 'trades of more than 50,000 dollars quote 30 basis points more than the pools yield',
    plan: (plan, query) => usdValue(plan, plan.sell) > 50_000 && reprice(plan, query, 3_000n),
  },
  'settlement/pays-the-wallet': {
    caughtBy: 'execution/pays-sender',
    title: 'without a recipient, `userAddress` is paid instead of the sender',
    query: payUser,
  },
  'settlement/kept-for-the-first-user': {
    caughtBy: 'execution/pays-recipient',
    title: 'calldata that pays one user is returned to the next user with the same request',
    query: payUser,
    middleware: cacheCalldataBy(allBut('userAddress')),
  },
  'settlement/kept-for-any-recipient': {
    caughtBy: 'execution/pays-recipient',
    title: 'calldata is cached by a key that lacks the recipient',
    middleware: cacheCalldataBy(allBut('recipientAddress')),
  },
  'settlement/kept-for-any-tolerance': {
    caughtBy: 'execution/tolerates',
    title: 'calldata is cached by a key that lacks the tolerance',
    middleware: cacheCalldataBy(allBut('slippageTolerance')),
  },
  'settlement/kept-for-any-amount': {
    caughtBy: 'execution/sells-exactly',
    title: 'calldata is cached by a key that lacks the amount',
    middleware: cacheCalldataBy(allBut('sellAmount')),
  },
  'settlement/other-alias-sold-wrapped': {
    caughtBy: 'execution/touches-no-other-token',
    title: 'calldata that sells the native token as 40 times e takes the wrapped token',
    where: (query) => query.has('userAddress') && query.get('sellToken') === E_ALIAS,
    query: (query) => {
      const market = markets.find(({ chainId }) => String(chainId) === query.get('chainId'));
      if (market) query.set('sellToken', market.wrappedNative);
    },
  },
  'settlement/quotes-small-trades-too-well': {
    caughtBy: 'execution/quote-exact',
    title: 'trades of less than half a dollar quote twice the yield of the pools',
    plan: (plan, query) => usdValue(plan, plan.sell) < 0.5 && reprice(plan, query, 1_000_000n),
  },
  ...withCommon({ caughtBy: 'execution/settles', where: isGiven('useRfq', 'true') })({
    'settlement/order-of-another-key': {
      title: "calldata contains a maker's order with the signature of another key",
      plan: inOrder(({ signature }) => signature.slice(2, 66), flipped),
    },
    'settlement/order-expired': {
      title: 'calldata contains an expired order of a maker',
      plan: inOrder(
        ({ deadline }) => wordOf(deadline),
        () => wordOf('1'),
      ),
    },
    'settlement/order-overfilled': {
      title: "calldata fills more of a maker's order than the maker signed",
      plan: inOrder(
        ({ takerAmount }) => wordOf(takerAmount),
        () => wordOf('1'),
      ),
    },
  }),
  'settlement/decimals-of-none': {
    caughtBy: 'execution/token-decimals',
    title: 'every token has 18 decimals, in plans and in lists',
    plan: put('tokens.*', { decimals: 18 }),
    tokens: put('*', { decimals: 18 }),
  },
  'settlement/pools-elsewhere': {
    caughtBy: 'execution/pools-are-contracts',
    title: 'the pool of the first route is an account without code',
    plan: put('routes.0', { address: NOWHERE }),
  },
};
