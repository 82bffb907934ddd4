import type { SwapResponse } from '../../conformance/contract/resources.ts';
import { alterBody, alterError, answerError, type Change } from './alter-reply.ts';
import { readLeniently } from './alter-request.ts';
import type { Mutant } from './mutant.ts';
import { everyNth, oneIn, plans } from './now-and-then.ts';
import { addTo, routesFrom } from './plan-surgery.ts';

const leakAtSell: Change<SwapResponse> = (plan) =>
  addTo(routesFrom(plan, plan.sell.referenceId)[0]?.fromTokens[0], 1n);

const dangle: Change<SwapResponse> = (plan) => {
  plan.buy.referenceId = 99;
};

const dropGasLimit: Change<SwapResponse> = (plan) => {
  delete plan.gasLimit;
};

const dropMessage = () =>
  alterError((error) => ({ error: error.error, details: error.details ?? {} }));

/** Faults in some replies of many: a run that asks too little passes them by. */
export const sometimesMutants: readonly Mutant[] = [
  {
    id: 'sometimes/leak-in-one-of-twenty',
    clause: '1.1 converts',
    caughtBy: 'plan/conserves-sell',
    title: 'one plan in twenty spends one base unit too many',
    middleware: everyNth(20, 'swap', plans(leakAtSell)),
  },
  {
    id: 'sometimes/dangling-in-one-of-twenty',
    clause: '2.2 referenceId',
    caughtBy: 'trade-token/reference-resolves',
    title: 'one reply in twenty, by lot, refers to a token that is not there',
    middleware: oneIn(20, plans(dangle)),
  },
  {
    id: 'sometimes/no-gas-limit-in-one-of-twenty',
    clause: '4.1 rule 4',
    caughtBy: 'swap/calldata-as-asked',
    title: 'one reply in twenty, by lot, lacks `gasLimit`',
    middleware: oneIn(20, plans(dropGasLimit)),
  },
  {
    id: 'sometimes/error-without-message-in-one-of-twenty',
    clause: '2.10 message',
    caughtBy: 'error/message',
    title: 'one Error in twenty, by lot, lacks its `message`',
    middleware: oneIn(20, dropMessage),
  },
  {
    id: 'sometimes/404-for-one-plan-in-twenty',
    clause: '4 status',
    caughtBy: 'endpoint/status',
    title: 'one plan in twenty, by lot, is not found',
    middleware: oneIn(20, () => async (ctx, next) => {
      const isSwap = /\/swap\?/.test(ctx.req.url ?? '');
      await next();
      if (isSwap && ctx.status === 200) answerError(ctx, 404, 'NOT_FOUND');
    }),
  },
  {
    id: 'sometimes/token-list-without-logo',
    clause: '2.6 logoURI',
    caughtBy: 'token-info/metadata-logo-uri',
    title: 'one token list in twenty, by lot, has a token without its logo',
    middleware: oneIn(20, () =>
      alterBody('tokens', (tokens) =>
        tokens.map((each, index) => (index === 0 ? bare(each) : each)),
      ),
    ),
  },
  {
    id: 'sometimes/chain-by-text',
    clause: '2.7 chainId',
    caughtBy: 'chain/chain-id',
    title: 'one list of chains in twenty, by lot, has its ids as text',
    middleware: oneIn(20, () =>
      alterBody('chains', (chains) =>
        chains.map((each) => ({ ...each, chainId: `${each.chainId}` })),
      ),
    ),
  },
  {
    id: 'sometimes/router-without-sources',
    clause: '2.9 liquiditySources',
    caughtBy: 'router-info/liquidity-sources',
    title: 'one /chainInfo in twenty, by lot, has a router whose sources are null',
    middleware: oneIn(20, () =>
      alterBody('chainInfo', ({ routers: [first] }) => {
        if (first) Object.assign(first, { liquiditySources: null });
      }),
    ),
  },
  {
    id: 'sometimes/slippage-unchecked',
    clause: '4.1 slippageTolerance',
    caughtBy: 'swap/slippage-tolerance',
    title: 'one request in ten, by lot, may have any tolerance',
    middleware: oneIn(10, () =>
      readLeniently('swap', 'slippageTolerance', (text) => (text === undefined ? text : '0.01')),
    ),
  },
  {
    id: 'sometimes/key-unchecked',
    clause: '4.1 apiKey',
    caughtBy: 'swap/key-required',
    title: 'every fourth request to /swap needs no key',
    middleware: everyNth(4, 'swap', () =>
      readLeniently('swap', 'apiKey', (key) => (key ? undefined : 'demo')),
    ),
  },
];

function bare(token: object): unknown {
  return { ...token, metadata: {} };
}
