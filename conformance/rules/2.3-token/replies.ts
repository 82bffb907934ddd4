import { withChecksum } from '../../checks/checksum.ts';
import type { Leg } from '../../checks/plan.ts';
import { findRepeatedIds } from '../../checks/references.ts';
import type { Endpoint } from '../../contract/paths.ts';
import { TokenSchema } from '../../contract/resources.ts';
import type { ListedToken } from '../../discovery/facts.ts';
import { inCapitals, SOLD, USD } from '../../model/golden-addresses.ts';
import { type JudgedReply, requestedChain } from '../../model/judged-reply.ts';
import type { Rule } from '../../model/rule.ts';
import { quote, type Statement, token, words } from '../../model/statement.ts';
import { fieldRules } from '../../rule-kit/field-rules.ts';
import { hexAddresses } from '../../rule-kit/hex-addresses.ts';
import { type Compared, each, inPlan, none, unique } from '../../rule-kit/reply-judges.ts';
import {
  body,
  entries,
  type Fields,
  type Find,
  numbers,
  planAddresses,
  planTokens,
  routers,
  routes,
  strings,
} from '../../rule-kit/reply-values.ts';
import { type ReplyRuleBody, replyRules } from '../../rule-kit/rules-by-id.ts';
import { type Suspect, suspectDecimals } from '../../rule-kit/suspect-decimals.ts';
import { isSteadyPrice, pricesKnownBefore } from '../../rule-kit/token-prices.ts';

/** If two operations contradict each other about a token, one of them is wrong. */
function asListed(field: 'decimals' | 'name' | 'symbol'): ReplyRuleBody {
  const title = `returns the same \`${field}\` of a token as /tokens`;
  const because = `"Token ${field}" in plans and in /tokens: if they differ, a client shows one token as two.`;
  return {
    clause: `2.3 ${field}`,
    ...(field === 'decimals' ? { must: title } : { should: title, because }),
    needs: 'a plan with a token that /tokens lists',
    check: none(
      (input) => {
        const all = listedInPlan(input);
        if (all.length === 0) return undefined;
        return all
          .filter(
            ({ value: { [field]: now }, known: { [field]: listed } }) =>
              typeof now === typeof listed && now !== listed,
          )
          .map(({ value, known, pointer }) => ({
            pointer: `${pointer}/${field}`,
            now: value[field],
            known,
          }));
      },
      'differs',
      ({ known }) => words`${quote(known[field])}, as in /tokens for ${quote(known.address)}`,
      ({ now }) => [quote(now)],
    ),
  };
}

function listedInPlan(input: JudgedReply): readonly Compared<Fields, ListedToken>[] {
  return planAddresses(input).flatMap(({ addressKey, token: { pointer, value } }) => {
    const known = input.chain?.listedTokens.get(addressKey);
    return known === undefined ? [] : [{ pointer, value, known }];
  });
}

/**
 * Returns the values in USD that a plan sells and buys, with the difference that rounding explains:
 * one base unit of the coarsest token in each swap. Returns none if an amount is below a thousand
 * base units, which is too coarse to compare. If wrong decimals explain a difference, the pointer
 * is that of the token's decimals.
 */
function valuesInUsd({ plan: view }: JudgedReply) {
  const plan = view?.plan;
  if (plan === undefined || plan.sell.amount < 1_000n || plan.buy.amount < 1_000n) return [];
  const valuedLeg = ({ referenceId, amount }: Pick<Leg, 'referenceId' | 'amount'>) => {
    const token = plan.tokens.find((each) => each.referenceId === referenceId);
    const { usdPrice = 0, fields } = token ?? {};
    const decimals = fields?.decimals;
    if (token === undefined || !(usdPrice > 0) || typeof decimals !== 'number') return undefined;
    return { token, decimals, usd: (Number(amount) / 10 ** decimals) * usdPrice };
  };
  const [sold, bought] = [plan.sell, plan.buy].map(valuedLeg);
  if (sold === undefined || bought === undefined) return [];
  const between = plan.routes
    .flatMap(({ to }) => to)
    .filter(({ referenceId }) => referenceId !== plan.buy.referenceId)
    .flatMap((leg) => valuedLeg(leg)?.usd ?? []);
  const suspects = suspectDecimals(
    sold,
    bought,
    between.length === 0 ? undefined : Math.max(...between),
  );
  const [suspect] = suspects;
  const coarsest = plan.tokens.reduce(
    (most, { usdPrice = 0, decimals = 0 }) => Math.max(most, usdPrice / 10 ** decimals),
    0,
  );
  const rounding = plan.routes.length * coarsest;
  const pointer = suspect === undefined ? '/buy/amount' : `${suspect.token.pointer}/decimals`;
  return [{ pointer, value: bought.usd, sold: sold.usd, rounding, suspects }];
}

