import { addressKey } from '../../checks/hex.ts';
import { statusOf } from '../../client/exchange.ts';
import type { Query } from '../../client/request.ts';
import type { Asset, ChainMarket, Facts } from '../../discovery/facts.ts';
import { RELATION_TRADES } from '../../generate/budget.ts';
import { exactInput, spread, swapTarget } from '../../generate/trades.ts';
import type { Finding, ProbeRule } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { quote } from '../../rule-kit/faults.ts';
import { createTally, statusWords } from '../../rule-kit/probing.ts';
import { isNative } from '../../rule-kit/request-parameters.ts';

/** A token, and the lookup that names it. */
type Named = { readonly asset: Asset; readonly where: string };

/** Tokens that others are tried against. */
const PARTNERS = 3;
/** Powers of ten of a whole token that are tried to sell. */
const SHIFTS = [0, -3, 3];

/** "Lookup operations list example tradable tokens for a chain", and "key token addresses". */
const tokensAreTradable: ProbeRule = {
  kind: 'probe',
  id: 'lookups/tokens-tradable',
  clause: '1.4 lookups',
  level: 'should',
  title: 'tokens that the lookups of a chain name can be traded',
  run: async (session) => {
    const tally = createTally();
    for (const market of session.facts.markets.values()) {
      const traded = new Set(
        market.pairs.flatMap(({ sell, buy }) => [
          addressKey(sell.address),
          addressKey(buy.address),
        ]),
      );
      const named = namedTokens(session.facts, market.chainId);
      const findings = await Promise.all(
        named.map((each) =>
          traded.has(addressKey(each.asset.address))
            ? undefined
            : tryToTrade(session, market, each),
        ),
      );
      for (const finding of findings) tally.check(finding);
    }
    return tally.verdict('the lookups named no token');
  },
};

/** The key tokens, and so many of those listed. Native goes by its alias, and has a rule of its own. */
function namedTokens(facts: Facts, chainId: number): readonly Named[] {
  const info = facts.chainInfo.get(chainId);
  const asset = (address: string, symbol: string, decimals: number): Asset => ({
    ...{ address, symbol, decimals },
    usdPrice: undefined,
    native: false,
  });
  const listed = (facts.tokens.get(chainId) ?? []).map(({ address, symbol, decimals }) => ({
    asset: asset(address, symbol, decimals),
    where: '/tokens',
  }));
  const key =
    info === undefined
      ? []
      : [
          { asset: asset(info.usdTokenAddress, 'the USD token', 6), where: '/chainInfo' },
          {
            asset: asset(info.wrappedNativeTokenAddress, 'the wrapped native token', 18),
            where: '/chainInfo',
          },
        ];
  return [...key, ...spread(listed, RELATION_TRADES)].filter(
    (each) => !isNative(each.asset.address),
  );
}

/** Asks for plans until one comes; a finding where none does. */
async function tryToTrade(
  { facts, get }: Session,
  market: ChainMarket,
  { asset, where }: Named,
): Promise<Finding | undefined> {
  let last: Finding['exchange'] | undefined;
  const queries = waysToTrade(facts, market, asset);
  for (const query of queries) {
    const exchange = await get(swapTarget(query));
    if (statusOf(exchange) === 200) return undefined;
    last = exchange;
  }
  if (last === undefined) return undefined;
  return {
    expected: `a plan that sells or buys ${quote(asset.symbol)} (${quote(asset.address)}), which ${where} names for chain ${market.chainId}`,
    actual: `none for ${queries.length} requests; here ${statusWords(last)}`,
    exchange: last,
  };
}

/** Buys it with what is known to sell, and sells some of it. */
function waysToTrade(facts: Facts, market: ChainMarket, asset: Asset): readonly Query[] {
  const sold = new Map(market.pairs.map((pair) => [addressKey(pair.sell.address), pair]));
  const partners = [...sold.values()].slice(0, PARTNERS);
  const others =
    partners.length > 0 ? partners.map(({ sell }) => sell) : keyTokens(facts, market, asset);
  return [
    ...partners.map((pair) => exactInput({ market, pair: { ...pair, buy: asset } })),
    ...others.flatMap((buy) =>
      SHIFTS.map((shift) => {
        const sellAmount = 10n ** BigInt(Math.max(0, asset.decimals + shift));
        return exactInput({ market, pair: { sell: asset, buy, sellAmount, buyAmount: 1n } });
      }),
    ),
  ];
}

/** Where nothing is known to trade, the key tokens of the chain. */
function keyTokens(facts: Facts, { chainId }: ChainMarket, asset: Asset): readonly Asset[] {
  return namedTokens(facts, chainId)
    .map((each) => each.asset)
    .filter((each) => addressKey(each.address) !== addressKey(asset.address))
    .slice(0, PARTNERS);
}

/** @see Specification 1.4 */
export const tradableRules: readonly ProbeRule[] = [tokensAreTradable];
