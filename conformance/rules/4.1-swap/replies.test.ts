import {
  BOUGHT,
  type Given,
  goldenFacts,
  inCapitals,
  NATIVE,
  SOLD,
  USD,
  WITHOUT_CALLDATA,
  WRAPPED,
} from '../../model/golden-replies.testing.ts';
import { on, right, testReplies, wrong } from '../../rule-kit/replies.testing.ts';
import { rules } from './replies.ts';

const OTHER_ALIAS = `0x${'E'.repeat(40)}`;
const noEchoes = [
  'swap/sell-token-echoed n/a',
  'swap/buy-token-echoed n/a',
  'swap/sell-amount-echoed n/a',
];
const missing = ['swap/calldata-as-asked at the top: it is missing'];
const flagged = (...places: readonly string[]) =>
  places.map((place) => `trade-token/flags-on-native-sides at ${place}`);
const unasked = ['routerAddress', 'calldata', 'gasLimit'].map(
  (field) => `swap/no-calldata-unasked at /${field}`,
);
const boughtFor = (buyAmount: string): Given => ({ query: { sellAmount: undefined, buyAmount } });

testReplies(
  rules,
  on('swap', [
    [
      {},
      'swap/buy-amount-reached n/a',
      'swap/buy-amount-echoed n/a',
      'swap/router-echoed n/a',
      'swap/no-calldata-unasked n/a',
    ],
    [{ body: [] }, 'swap/response at the top: []'],
    [{ body: 'plan' }, 'swap/response at the top: "plan"'],
    [
      { body: {} },
      ...[...missing, ...missing, ...missing],
      'trade-token/flags-on-native-sides n/a',
      'swap/router-default n/a',
    ],
    [{ origin: 'body-only' }, ...noEchoes, 'swap/router-default n/a', 'swap/calldata-as-asked n/a'],
    [(b) => delete b.sell, ...noEchoes],
    wrong('/router', 'service-router', 'swap/router-default'),
    [(b) => delete b.router, 'swap/router-default n/a'],
    [{ query: { router: 'default-router' } }, 'swap/router-default n/a'],
    [{ query: { router: 'service-router' } }, 'swap/router-echoed at /router: "default-router"'],
    [{ query: { router: 'none' } }, 'swap/router-echoed n/a', 'swap/router-default n/a'],
    [
      { query: { sellAmount: '10000000000000000000001' } },
      'swap/sell-amount-echoed at /sell/amount: 10000000000000000000000',
    ],
    [{ query: { sellAmount: '010000000000000000000000' } }],
    [{ query: { sellAmount: 'ten' } }, 'swap/sell-amount-echoed n/a'],
    [{ query: { buyAmount: '1' } }, 'swap/sell-amount-echoed n/a', 'swap/buy-amount-reached n/a'],
    [{ query: { sellToken: inCapitals(SOLD) } }],
    [{ query: { sellToken: USD } }, `swap/sell-token-echoed at /sell/referenceId: "${SOLD}"`],
    [{ query: { sellToken: undefined } }, 'swap/sell-token-echoed n/a'],
    [{ query: { buyToken: NATIVE } }, `swap/buy-token-echoed at /buy/referenceId: "${BOUGHT}"`],
    [{ query: { buyToken: NATIVE }, facts: undefined }, 'swap/buy-token-echoed n/a'],
    [{ query: WITHOUT_CALLDATA }, ...unasked],
    [{ query: { includeCalldata: 'false' } }, ...unasked],
    [
      { query: { includeCalldata: 'yes' } },
      'swap/calldata-as-asked n/a',
      'swap/no-calldata-unasked n/a',
    ],
    [(b) => delete b.routerAddress, ...missing],
    [(b) => delete b.gasLimit, ...missing],
    [(b) => delete b.calldata, ...missing],
    [(b) => (b.sell.wrapFromNative = true), ...flagged('/sell/wrapFromNative')],
    right('/sell/wrapFromNative', false),
    [(b) => (b.sell.wrapFromNative = true), { query: { sellToken: undefined } }],
    [(b) => (b.sell.unwrapToNative = true), ...flagged('/sell/unwrapToNative')],
    [(b) => (b.buy.unwrapToNative = true), ...flagged('/buy/unwrapToNative')],
    [(b) => (b.buy.wrapFromNative = true), ...flagged('/buy/wrapFromNative')],
    [
      (b) => Object.assign(b.sell, { wrapFromNative: true, unwrapToNative: true }),
      ...flagged('/sell/wrapFromNative', '/sell/unwrapToNative'),
    ],
  ]),
  on(
    'swap',
    [
      [{}, 'swap/sell-amount-echoed n/a'],
      [boughtFor('1034955025987043448357'), 'swap/buy-amount-reached at /buy/amount'],
      [boughtFor('1034955025987043448355'), 'swap/buy-amount-echoed at /buy/amount'],
    ],
    boughtFor('1034955025987043448356'),
  ),
  on('plainSwap', [[{}, 'swap/calldata-as-asked n/a']]),
  on(
    'nativeSell',
    [
      [{}],
      right('/tokens/0/address', OTHER_ALIAS),
      [(b) => (b.tokens[0].address = USD), 'swap/sell-token-echoed at /sell/referenceId'],
      [{ facts: { ...goldenFacts, chainInfo: new Map() } }, 'swap/sell-token-echoed n/a'],
      [(b) => (b.tokens = []), 'swap/sell-token-echoed n/a', 'swap/buy-token-echoed n/a'],
      [
        { query: { sellToken: WRAPPED, sellAmount: '2162884172944070813' } },
        ...flagged('/sell/wrapFromNative'),
      ],
    ],
    { query: { sellToken: NATIVE, sellAmount: '2162884172944070813' } },
  ),
  on('nativeBuy', [[{}]], { query: { buyToken: OTHER_ALIAS } }),
);
