import {
  BOUGHT,
  type Given,
  goldenFacts,
  goldenNativeBuy,
  goldenNativeSell,
  goldenPlainSwap,
  goldenSwap,
  inCapitals,
  NATIVE,
  SOLD,
  USD,
  WITHOUT_CALLDATA,
  WRAPPED,
} from '../../model/golden-replies.testing.ts';
import { asItIs, testReplyRules } from '../../rule-kit/reply-table.testing.ts';
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

testReplyRules(rules, [
  [
    goldenSwap,
    {},
    [
      [
        asItIs,
        [
          'swap/buy-amount-reached n/a',
          'swap/buy-amount-echoed n/a',
          'swap/router-echoed n/a',
          'swap/no-calldata-unasked n/a',
        ],
      ],
      [asItIs, ['nothing applies'], { status: 400 }],
      [asItIs, ['swap/response at the top: []'], { body: [] }],
      [asItIs, ['swap/response at the top: "plan"'], { body: 'plan' }],
      [
        asItIs,
        [
          ...[...missing, ...missing, ...missing],
          'trade-token/flags-on-native-sides n/a',
          'swap/router-default n/a',
        ],
        { body: {} },
      ],
      [
        asItIs,
        [...noEchoes, 'swap/router-default n/a', 'swap/calldata-as-asked n/a'],
        { origin: 'body-only' },
      ],
      [(b) => delete b.sell, noEchoes],
      [(b) => (b.router = 'service-router'), ['swap/router-default at /router: "service-router"']],
      [(b) => delete b.router, ['swap/router-default n/a']],
      [asItIs, ['swap/router-default n/a'], { query: { router: 'default-router' } }],
      [
        asItIs,
        ['swap/router-echoed at /router: "default-router"'],
        { query: { router: 'service-router' } },
      ],
      [
        asItIs,
        ['swap/router-echoed n/a', 'swap/router-default n/a'],
        { query: { router: 'none' } },
      ],
      [
        asItIs,
        ['swap/sell-amount-echoed at /sell/amount: 10000000000000000000000'],
        { query: { sellAmount: '10000000000000000000001' } },
      ],
      [asItIs, [], { query: { sellAmount: '010000000000000000000000' } }],
      [asItIs, ['swap/sell-amount-echoed n/a'], { query: { sellAmount: 'ten' } }],
      [
        asItIs,
        ['swap/sell-amount-echoed n/a', 'swap/buy-amount-reached n/a'],
        { query: { buyAmount: '1' } },
      ],
      [asItIs, [], { query: { sellToken: inCapitals(SOLD) } }],
      [
        asItIs,
        [`swap/sell-token-echoed at /sell/referenceId: "${SOLD}"`],
        { query: { sellToken: USD } },
      ],
      [asItIs, ['swap/sell-token-echoed n/a'], { query: { sellToken: undefined } }],
      [
        asItIs,
        [`swap/buy-token-echoed at /buy/referenceId: "${BOUGHT}"`],
        { query: { buyToken: NATIVE } },
      ],
      [asItIs, ['swap/buy-token-echoed n/a'], { query: { buyToken: NATIVE }, facts: undefined }],
      [asItIs, unasked, { query: WITHOUT_CALLDATA }],
      [asItIs, unasked, { query: { includeCalldata: 'false' } }],
      [
        asItIs,
        ['swap/calldata-as-asked n/a', 'swap/no-calldata-unasked n/a'],
        { query: { includeCalldata: 'yes' } },
      ],
      [(b) => delete b.routerAddress, missing],
      [(b) => delete b.gasLimit, missing],
      [(b) => delete b.calldata, missing],
      [(b) => (b.sell.wrapFromNative = true), flagged('/sell/wrapFromNative')],
      [(b) => (b.sell.wrapFromNative = false), []],
      [(b) => (b.sell.wrapFromNative = true), [], { query: { sellToken: undefined } }],
      [(b) => (b.sell.unwrapToNative = true), flagged('/sell/unwrapToNative')],
      [(b) => (b.buy.unwrapToNative = true), flagged('/buy/unwrapToNative')],
      [(b) => (b.buy.wrapFromNative = true), flagged('/buy/wrapFromNative')],
      [
        (b) => Object.assign(b.sell, { wrapFromNative: true, unwrapToNative: true }),
        flagged('/sell/wrapFromNative', '/sell/unwrapToNative'),
      ],
    ],
  ],
  [
    goldenSwap,
    boughtFor('1034955025987043448356'),
    [
      [asItIs, ['swap/sell-amount-echoed n/a']],
      [asItIs, ['swap/buy-amount-reached at /buy/amount'], boughtFor('1034955025987043448357')],
      [asItIs, ['swap/buy-amount-echoed at /buy/amount'], boughtFor('1034955025987043448355')],
    ],
  ],
  [goldenPlainSwap, { query: WITHOUT_CALLDATA }, [[asItIs, ['swap/calldata-as-asked n/a']]]],
  [
    goldenNativeSell,
    { query: { sellToken: NATIVE, sellAmount: '2162884172944070813' } },
    [
      [asItIs, []],
      [(b) => (b.tokens[0].address = OTHER_ALIAS), []],
      [(b) => (b.tokens[0].address = USD), ['swap/sell-token-echoed at /sell/referenceId']],
      [asItIs, ['swap/sell-token-echoed n/a'], { facts: { ...goldenFacts, chainInfo: new Map() } }],
      [(b) => (b.tokens = []), ['swap/sell-token-echoed n/a', 'swap/buy-token-echoed n/a']],
      [
        asItIs,
        flagged('/sell/wrapFromNative'),
        { query: { sellToken: WRAPPED, sellAmount: '2162884172944070813' } },
      ],
    ],
  ],
  [goldenNativeBuy, { query: { buyToken: OTHER_ALIAS } }, [[asItIs, []]]],
]);
