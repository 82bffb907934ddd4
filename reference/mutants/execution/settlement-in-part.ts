import type { Middleware } from 'koa';
import { loadEmbeddedMarkets } from '../../market/embedded-markets.ts';
import { alterBody } from '../alter-reply.ts';
import { alterRequest } from '../alter-request.ts';
import type { Mutant } from '../mutant.ts';
import { reprice, usdValue } from '../plan-surgery.ts';
import { askForAnother, settlementMutant } from './settlement-mutant.ts';

const E_ALIAS = `0x${'e'.repeat(40)}`;
const NATIVE = [`0x${'0'.repeat(40)}`, E_ALIAS];
/** An account: no contract is there. */
const NOWHERE = '0x00000000000000000000000000000000c0ffee99';

/** Reads another tolerance than is asked for. */
function toleranceWhere(
  isWhere: (query: URLSearchParams) => boolean,
  read: (tolerance: number) => number,
): () => Middleware {
  return () =>
    alterRequest('swap', (query) => {
      const given = query.get('slippageTolerance');
      if (given === null || !isWhere(query)) return;
      query.set(
        'slippageTolerance',
        String(Math.min(1, Math.round(read(Number(given)) * 1e4) / 1e4)),
      );
    });
}

/** Gives the calldata that was first made for requests of one key to all of them. */
function keepsBy(keyOf: (query: URLSearchParams) => void): () => Middleware {
  return () => {
    const kept = new Map<string, string>();
    return alterBody('swap', (plan, query) => {
      if (plan.calldata === undefined) return;
      const key = new URLSearchParams(query);
      keyOf(key);
      plan.calldata = kept.get(`${key}`) ?? plan.calldata;
      kept.set(`${key}`, plan.calldata);
    });
  };
}

/** The reference with one fault that only a chain shows, and only in some trades. */
export const partialSettlementMutants: readonly Mutant[] = [
  settlementMutant(
    'tolerance-of-zero-as-none',
    '4.1 slippageTolerance',
    'protects',
    'a tolerance of 0 is taken for none, and calldata allows 0.5 %',
    toleranceWhere(
      () => true,
      (tolerance) => tolerance || 0.005,
    ),
  ),
  settlementMutant(
    'tolerance-applied-twice',
    '4.1 slippageTolerance',
    'protects',
    'the tolerance is applied twice',
    toleranceWhere(
      () => true,
      (tolerance) => tolerance * 2,
    ),
  ),
  settlementMutant(
    'ignores-tolerance-where-native-is-bought',
    '4.1 slippageTolerance',
    'protects',
    'who buys the native token is not protected',
    toleranceWhere(
      (query) => NATIVE.includes(query.get('buyToken') ?? ''),
      () => 1,
    ),
  ),
  settlementMutant(
    'ignores-tolerance-for-recipients',
    '4.1 slippageTolerance',
    'protects',
    'trades for a recipient are not protected',
    toleranceWhere(
      (query) => query.has('recipientAddress'),
      () => 1,
    ),
  ),
  settlementMutant(
    'pays-the-wallet',
    '4.1 recipientAddress',
    'pays-sender',
    'without a recipient `userAddress` is paid, whoever sends',
    () =>
      alterRequest('swap', (query) => {
        const user = query.get('userAddress');
        if (user !== null && !query.has('recipientAddress')) query.set('recipientAddress', user);
      }),
  ),
  settlementMutant(
    'kept-for-the-first-user',
    '4.1 recipientAddress',
    'pays-recipient',
    'calldata that pays one user is given to the next who asks the same',
    () => {
      const keep = keepsBy((key) => key.delete('userAddress'))();
      const pay = askForAnother(
        (query) => {
          const user = query.get('userAddress');
          if (user !== null && !query.has('recipientAddress')) query.set('recipientAddress', user);
        },
        () => undefined,
      );
      return (ctx, next) => keep(ctx, () => pay(ctx, next) as Promise<void>);
    },
  ),
  settlementMutant(
    'kept-for-any-amount',
    '2.1 sell',
    'sells-exactly',
    'calldata is kept by all parameters but the amount',
    keepsBy((key) => key.delete('sellAmount')),
  ),
  settlementMutant(
    'other-alias-sold-wrapped',
    '2.1 sell',
    'touches-no-other-token',
    'who sells native by 40 times e is taken wrapped native from',
    () => {
      const markets = loadEmbeddedMarkets();
      return alterRequest('swap', (query) => {
        const market = markets.find(({ chainId }) => String(chainId) === query.get('chainId'));
        const isAsked = query.has('userAddress') && query.get('sellToken') === E_ALIAS;
        if (isAsked && market) query.set('sellToken', market.wrappedNative);
      });
    },
  ),
  settlementMutant(
    'quotes-small-trades-too-well',
    '2.1 buy',
    'quote-exact',
    'trades of less than half a dollar promise twice what the pools give',
    () =>
      alterBody('swap', (plan, query) => {
        if (usdValue(plan, plan.sell) < 0.5) reprice(plan, query, 1_000_000n);
      }),
  ),
  settlementMutant(
    'decimals-of-none',
    '2.3 decimals',
    'token-decimals',
    'every token has 18 decimals, in plans and in lists',
    () => {
      const inPlans = alterBody('swap', ({ tokens }) => {
        for (const token of tokens) token.decimals = 18;
      });
      const inLists = alterBody('tokens', (tokens) => {
        for (const token of tokens) token.decimals = 18;
      });
      return (ctx, next) => inPlans(ctx, () => inLists(ctx, next) as Promise<void>);
    },
  ),
  settlementMutant(
    'pools-elsewhere',
    '2.4 address',
    'pools-are-contracts',
    'the first route names an account for its pool',
    () =>
      alterBody('swap', ({ routes: [first] }) => {
        if (first) first.address = NOWHERE;
      }),
  ),
];