function likelyCause(suspects: readonly Suspect[]): Statement {
  return suspects.flatMap(({ token: { referenceId }, decimals, likely }, index) => [
    ...(index === 0 ? words`; the likely cause is that ` : words`, or `),
    ...words`${token({ referenceId })} has \`decimals\` ${decimals}, not ${likely}`,
  ]);
}

function rounded(usd: number): number {
  return Number(usd.toPrecision(4));
}

/** The addresses in the replies of each operation. */
const ADDRESSES: Readonly<Partial<Record<Endpoint, readonly Find<string>[]>>> = {
  swap: [planAddresses, strings(routes, 'address'), strings(body, 'routerAddress')],
  tokens: [strings(entries, 'address')],
  chainInfo: [
    strings(body, 'usdTokenAddress', 'wrappedNativeTokenAddress'),
    strings(routers, 'deployedAddress', 'tokenProxyAddress'),
  ],
};

function mixedCaseAddresses(input: JudgedReply): readonly Compared<string, boolean>[] {
  const { exchange, hasChecksum } = input;
  const chainId = requestedChain(exchange);
  const found: Compared<string, boolean>[] = [];
  for (const find of (exchange.endpoint && ADDRESSES[exchange.endpoint]) ?? []) {
    for (const { pointer, value } of find(input)) {
      const known = hasChecksum(value, chainId);
      if (known !== undefined) found.push({ pointer, value, known });
    }
  }
  return found;
}

const mixedCaseHasChecksum = each(
  mixedCaseAddresses,
  (_, { known }) => known,
  'wrong-checksum',
  ({ value }) => words`${quote(withChecksum(value))}, or the address in one letter case`,
);

