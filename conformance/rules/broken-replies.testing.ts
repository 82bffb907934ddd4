import {
  type Given,
  goldenChainInfo,
  goldenChains,
  goldenError,
  goldenFacts,
  goldenNativeSell,
  goldenSwap,
  goldenTokens,
  inCapitals,
  type Loose,
  NATIVE,
  USD,
  WITHOUT_CALLDATA,
  WRAPPED,
} from '../model/golden-replies.testing.ts';
import { modelMarket } from '../model/model-market.testing.ts';

/* Replies that are broken in many ways at once, so that every rule has something to say of one. */

export type BrokenReply = readonly [what: string, body: Loose, around: Given];

function changed(golden: () => Loose, change: (body: Loose) => void): Loose {
  const body = golden();
  change(body);
  return body;
}

const mistyped = changed(goldenSwap, (b) => {
  Object.assign(b, { routerAddress: 5, calldata: null, gasLimit: 350_000 });
  Object.assign(b.sell, { referenceId: '7', amount: 5, wrapFromNative: 'yes' });
  b.buy.unwrapToNative = 1;
  b.tokens[0] = { referenceId: 1.5, address: 5, name: 5, symbol: 5, decimals: '6', usdPrice: '1' };
  b.routes[0] = { address: 5, name: null, details: [], fromTokens: {} };
  b.routes[1].fromTokens[0] = { referenceId: '1', amount: 1 };
});

const misvalued = changed(goldenSwap, (b) => {
  Object.assign(b, { router: 'Router', routerAddress: '0x12', calldata: '0xabc', gasLimit: '0' });
  b.nativeTokenUsdPrice = -1;
  Object.assign(b.sell, { unwrapToNative: true, wrapFromNative: true });
  b.tokens[0].address = '0x12';
  Object.assign(b.tokens[1], { name: 'Euro', symbol: 'EUR', decimals: 19, usdPrice: -1 });
  b.tokens.push({ ...b.tokens[2], usdPrice: 1 });
  Object.assign(b.routes[0], { address: 'pool', name: 'SourceC' });
  b.routes[1].address = NATIVE;
  b.routes[2].fromTokens[0].amount = '0x5';
});

const misrouted = changed(goldenSwap, (b) => {
  const [toBuy, fromSell, between] = b.routes;
  const turned = ({ fromTokens, toTokens, ...route }: Loose) => ({
    ...{ ...route, fromTokens: toTokens, toTokens: fromTokens },
  });
  b.sell.amount = `0${b.sell.amount}`;
  b.buy.amount = '5';
  b.tokens.push({ ...b.tokens[0] }, { ...b.tokens[0], referenceId: 99, address: NATIVE });
  b.routes.push(turned(fromSell), turned(toBuy), { ...fromSell, fromTokens: fromSell.toTokens });
  b.routes.push({ ...between, fromTokens: [{ referenceId: 55, amount: String(1n << 256n) }] });
  b.routes[0] = { ...toBuy, fromTokens: [] };
  b.routes[2] = { ...between, fromTokens: [{ referenceId: 1, amount: '0' }] };
});

const mischained = changed(goldenChainInfo, (b) => {
  Object.assign(b, { chainId: 5, name: 'Silver', usdTokenAddress: '0x0' });
  b.wrappedNativeTokenAddress = '0x1';
  Object.assign(b.routers[0], { deployedAddress: NATIVE, tokenProxyAddress: '0x' });
  b.routers[1] = {
    ...{ name: 'default-router', deployedAddress: 'router', hasEncoder: false },
    liquiditySources: ['SourceA', 'SourceA'],
  };
});

const errorWith = (value: unknown, duplicateKeys: readonly string[] = []): Given => ({
  status: 400,
  document: { kind: 'json', value, duplicateKeys },
});
const told = { ...modelMarket, nativeTokenUsdPrice: 1 };

