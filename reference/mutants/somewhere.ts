import type { Middleware } from 'koa';
import type { SwapResponse } from '../../conformance/contract/resources.ts';
import type { Change } from './alter-reply.ts';
import type { Mutant } from './mutant.ts';
import { onlyWhere, plans } from './now-and-then.ts';
import { addTo, routesFrom, tokenBetween, usdValue } from './plan-surgery.ts';

const leakAtSell: Change<SwapResponse> = (plan) =>
  addTo(routesFrom(plan, plan.sell.referenceId)[0]?.fromTokens[0], 1n);

const dropGasLimit: Change<SwapResponse> = (plan) => {
  delete plan.gasLimit;
};

/** Breaks plans that a condition on the plan itself picks. */
function plansWhere(
  isWhere: (plan: SwapResponse, query: URLSearchParams) => boolean,
  change: Change<SwapResponse>,
): () => Middleware {
  return plans((plan, query) => (isWhere(plan, query) ? change(plan, query) : undefined));
}

const decimalsOf = ({ tokens, sell }: SwapResponse) =>
  tokens.find(({ referenceId }) => referenceId === sell.referenceId)?.decimals;

const isNative = (text: string | null) => /^0x(0{40}|e{40})$/i.test(text ?? '');

/** Faults in some corner: a run that always asks the same passes them by. */
export const somewhereMutants: readonly Mutant[] = [
  {
    id: 'somewhere/leak-beyond-ten-thousand-usd',
    clause: '1.1 converts',
    caughtBy: 'plan/conserves-sell',
    title: 'trades of more than 10,000 USD spend one base unit too many',
    middleware: plansWhere((plan) => usdValue(plan, plan.sell) > 10_000, leakAtSell),
  },
  {
    id: 'somewhere/amount-beyond-64-bits',
    clause: '4.1 sellAmount',
    caughtBy: 'swap/sell-amount-echoed',
    title: 'amounts of 2^64 and more are cut to 64 bits in `sell`',
    middleware: plans(({ sell }) => {
      sell.amount = String(BigInt.asUintN(64, BigInt(sell.amount)));
    }),
  },
  {
    id: 'somewhere/dust-trades-echo-nothing',
    clause: '4.1 sellAmount',
    caughtBy: 'swap/sell-amount-echoed',
    title: 'amounts below 10,000 base units are echoed as 10,000',
    middleware: plansWhere(
      (plan, query) => query.has('sellAmount') && BigInt(plan.sell.amount) < 10_000n,
      ({ sell }) => {
        sell.amount = '10000';
      },
    ),
  },
  {
    id: 'somewhere/tokens-of-six-decimals',
    clause: '1.1 converts',
    caughtBy: 'plan/conserves-sell',
    title: 'one base unit is lost where the sell token has 6 decimals',
    middleware: plansWhere((plan) => decimalsOf(plan) === 6, leakAtSell),
  },
  {
    id: 'somewhere/tokens-without-decimals',
    clause: '2.3 usdPrice',
    caughtBy: 'token/usd-price',
    title: 'tokens without decimals have a price of null',
    middleware: plans(({ tokens }) => {
      for (const token of tokens)
        if (token.decimals === 0) Object.assign(token, { usdPrice: null });
    }),
  },
  {
    id: 'somewhere/second-chain',
    clause: '4.1 buyAmount',
    caughtBy: 'swap/buy-amount-reached',
    title: 'on chain 31338 exact output gives one base unit less',
    middleware: onlyWhere(
      'swap',
      (query) => query.get('chainId') === '31338' && query.has('buyAmount'),
      plans(({ buy }) => {
        const short = BigInt(buy.amount) - 1n;
        if (short > 0n) buy.amount = String(short);
      }),
    ),
  },
  {
    id: 'somewhere/with-rfq',
    clause: '2.5 referenceId',
    caughtBy: 'route-token/reference-resolves',
    title: 'with `useRfq=true` the last route refers to a token that is not there',
    middleware: onlyWhere(
      'swap',
      (query) => query.get('useRfq') === 'true',
      plans(({ routes }) => {
        const leg = routes.at(-1)?.toTokens[0];
        if (leg) leg.referenceId = 99;
      }),
    ),
  },
  {
    id: 'somewhere/in-capitals',
    clause: '4.1 sellToken',
    caughtBy: 'swap/sell-token-echoed',
    title: 'a sell token in capitals comes back cut by a digit',
    middleware: onlyWhere(
      'swap',
      (query) => /^0x[0-9A-F]{40}$/.test(query.get('sellToken') ?? ''),
      plans(({ tokens, sell }) => {
        const sold = tokens.find(({ referenceId }) => referenceId === sell.referenceId);
        if (sold) sold.address = sold.address.slice(0, -1);
      }),
    ),
  },
  {
    id: 'somewhere/exact-output-of-native',
    clause: '1.1 converts',
    caughtBy: 'plan/conserves-buy',
    title: 'exact output of native yields ten base units that nobody gets',
    middleware: onlyWhere(
      'swap',
      (query) => query.has('buyAmount') && isNative(query.get('buyToken')),
      plans(({ routes, buy }) => {
        const legs = routes.flatMap(({ toTokens }) => toTokens);
        addTo(
          legs.find(({ referenceId }) => referenceId === buy.referenceId),
          10n,
        );
      }),
    ),
  },
  {
    id: 'somewhere/e-alias-unflagged',
    clause: '2.2 wrapFromNative',
    caughtBy: 'trade-token/native-sides-flagged',
    title: 'native by 40 times e is not said to need wrapping',
    middleware: onlyWhere(
      'swap',
      (query) => /^0xe{40}$/i.test(query.get('sellToken') ?? ''),
      plans(({ sell }) => {
        delete sell.wrapFromNative;
      }),
    ),
  },
  {
    id: 'somewhere/plans-of-four-routes',
    clause: '1.1 converts',
    caughtBy: 'plan/conserves-between',
    title: 'plans of four routes and more leave ten parts per million of a token between',
    middleware: plansWhere(
      (plan) => plan.routes.length >= 4,
      (plan) => {
        const token = tokenBetween(plan);
        const leg = token === undefined ? undefined : routesFrom(plan, token)[0]?.fromTokens[0];
        if (leg) addTo(leg, -(BigInt(leg.amount) / 100_000n) - 3n);
      },
    ),
  },
  {
    id: 'somewhere/recipient-without-gas-limit',
    clause: '1.3 calldata',
    caughtBy: 'swap/calldata-complete',
    title: 'calldata for a recipient comes without `gasLimit`',
    middleware: onlyWhere('swap', (query) => query.has('recipientAddress'), plans(dropGasLimit)),
  },
  {
    id: 'somewhere/no-slippage-odd-calldata',
    clause: '2.1 calldata',
    caughtBy: 'swap-response/calldata-hex',
    title: 'at a tolerance of 0 calldata has an odd number of digits',
    middleware: onlyWhere(
      'swap',
      (query) => query.get('slippageTolerance') === '0',
      plans((plan) => {
        if (plan.calldata !== undefined) plan.calldata += '0';
      }),
    ),
  },
  {
    id: 'somewhere/percent-encoded',
    clause: '4.1 router',
    caughtBy: 'swap/router-echoed',
    title: 'a router whose name is percent-encoded is echoed as default-router',
    middleware: onlyWhere(
      'swap',
      (_, ctx) => /[?&]router=[^&]*%/.test(ctx.req.url ?? ''),
      plans((plan) => {
        plan.router = plan.router === 'default-router' ? 'universal-router' : 'default-router';
      }),
    ),
  },
  {
    id: 'somewhere/symbol-beyond-ascii',
    clause: '2.3 symbol',
    caughtBy: 'token/symbol',
    title: 'symbols beyond ASCII are null',
    middleware: plans(({ tokens }) => {
      for (const token of tokens) {
        if (/[^ -~]/.test(token.symbol)) Object.assign(token, { symbol: null });
      }
    }),
  },
];