/** @see Specification 2.3 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    { section: '2.3', slug: 'token', endpoint: 'swap', at: ['/tokens/0'] },
    TokenSchema,
    planTokens,
  ),
  ...replyRules('swap', {
    // "Unique within the response".
    'token/reference-unique': {
      clause: '2.3 referenceId',
      must: 'gives each entry of `tokens` its own `referenceId`',
      check: none(
        inPlan(({ plan }) => findRepeatedIds(plan)),
        'repeated',
        words`a \`referenceId\` that no other entry of \`tokens\` has`,
        ({ referenceId }) => words`${quote(referenceId)} again`,
      ),
      breaks: [[(b) => b.tokens.push(b.tokens[0]), 'at /tokens/4/referenceId: 7 again']],
      notApplicable: [[{ '/tokens': {} }]],
    },
    'token/address-hex': {
      clause: '2.3 address',
      must: 'returns token addresses as 20 bytes of hex, on chains with such addresses',
      check: hexAddresses(planAddresses),
      breaks: [
        [
          { '/tokens/1/address': '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' },
          'at /tokens/1/address',
        ],
      ],
    },
    'token/address-unique': {
      clause: '2.3 address',
      should: 'lists each token once',
      because: 'A client that looks up a token by address finds two entries.',
      check: unique(
        planAddresses,
        words`each token once in \`tokens\``,
        ({ addressKey }) => addressKey,
      ),
      breaks: [
        [(b) => b.tokens.push(b.tokens[0]), `at /tokens/4/address: "${SOLD}" again`],
        [
          (b) =>
            b.tokens.push({
              ...b.tokens[0],
              referenceId: 99,
              address: b.tokens[0].address.toUpperCase().replace('0X', '0x'),
            }),
          `at /tokens/4/address: "${inCapitals(SOLD)}" again`,
        ],
      ],
    },
    'token/decimals-as-listed': {
      ...asListed('decimals'),
      breaks: [
        [{ '/tokens/1/decimals': 8 }, 'at /tokens/1/decimals'],
        [{ '/tokens/1/decimals': 6.5 }, 'at /tokens/1/decimals'],
      ],
      valid: [[{ '/tokens/1/address': inCapitals(USD) }]],
    },
    'token/name-as-listed': {
      ...asListed('name'),
      breaks: [[{ '/tokens/1/name': 'Euro' }, 'at /tokens/1/name']],
    },
    'token/symbol-as-listed': {
      ...asListed('symbol'),
      breaks: [[{ '/tokens/1/symbol': 'EUR' }, 'at /tokens/1/symbol']],
    },
    'token/usd-price-not-negative': {
      clause: '2.3 usdPrice',
      should: 'returns no negative `usdPrice`',
      because: '"Current USD price of the token": no price is negative.',
      check: each(
        numbers(planTokens, 'usdPrice'),
        (price) => price >= 0,
        'negative',
        words`0 or more`,
      ),
      breaks: [[{ '/tokens/1/usdPrice': -1 }, 'at /tokens/1/usdPrice']],
    },
    'token/usd-price-steady': {
      clause: '2.3 usdPrice',
      should: 'prices a token about as in earlier plans, within a factor of two',
      because: '"Current USD price of the token": one price, wherever in a plan the token appears.',
      needs: 'a plan with a token whose price is known from an earlier plan',
      check: each(
        pricesKnownBefore,
        (price, { known }) => isSteadyPrice(price, known),
        'jumps',
        ({ known }) => words`about ${known}, as in an earlier plan`,
      ),
      breaks: [
        [{ '/tokens/2/usdPrice': 0 }, { facts: 'priced' }, 'at /tokens/2/usdPrice'],
        [{ '/tokens/2/usdPrice': 1999 }, { facts: 'priced' }, 'at /tokens/2/usdPrice'],
        [{ '/tokens/2/usdPrice': 8001 }, { facts: 'priced' }, 'at /tokens/2/usdPrice'],
        [{ '/tokens/2/usdPrice': -4000 }, { facts: 'priced' }, 'at /tokens/2/usdPrice'],
        [
          { '/tokens/0/usdPrice': 1000, '/tokens/2/usdPrice': 4000 },
          { facts: 'priced' },
          'at /tokens/0/usdPrice: 1000',
        ],
      ],
      valid: [
        [
          { '/tokens/2/usdPrice': 2000 },
          { facts: 'priced', fails: ['token/wrapped-native-price'] },
        ],
        [
          { '/tokens/2/usdPrice': 4000 },
          { facts: 'priced', fails: ['token/wrapped-native-price'] },
        ],
        [
          { '/tokens/2/usdPrice': 8000 },
          { facts: 'priced', fails: ['token/wrapped-native-price'] },
        ],
      ],
      notApplicable: [
        [{}],
        [{}, { facts: 'priced', query: { chainId: '501' } }],
        [(b) => (b.tokens = [b.tokens[1], b.tokens[3]]), { facts: 'priced' }],
        [{ '/tokens/0/usdPrice': '1', '/tokens/2/usdPrice': '1' }, { facts: 'priced' }],
      ],
    },
    'swap/usd-values-agree': {
      clause: '2.3 usdPrice',
      should: 'trades amounts of similar value in USD, within a factor of ten',
      because: `"Current USD price of the token": both sides of a trade are worth about the same. No market turns a trade into ten times its value. A tiny pool may cause a loss on trades above ten USD.`,
      needs: 'a plan with priced sides of a thousand base units or more',
      check: each(
        valuesInUsd,
        (bought, { sold, rounding }) =>
          !(bought > sold * 10) && !(sold >= 0.01 && sold <= 10 && bought * 10 < sold - rounding),
        ({ value, sold, suspects: [suspect] }) =>
          suspect === undefined
            ? { fault: value > sold ? 'gain' : 'loss' }
            : { fault: 'decimals', data: { token: suspect.token.address ?? 'unknown' } },
        ({ sold }) => words`about ${rounded(sold)} USD on both sides, within a factor of ten`,
        ({ value, suspects }) => words`${rounded(value)} USD bought${likelyCause(suspects)}`,
      ),
      breaks: [
        [{ '/tokens/0/usdPrice': 0.09 }, 'at /buy/amount: 9969 USD bought'],
        [{ '/tokens/3/usdPrice': 1000 }, 'at /buy/amount: 1035000 USD bought'],
        [
          { '/tokens/3/decimals': 6 },
          'at /tokens/3/decimals: 9969000000000000 USD bought; the likely cause is that token 600 has `decimals` 6, not 18',
        ],
        [
          { '/tokens/0/decimals': 24 },
          'at /tokens/0/decimals: 9969 USD bought; the likely cause is that token 7 has `decimals` 24, not 18',
        ],
      ],
      notApplicable: [[{ '/tokens/0/usdPrice': 0 }]],
    },
  }),
  ...replyRules('any', {
    // The specification leaves the letter case open: all lower or all upper case states no
    // checksum.
    'endpoint/address-checksum': {
      clause: '2.3 address',
      should: 'writes addresses in mixed letter case with their checksum (EIP-55)',
      because: 'A client whose wallet or library verifies checksums throws on the address.',
      needs: 'an address in mixed letter case',
      check: (input, t) => {
        t.skip('no reply showed an address in mixed letter case');
        mixedCaseHasChecksum(input, t);
      },
      breaks: [
        [
          { '/tokens/0/address': '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5D359' },
          'at /tokens/0/address: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5D359"',
        ],
        [
          { '/routes/0/address': '0xFB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' },
          'at /routes/0/address',
        ],
        [{ '/routerAddress': `0x${'eE'.repeat(20)}` }, 'at /routerAddress'],
        [{ '/0/address': `0x${'cC'.repeat(20)}` }, { of: 'tokens' }, 'at /0/address'],
        [
          { '/routers/0/deployedAddress': `0x${'aA'.repeat(20)}` },
          { of: 'chainInfo' },
          'at /routers/0/deployedAddress',
        ],
      ],
      valid: [
        [{ '/routes/0/address': '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' }],
        // EIP-1191, on chain 30.
        [
          { '/routes/0/address': '0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359' },
          { query: { chainId: '30' } },
        ],
      ],
      notApplicable: [[{}], [{}, { of: 'error' }]],
    },
  }),
];
