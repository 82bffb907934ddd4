import { encodeAbiParameters } from 'viem';
import { loadEmbeddedMarkets } from '../../../../reference/market/embedded-markets.ts';
import type { Address } from '../../../../reference/planner/domain/address.ts';
import { type MutantTable, withCommon } from '../faults/mutant.ts';
import { encoded, expiresIn, reprice, tokenOf } from '../faults/plans.ts';
import { put } from '../faults/put.ts';
import {
  changeTolerance,
  drop,
  isExactInput,
  isExactOutput,
  isGiven,
  misread,
  NATIVE,
} from '../faults/requests.ts';
import {
  changeCommands,
  hexOf,
  PAY_PORTION,
  ROUTER,
  SWAPS,
  SWEEP,
  TAKE_BY_PERMIT2,
  wordsOf,
} from '../faults/universal-commands.ts';

const NEARLY_ALL_BPS = 9_990n;

const markets = loadEmbeddedMarkets();

function scale(name: string, perMille: bigint) {
  return misread(name, /^[0-9]{3,60}$/, (amount) => String((BigInt(amount) * perMille) / 1_000n));
}

/** Faults that affect every trade and show only on a fork. */
export const everyTradeMutants: MutantTable = {
  'settlement/ignores-tolerance': {
    caughtBy: 'execution/protects',
    title: 'the calldata accepts any price, regardless of the tolerance',
    query: (query) => query.set('slippageTolerance', '1'),
  },
  ...withCommon({ caughtBy: 'execution/tolerates' })({
    'settlement/tolerates-nothing': {
      title: 'the calldata reverts at the slightest price move, regardless of the tolerance',
      query: (query) => query.set('slippageTolerance', '0'),
    },
    'settlement/tolerates-half-at-most': {
      title: 'tolerances above 0.5 are treated as 0.5',
      query: changeTolerance((tolerance) => Math.min(tolerance, 0.5)),
    },
  }),
  ...withCommon({ caughtBy: 'execution/protects' })({
    'settlement/tolerance-inverted': {
      title: 'the limit is the amount times the tolerance, instead of times 1 minus the tolerance',
      query: changeTolerance((tolerance) => 1 - tolerance),
    },
    'settlement/tolerates-a-tenth-of-a-percent': {
      title: 'tolerances below 0.1% are treated as 0.1%',
      query: changeTolerance((tolerance) => Math.max(tolerance, 0.001)),
    },
    'settlement/tolerance-above-half-as-none': {
      title: 'tolerances above 0.5 give no protection',
      query: changeTolerance((tolerance) => (tolerance > 0.5 ? 1 : tolerance)),
    },
  }),
  'settlement/overspends': {
    caughtBy: 'execution/sells-exactly',
    title: 'the calldata sells 1% more than planned',
    where: isExactInput,
    query: scale('sellAmount', 1_010n),
    plan: put('sell', (_, __, query) => ({ amount: query.get('sellAmount') })),
  },
  'settlement/buys-less': {
    caughtBy: 'execution/buys-at-least',
    title: 'exact output: the calldata buys 1% less than requested',
    where: isExactOutput,
    query: scale('buyAmount', 990n),
    plan: put('buy', (_, __, query) => ({ amount: query.get('buyAmount') })),
  },
  'settlement/quotes-too-well': {
    caughtBy: 'execution/quote-exact',
    title: 'plans quote 30 basis points more than the pools yield',
    plan: (plan, query) => reprice(plan, query, 3_000n),
  },
  'settlement/quotes-too-well-without-calldata': {
    caughtBy: 'execution/through-pools',
    title: 'plans without calldata quote 30 basis points more than the pools yield',
    plan: (plan, query) => plan.calldata === undefined && reprice(plan, query, 3_000n),
  },
  'settlement/quotes-beyond-tolerance': {
    caughtBy: 'execution/within-tolerance',
    title: 'the calldata accepts less than the quote and the tolerance allow',
    query: (query) => query.set('slippageTolerance', '1'),
    plan: (plan, query) => reprice(plan, query, 3_000n),
  },
  'settlement/misstates-a-route': {
    caughtBy: 'execution/route-amounts',
    title: "in a plan with several routes, the first route's amount is 1% more than its pool takes",
    plan: ({ routes: [first, ...others] }) => {
      const [leg] = first?.fromTokens ?? [];
      if (leg && others.length > 0) leg.amount = String((BigInt(leg.amount) * 101n) / 100n);
    },
  },
  'settlement/router-of-another-chain': {
    caughtBy: 'execution/router-is-contract',
    title: '`routerAddress` is the address of the router on another chain',
    plan: encoded('routerAddress', (_, plan, query) => {
      const other = markets.find(({ chainId }) => String(chainId) !== query.get('chainId'));
      return other?.routers.find(({ name }) => name === plan.router)?.address;
    }),
  },
  'settlement/expires-at-once': {
    caughtBy: 'execution/settles',
    title: 'the calldata has expired when it is returned',
    plan: expiresIn(0),
  },
  'settlement/expires-in-half-a-minute': {
    caughtBy: 'execution/outlives-a-minute',
    title: 'the calldata expires after half a minute',
    plan: expiresIn(30),
  },
  'settlement/gas-limit-too-low': {
    caughtBy: 'execution/gas-limit',
    title: '`gasLimit` is a third too low',
    plan: encoded('gasLimit', (gasLimit) => String((BigInt(gasLimit) * 2n) / 3n)),
  },
  'settlement/gas-limit-beyond-a-block': {
    caughtBy: 'execution/gas-limit-fits',
    title: '`gasLimit` is a thousand times too high',
    plan: encoded('gasLimit', (gasLimit) => `${gasLimit}000`),
  },
  'settlement/pays-the-sender': {
    caughtBy: 'execution/pays-recipient',
    title: 'the bought tokens are paid to the sender, even if there is a recipient',
    query: drop('recipientAddress'),
  },
  'settlement/leaves-native-wrapped': {
    caughtBy: 'execution/pays-native',
    title: 'buyers of the native token receive it wrapped',
    where: isGiven('buyToken', NATIVE),
    query: (query) => {
      const market = markets.find(({ chainId }) => String(chainId) === query.get('chainId'));
      if (market) query.set('buyToken', market.wrappedNative);
    },
    plan: put('buy', { unwrapToNative: true }),
  },
  'settlement/leaves-dust-in-router': {
    caughtBy: 'execution/nothing-stays',
    title: 'a thousandth of the bought amount stays in the router',
    plan: changeCommands((commands, plan) => {
      const bought = BigInt(tokenOf(plan, plan.buy)?.address ?? 0);
      return commands.flatMap(({ id, input }) => {
        const [recipient, ...others] = wordsOf(input);
        if (id === SWEEP) {
          const words = [...wordsOf(input).slice(0, 2), NEARLY_ALL_BPS];
          return [{ id: PAY_PORTION, input: hexOf(words) }];
        }
        if (!SWAPS.has(id) || recipient === ROUTER || recipient === undefined) {
          return [{ id, input }];
        }
        return [
          { id, input: hexOf([ROUTER, ...others]) },
          { id: PAY_PORTION, input: hexOf([bought, recipient, NEARLY_ALL_BPS]) },
        ];
      });
    }),
  },
  'settlement/takes-another-token': {
    caughtBy: 'execution/touches-no-other-token',
    title: 'the calldata also takes another token that the user has approved',
    plan: changeCommands((commands, plan) => {
      const traded: readonly string[] = plan.tokens.map(({ address }) => address.toLowerCase());
      const market = markets.find(({ tokens }) => traded.some((it) => tokens.has(it as Address)));
      const sold = tokenOf(plan, plan.sell)?.address.toLowerCase();
      const other = [...(market?.tokens.keys() ?? [])].find((token) => token !== sold);
      if (other === undefined) return commands;
      const input = encodeAbiParameters(
        [{ type: 'address' }, { type: 'address' }, { type: 'uint160' }],
        [other, '0x00000000000000000000000000000000000bad00', 7n],
      );
      return [...commands, { id: TAKE_BY_PERMIT2, input }];
    }),
  },
};