export const BROKEN_REPLIES: readonly BrokenReply[] = [
  ['a plan with nothing in it', {}, {}],
  ['a plan of wrong types', mistyped, {}],
  ['a plan of wrong values', misvalued, {}],
  ['a plan that leads nowhere', misrouted, {}],
  [
    'a plan of another router',
    changed(goldenSwap, (b) => {
      b.router = 'service-router';
      b.sell.referenceId = 12;
    }),
    {},
  ],
  [
    'a plan for something else',
    goldenSwap(),
    {
      query: {
        ...WITHOUT_CALLDATA,
        ...{ sellToken: USD, buyToken: NATIVE, sellAmount: '1', router: 'service-router' },
      },
    },
  ],
  [
    'a plan that buys less',
    goldenSwap(),
    { query: { sellAmount: undefined, buyAmount: '9'.repeat(22) } },
  ],
  ['a plan that buys more', goldenSwap(), { query: { sellAmount: undefined, buyAmount: '9' } }],
  [
    'a plan that wraps nothing',
    changed(goldenNativeSell, (b) => delete b.sell.wrapFromNative),
    { query: { sellToken: NATIVE, sellAmount: '2162884172944070813' } },
  ],
  [
    'a plan at other prices',
    changed(goldenSwap, (b) => (b.tokens[3].usdPrice = 1e6)),
    { facts: { ...goldenFacts, markets: new Map([[31337, told]]) } },
  ],
  ['calldata alone', { calldata: '0x12' }, { origin: 'body-only' }],
  ['no plan', [], { headers: { 'content-type': ['text/html'] } }],
  ['an Error with 200', goldenError(), {}],
  [
    'tokens of wrong types',
    [{ address: 5, metadata: { logoURI: 5 } }, { metadata: 5 }],
    { endpoint: 'tokens' },
  ],
  [
    'tokens of wrong values',
    changed(goldenTokens, (b) => {
      Object.assign(b[0], {
        address: inCapitals(USD),
        decimals: 19,
        metadata: { logoURI: 'logo' },
      });
      b[2].address = '0x12';
    }),
    { endpoint: 'tokens' },
  ],
  [
    'other tokens',
    [{ ...goldenTokens()[0], address: inCapitals(WRAPPED) }, 'token'],
    { endpoint: 'tokens' },
  ],
  ['no tokens', [], { endpoint: 'tokens' }],
  ['chains of wrong types', [{ chainId: '1' }, 5], { endpoint: 'chains' }],
  [
    'chains of wrong values',
    changed(goldenChains, (b) => {
      b[0].name = ' ';
      b[1].chainId = 31337;
    }),
    { endpoint: 'chains' },
  ],
  ['no chains', [], { endpoint: 'chains' }],
  [
    'a chain of wrong types',
    {
      chainId: '1',
      name: 5,
      routers: [{ name: 'Router', liquiditySources: [5], tokenProxyAddress: 5 }],
    },
    { endpoint: 'chainInfo' },
  ],
  ['a chain of wrong values', mischained, { endpoint: 'chainInfo' }],
  ['a chain without routers', { ...goldenChainInfo(), routers: {} }, { endpoint: 'chainInfo' }],
  ['no chain', [], { endpoint: 'chainInfo' }],
  ['an Error of wrong types', {}, errorWith({ error: 5, details: 'none' }, ['/error'])],
  ['an Error of wrong values', {}, errorWith({ error: ' ', message: '' })],
  ['an Error that is none', {}, errorWith('no')],
  [
    'an Error cut short',
    {},
    {
      endpoint: 'chains',
      status: 500,
      document: { kind: 'not-json', reason: 'ends in mid-value' },
    },
  ],
  ['a redirect', {}, { status: 302, headers: { location: ['https://elsewhere.example'] } }],
  ['another status', {}, { status: 404, headers: { 'retry-after': ['1'] } }],
  [
    'no reply',
    {},
    { exchange: { outcome: { kind: 'no-reply', cause: 'reset', message: 'It hung up.' } } },
  ],
];
