import { addressKey } from '../checks/hex.ts';
import { statusOf } from '../client/exchange.ts';
import type { Query } from '../client/request.ts';
import { isNative } from '../contract/names.ts';
import { PATHS } from '../contract/paths.ts';
import type { Asset, ChainMarket } from '../discovery/facts.ts';
import { MAX_EXPLORED_CHAINS } from '../discovery/facts.ts';
import { KIND_TRADES, within } from '../generate/budget.ts';
import { exactInput, spread, swapTarget } from '../generate/trades.ts';
import { address } from '../model/golden-addresses.ts';
import type { Check, Finding, Rule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { counted, quote, words } from '../model/statement.ts';
import { lookupsSucceed } from '../rule-kit/probes.ts';
import { each } from '../rule-kit/reply-judges.ts';
import { statusData, statusWords } from '../rule-kit/reply-status.ts';
import { bodyArray } from '../rule-kit/reply-values.ts';
import { probeRules, replyRules } from '../rule-kit/rules-by-id.ts';
import { all, has, on, reject, respond, to, unchanged } from '../rule-kit/service-breaks.ts';

type Known = Pick<Session, 'facts' | 'breadth'>;

type NamedToken = { readonly asset: Asset; readonly where: '/chainInfo' | '/tokens' };

const MAX_TRADED_AGAINST = 3;
const AMOUNT_EXPONENTS = [0, -3, 3];

const tradeNamedTokens = async (session: Session, t: Check) => {
  for (const market of session.facts.markets.values()) {
    const traded = new Set(
      market.pairs
        .flatMap(({ sell, buy }) => [sell, buy])
        .map(({ address }) => addressKey(address)),
    );
    const findings = await Promise.all(
      namedTokens(session, market.chainId).map((named) =>
        traded.has(addressKey(named.asset.address))
          ? undefined
          : findingUnlessTraded(session, market, named),
      ),
    );
    for (const finding of findings) t.check(finding, finding?.exchange);
  }
  t.stuck('the lookups returned no token');
};

/** Skips the native token, whose aliases another rule tries. */
function namedTokens({ facts, ...session }: Known, chainId: number): readonly NamedToken[] {
  const info = facts.chainInfo.get(chainId);
  const named = (
    where: NamedToken['where'],
    address: string,
    symbol: string,
    decimals: number,
  ): NamedToken => ({
    asset: { address, symbol, decimals, usdPrice: undefined, native: false },
    where,
  });
  const keyTokens = info && [
    named('/chainInfo', info.usdTokenAddress, 'the USD token', 6),
    named('/chainInfo', info.wrappedNativeTokenAddress, 'the wrapped native token', 18),
  ];
  const listed = spread(facts.tokens.get(chainId) ?? [], within(KIND_TRADES, session)).map(
    (token) => named('/tokens', token.address, token.symbol, token.decimals),
  );
  return [...(keyTokens ?? []), ...listed].filter(({ asset }) => !isNative(asset.address));
}

async function findingUnlessTraded(
  session: Session,
  market: ChainMarket,
  { asset, where }: NamedToken,
): Promise<Finding | undefined> {
  let last: Finding['exchange'] | undefined;
  // If every request on the chain returns 500, the chain is down, so the replies reveal nothing
  // about its tokens.
  let isDown = market.pairs.length === 0;
  const queries = purchasesAndSales(session, market, asset);
  for (const query of queries) {
    const exchange = await session.get(swapTarget(query));
    if (statusOf(exchange) === 200) return undefined;
    isDown &&= statusOf(exchange) === 500;
    last = exchange;
  }
  if (last === undefined || isDown) return undefined;
  return {
    ...{ fault: 'not-traded', data: { where, ...statusData(last) } },
    expected: words`a plan that sells or buys ${quote(asset.symbol)} (${quote(asset.address)}), which ${where} returns for chain ${market.chainId}`,
    actual: words`none for ${counted(queries.length, 'request')}, the last with ${statusWords(last)}`,
    exchange: last,
  };
}

function purchasesAndSales(session: Known, market: ChainMarket, asset: Asset): readonly Query[] {
  const sold = new Map(market.pairs.map((pair) => [addressKey(pair.sell.address), pair]));
  const partners = [...sold.values()].slice(0, MAX_TRADED_AGAINST);
  const others =
    partners.length > 0 ? partners.map(({ sell }) => sell) : keyTokens(session, market, asset);
  return [
    ...partners.map((pair) => exactInput({ market, pair: { ...pair, buy: asset } })),
    ...others.flatMap((buy) =>
      AMOUNT_EXPONENTS.map((shift) => {
        const sellAmount = 10n ** BigInt(Math.max(0, asset.decimals + shift));
        return exactInput({ market, pair: { sell: asset, buy, sellAmount, buyAmount: 1n } });
      }),
    ),
  ];
}

function keyTokens(session: Known, { chainId }: ChainMarket, asset: Asset): readonly Asset[] {
  return namedTokens(session, chainId)
    .map((each) => each.asset)
    .filter((each) => addressKey(each.address) !== addressKey(asset.address))
    .slice(0, MAX_TRADED_AGAINST);
}

/** @see Specification 1.4 */
export const rules: readonly Rule[] = [
  ...probeRules({
    // "Lookup operations list example tradable tokens for a chain, the supported chains, and
    // per-chain details."
    'lookups/every-chain': {
      clause: '1.4 lookups',
      must: 'returns 200 from /tokens and /chainInfo for every chain in /chains',
      check: lookupsSucceed(
        ({ facts: { chains, tokens, chainInfo } }) =>
          chains.slice(0, MAX_EXPLORED_CHAINS).flatMap(({ chainId }) =>
            (
              [
                ['tokens', tokens],
                ['chainInfo', chainInfo],
              ] as const
            ).map(([endpoint, known]) => ({
              data: { chain: chainId },
              expected: words`200 for chain ${chainId}, which /chains lists`,
              path: PATHS[endpoint],
              query: [['chainId', String(chainId)]] as const,
              succeededBefore: known.has(chainId),
            })),
          ),
        'no chain is known from /chains',
      ),
      breaks: [
        [
          on(all(to('tokens'), has('chainId', '501')), reject),
          'expected 200 for chain 501, which /chains lists, got 400 "NO", 3 times',
        ],
        [
          on(all(to('chainInfo'), has('chainId', '31337')), reject),
          'expected 200 for chain 31337, which /chains lists, got 400 "NO", 3 times',
        ],
      ],
    },
    'lookups/tokens-tradable': {
      clause: '1.4 lookups',
      should: 'returns plans for the tokens that the lookups of a chain return',
      because:
        '"Lookup operations list example tradable tokens for a chain", and "key token addresses".',
      check: tradeNamedTokens,
      breaks: [
        [
          unchanged,
          { facts: 'unknownTokenListed' },
          `expected a plan that sells or buys "SLD" ("${address('7')}"), which /tokens returns for chain 31337, got none for … requests, the last with 400 "INVALID"`,
        ],
        [
          unchanged,
          { facts: 'unknownUsdToken' },
          `expected a plan that sells or buys "the USD token" ("${address('7')}"), which /chainInfo returns for chain 31337, got none for … requests, the last with 400 "INVALID"`,
        ],
        [
          on(to('swap'), respond(500)),
          { facts: 'unknownTokenListed' },
          `expected a plan that sells or buys "SLD" ("${address('7')}"), which /tokens returns for chain 31337, got none for … requests, the last with 500 "NO"`,
        ],
        [
          reject,
          { facts: 'noTokenTraded' },
          'expected a plan that sells or buys "the USD token" (…), which /chainInfo returns for chain 31337, got none for … requests, the last with 400 "NO"',
          'expected a plan that sells or buys "the wrapped native token" (…), which /chainInfo returns for chain 31337, got none for … requests, the last with 400 "NO"',
          'expected a plan that sells or buys "SLD" (…), which /tokens returns for chain 31337, got none for … requests, the last with 400 "NO"',
          'expected a plan that sells or buys "USD" (…), which /tokens returns for chain 31337, got none for … requests, the last with 400 "NO"',
          'expected a plan that sells or buys "WRP" (…), which /tokens returns for chain 31337, got none for … requests, the last with 400 "NO"',
          'expected a plan that sells or buys "BGT" (…), which /tokens returns for chain 31337, got none for … requests, the last with 400 "NO"',
        ],
      ],
      valid: [
        ['trades all tokens', unchanged, { facts: 'lastTokenUntraded' }],
        [
          'only sells a token',
          on(has('buyToken', /^0xd{40}$/), reject),
          { facts: 'lastTokenUntraded' },
        ],
        ['lists the native token, which another rule tries', unchanged, { facts: 'nativeListed' }],
        ['is down on one chain', respond(500), { facts: 'noTokenTraded' }],
      ],
    },
  }),
  ...replyRules('tokens', {
    'tokens/not-empty': {
      clause: '1.4 lookups',
      should: 'lists at least one token in /tokens',
      because:
        '"Returns a curated list of example tokens for a chain": an empty list has no example.',
      check: each(bodyArray, (tokens) => tokens.length > 0, 'empty', words`at least one token`),
      breaks: [[{ '': [] }, 'at the top level: []']],
      notApplicable: [[{ '': { tokens: [] } }]],
    },
  }),
];
