import type { Middleware } from 'koa';
import { alterRequest, refuseWhere } from './alter-request.ts';
import { ACCOUNT, mutantsOf, NATIVE, type Row, SOME } from './lenient-reading.ts';
import type { Mutant } from './mutant.ts';

/*
 * Rules that are kept in the plainest form of a request and broken in another:
 * with calldata, by the amount bought, through another router.
 */

const isCalldata = (query: URLSearchParams) => query.get('includeCalldata') === 'true';
const isExactOutput = (query: URLSearchParams) => query.has('buyAmount');
const isThrough = (router: string) => (query: URLSearchParams) => query.get('router') === router;

/** Puts a value for what is given, in requests of one form. */
function readsWhere(
  isWhere: (query: URLSearchParams) => boolean,
  name: string,
  isRead: (text: string) => boolean,
  stand: string,
): () => Middleware {
  return () =>
    alterRequest('swap', (query) => {
      const text = query.get(name);
      if (text !== null && isWhere(query) && isRead(text)) query.set(name, stand);
    });
}

const unchecked: readonly Row[] = [
  [
    'swap/slippage-unchecked-for-buy-amount',
    '4.1 slippageTolerance',
    'swap/slippage-tolerance',
    'with `buyAmount` any `slippageTolerance` will do',
    readsWhere(isExactOutput, 'slippageTolerance', () => true, '0.01'),
  ],
  [
    'swap/slippage-unchecked-by-service-router',
    '4.1 slippageTolerance',
    'swap/slippage-tolerance',
    'through service-router any `slippageTolerance` will do',
    readsWhere(isThrough('service-router'), 'slippageTolerance', () => true, '0.01'),
  ],
  [
    'swap/slippage-unread-without-calldata',
    '4.1 slippageTolerance',
    'swap/slippage-tolerance-unused-strict',
    'without calldata any `slippageTolerance` will do',
    readsWhere(
      (query) => !isCalldata(query),
      'slippageTolerance',
      () => true,
      '0.01',
    ),
  ],
  [
    'swap/chain-id-unchecked-for-buy-amount',
    '4.1 chainId',
    'swap/chain-id',
    'with `buyAmount` a `chainId` that is no number means the first chain',
    readsWhere(isExactOutput, 'chainId', (text) => !/^[0-9]+$/.test(text), '31337'),
  ],
  [
    'swap/router-unchecked-with-calldata',
    '4.1 router',
    'swap/router',
    'with calldata an unknown `router` means the default',
    readsWhere(isCalldata, 'router', (text) => !/-router$/.test(text), 'default-router'),
  ],
  [
    'swap/use-rfq-unchecked-with-calldata',
    '4.1 useRfq',
    'swap/use-rfq',
    'with calldata `useRfq` is not read',
    readsWhere(isCalldata, 'useRfq', () => true, 'false'),
  ],
  [
    'swap/sell-amount-unchecked-with-calldata',
    '4.1 sellAmount',
    'swap/sell-amount',
    'with calldata a `sellAmount` that is no amount means some amount',
    readsWhere(isCalldata, 'sellAmount', (text) => !/^[1-9][0-9]*$/.test(text), SOME),
  ],
  [
    'swap/both-amounts-with-calldata',
    '4.1 rule 1',
    'swap/exactly-one-amount',
    'with calldata `sellAmount` counts of both amounts',
    () =>
      alterRequest('swap', (query) => {
        if (isCalldata(query) && query.get('sellAmount')) query.delete('buyAmount');
      }),
  ],
  [
    'swap/needs-unchecked-by-universal-router',
    '4.1 rule 2',
    'swap/calldata-needs',
    'universal-router makes calldata for some account where no user is given',
    () =>
      alterRequest('swap', (query) => {
        const isAsked = isCalldata(query) && isThrough('universal-router')(query);
        if (isAsked && !query.has('userAddress')) query.set('userAddress', ACCOUNT);
      }),
  ],
];

function refusal(
  id: string,
  clause: string,
  caughtBy: string,
  title: string,
  isRefused: (query: URLSearchParams) => boolean,
): Row {
  return [id, clause, caughtBy, title, () => refuseWhere('swap', isRefused)];
}

const refused: readonly Row[] = [
  refusal(
    'swap/rfq-refused-with-calldata',
    '4.1 useRfq',
    'swap/flags-accepted',
    '`useRfq=true` is refused beside calldata',
    (query) => query.get('useRfq') === 'true' && isCalldata(query),
  ),
  refusal(
    'swap/slippage-of-zero-refused-for-buy-amount',
    '8 slippageTolerance',
    'swap/slippage-bounds',
    'with `buyAmount` a tolerance of 0 is taken for none',
    (query) => isExactOutput(query) && query.get('slippageTolerance') === '0',
  ),
  refusal(
    'swap/recipient-refused-where-it-is-the-user',
    '4.1 recipientAddress',
    'swap/recipient-accepted',
    '`recipientAddress` is refused where it is the user',
    (query) =>
      query.has('recipientAddress') && query.get('recipientAddress') === query.get('userAddress'),
  ),
  refusal(
    'swap/user-refused-with-its-checksum',
    '4.1 userAddress',
    'swap/user-accepted',
    '`userAddress` is refused unless it is in lower case',
    (query) => /[A-F]/.test(query.get('userAddress') ?? ''),
  ),
  refusal(
    'swap/recipient-refused-without-calldata',
    '4.1 rule 6',
    'swap/unused-accepted',
    '`recipientAddress` is refused without calldata',
    (query) => query.has('recipientAddress') && !isCalldata(query),
  ),
  refusal(
    'swap/buy-amount-refused',
    '1.1 plan',
    'plan/returned-for-buy-amount',
    'no trade is planned by the amount bought',
    isExactOutput,
  ),
  refusal(
    'swap/buy-amount-refused-with-calldata',
    '1.3 calldata',
    'swap/every-plan-encoded',
    'plans by the amount bought are not encoded',
    (query) => isExactOutput(query) && isCalldata(query),
  ),
  refusal(
    'swap/calldata-refused-by-no-name',
    '1.3 calldata',
    'swap/every-plan-encoded',
    'calldata wants the router by name',
    (query) => isCalldata(query) && !query.has('router'),
  ),
  refusal(
    'swap/native-refused',
    '4.1 native token',
    'swap/native-accepted',
    'the native token is not sold, though its wrapped token is',
    (query) =>
      [NATIVE, `0x${'e'.repeat(40)}`].includes(query.get('sellToken')?.toLowerCase() ?? ''),
  ),
];

const oneWay: readonly Row[] = [
  refusal(
    'swap/universal-without-buy-amount',
    '4.1 buyAmount',
    'swap/exact-output-answered',
    'universal-router plans by the amount sold alone',
    (query) => isExactOutput(query) && isThrough('universal-router')(query),
  ),
  refusal(
    'swap/large-sales-refused',
    '4.1 sellToken',
    'swap/bought-can-be-sold',
    'amounts beyond 2^53 can be bought, and not sold',
    (query) => Number(query.get('sellAmount')) > Number.MAX_SAFE_INTEGER,
  ),
];

/** @see Specification 4.1: every rule holds in every form of a request */
export const formMutants: readonly Mutant[] = mutantsOf([...unchecked, ...refused, ...oneWay]);
