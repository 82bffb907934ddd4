import { isHexBytes } from '../../checks/hex.ts';
import { findUnusedIds } from '../../checks/references.ts';
import { ROUTER_NAMES } from '../../contract/names.ts';
import { SwapResponseSchema } from '../../contract/resources.ts';
import { inCapitals, NATIVE, ROUTER } from '../../model/golden-addresses.ts';
import type { Rule } from '../../model/rule.ts';
import { ownWords, quote, words } from '../../model/statement.ts';
import { fieldRules } from '../../rule-kit/field-rules.ts';
import { hexAddresses, isHexPlan } from '../../rule-kit/hex-addresses.ts';
import { chainInfoFor, marketFor } from '../../rule-kit/known-chains.ts';
import { comparedWith, each, inPlan, none, when } from '../../rule-kit/reply-judges.ts';
import { body, numbers, strings } from '../../rule-kit/reply-values.ts';
import { replyRules } from '../../rule-kit/rules-by-id.ts';
import { isSteadyPrice, priceOf } from '../../rule-kit/token-prices.ts';

const nativePrice = numbers(body, 'nativeTokenUsdPrice');

const isPositive = (text: string) => /^([1-9][0-9]{0,19}|0x0*[1-9a-f][0-9a-f]{0,15})$/i.test(text);

/** @see https://ethereum.github.io/yellowpaper/paper.pdf `G_transaction` in appendix G */
const MIN_TRANSACTION_GAS = 21_000n;

/** @see Specification 2.1 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    { section: '2.1', slug: 'swap-response', endpoint: 'swap', at: [''] },
    SwapResponseSchema,
    body,
  ),
  ...replyRules('swap', {
    // "Unique name of the router contract used", one of the three in section 2.9.
    'swap-response/router-name': {
      clause: '2.1 router',
      must: 'names one of the three routers in `router`',
      check: each(
        strings(body, 'router'),
        (router) => ROUTER_NAMES.some((name) => name === router),
        'unknown',
        words`\`router\` is one of ${ownWords(ROUTER_NAMES.join(', '))}`,
      ),
      breaks: [[{ '/router': 'Default-Router' }, 'at /router']],
      notApplicable: [[{}, { endpoint: 'tokens' }]],
    },
    'swap-response/aggregator-not-blank': {
      clause: '2.1 aggregator',
      should: 'returns an `aggregator` that is not blank',
      because: '"Name of the aggregator service": a blank text names no service.',
      check: each(
        strings(body, 'aggregator'),
        (aggregator) => aggregator.trim() !== '',
        'blank',
        words`a name`,
      ),
      breaks: [[{ '/aggregator': ' ' }, 'at /aggregator']],
    },
    'swap-response/router-address-hex': {
      clause: '2.1 routerAddress',
      must: 'returns `routerAddress` as 20 bytes of hex, on chains with such addresses',
      needs: 'a plan with calldata on a chain with 20-byte addresses',
      check: hexAddresses(strings(body, 'routerAddress')),
      breaks: [[{ '/routerAddress': `${inCapitals(ROUTER)}0` }, 'at /routerAddress']],
      notApplicable: [[{}, { of: 'plainSwap' }]],
    },
    // "Calldata that settles the trade on the router" consists of whole bytes.
    'swap-response/calldata-hex': {
      clause: '2.1 calldata',
      must: 'returns `calldata` as hex of one or more whole bytes',
      needs: 'a plan with calldata on a chain with 20-byte addresses',
      check: when(
        isHexPlan,
        each(
          strings(body, 'calldata'),
          isHexBytes,
          'not-hex',
          words`\`0x\` and an even number of hex digits, at least two`,
        ),
      ),
      breaks: [
        [{ '/calldata': '0x' }, 'at /calldata'],
        [{ '/calldata': '0xabc' }, 'at /calldata'],
      ],
      notApplicable: [[{}, { of: 'plainSwap' }]],
    },
    'swap-response/gas-limit-positive': {
      clause: '2.1 gasLimit',
      should: 'returns `gasLimit` as a positive integer, in decimal or in hex',
      because:
        '"Estimated upper bound of gas use, for configuring the transaction": no transaction runs without gas.',
      needs: 'a plan with calldata',
      check: each(strings(body, 'gasLimit'), isPositive, 'not-positive', words`a positive integer`),
      breaks: [
        [{ '/gasLimit': '0' }, 'at /gasLimit'],
        [{ '/gasLimit': '0x0' }, 'at /gasLimit'],
        [{ '/gasLimit': '0x' }, 'at /gasLimit'],
        [{ '/gasLimit': '0x5573g' }, 'at /gasLimit'],
        [{ '/gasLimit': '350000 gas' }, 'at /gasLimit'],
        [{ '/gasLimit': '111111111111111111111' }, 'at /gasLimit'],
      ],
      notApplicable: [[{}, { of: 'plainSwap' }]],
    },
    'swap-response/gas-limit-of-a-transaction': {
      clause: '2.1 gasLimit',
      should: 'returns a `gasLimit` of at least 21,000, on chains with 20-byte addresses',
      because:
        '"Estimated upper bound of gas use, for configuring the transaction": every transaction on these chains uses 21,000 gas or more.',
      needs: 'a plan with calldata and a positive `gasLimit` on a chain with 20-byte addresses',
      check: when(
        isHexPlan,
        each(
          (input) => strings(body, 'gasLimit')(input).filter(({ value }) => isPositive(value)),
          (gasLimit) => BigInt(gasLimit) >= MIN_TRANSACTION_GAS,
          'too-low',
          words`21000 or more`,
        ),
      ),
      breaks: [
        [{ '/gasLimit': '20999' }, 'at /gasLimit'],
        [{ '/gasLimit': '0x5207' }, 'at /gasLimit'],
      ],
      valid: [[{ '/gasLimit': '21000' }], [{ '/gasLimit': '0x5208' }]],
      notApplicable: [
        [{}, { of: 'plainSwap' }],
        [
          (b) => {
            b.gasLimit = '20999';
            for (const token of b.tokens) token.address = 'So1';
          },
          { facts: 'none' },
        ],
      ],
    },
    'swap-response/native-price-not-negative': {
      clause: '2.1 nativeTokenUsdPrice',
      should: 'returns no negative `nativeTokenUsdPrice`',
      because: `"Current price of the chain's native token": no price is negative.`,
      check: each(nativePrice, (price) => price >= 0, 'negative', words`0 or more`),
      breaks: [[{ '/nativeTokenUsdPrice': -1 }, 'at /nativeTokenUsdPrice']],
    },
    'swap-response/native-price-steady': {
      clause: '2.1 nativeTokenUsdPrice',
      should:
        'returns about the same `nativeTokenUsdPrice` as earlier plans, within a factor of two',
      because: `"Current price of the chain's native token": one price, whatever is traded.`,
      needs: "a plan on a chain for which an earlier plan contains the native token's price",
      check: each(
        comparedWith(nativePrice, (input) => marketFor(input)?.nativeTokenUsdPrice),
        (price, { known }) => isSteadyPrice(price, known),
        'jumps',
        ({ known }) => words`about ${known}, as in an earlier plan`,
      ),
      breaks: [
        [
          { '/nativeTokenUsdPrice': 0, '/tokens/2/usdPrice': 0 },
          { facts: 'priced' },
          'at /nativeTokenUsdPrice: 0',
        ],
        [
          { '/nativeTokenUsdPrice': 1999, '/tokens/2/usdPrice': 1999 },
          { facts: 'priced' },
          'at /nativeTokenUsdPrice: 1999',
        ],
        [
          { '/nativeTokenUsdPrice': 8001, '/tokens/2/usdPrice': 8001 },
          { facts: 'priced' },
          'at /nativeTokenUsdPrice: 8001',
        ],
      ],
      valid: [
        [{ '/nativeTokenUsdPrice': 2000, '/tokens/2/usdPrice': 2000 }, { facts: 'priced' }],
        [{ '/nativeTokenUsdPrice': 4000, '/tokens/2/usdPrice': 4000 }, { facts: 'priced' }],
        [{ '/nativeTokenUsdPrice': 8000, '/tokens/2/usdPrice': 8000 }, { facts: 'priced' }],
      ],
      notApplicable: [[{}], [{}, { facts: 'priced', query: { chainId: '501' } }]],
    },
    'token/wrapped-native-price': {
      clause: '2.1 nativeTokenUsdPrice',
      should: 'prices the wrapped native token like the native token, within 1%',
      because: `"Current price of the chain's native token in USD": the wrapped token has the same value.`,
      needs: 'a plan with the wrapped native token',
      check: each(
        comparedWith(
          (input) => nativePrice(input).filter(({ value }) => Number.isFinite(value)),
          (input) => priceOf(input, chainInfoFor(input)?.wrappedNativeTokenAddress)[0]?.value,
        ),
        (price, { known }) => Math.abs(price - known) <= 0.01 * Math.abs(known),
        'other-price',
        ({ known }) =>
          words`\`nativeTokenUsdPrice\` within 1% of ${known}, the price of the wrapped token`,
      ),
      breaks: [
        [{ '/nativeTokenUsdPrice': -1 }, 'at /nativeTokenUsdPrice'],
        [{ '/nativeTokenUsdPrice': 4715.091692562981 }, 'at /nativeTokenUsdPrice'],
        [{ '/tokens/2/usdPrice': 9245.277828554865 }, 'at /nativeTokenUsdPrice: 4622.638914277432'],
      ],
      valid: [
        [{ '/nativeTokenUsdPrice': 4645.752108848819 }],
        [{ '/nativeTokenUsdPrice': 101, '/tokens/2/usdPrice': 100 }],
        [{ '/nativeTokenUsdPrice': 0, '/tokens/2/usdPrice': 0 }],
      ],
      notApplicable: [
        [{ '/nativeTokenUsdPrice': 1, '/tokens/2/usdPrice': null }],
        [(b) => b.tokens.splice(2, 1)],
      ],
    },
    'swap-response/tokens-used': {
      clause: '2.1 tokens',
      should: 'lists only tokens that the plan involves',
      because: '"Metadata of every token involved in the plan": other tokens are not involved.',
      check: none(
        inPlan(({ plan }) => findUnusedIds(plan)),
        'unused',
        words`a reference to every listed token, from a side or a route`,
        ({ referenceId }) => words`nothing refers to referenceId ${quote(referenceId)}`,
      ),
      breaks: [
        [
          (b) => b.tokens.push({ ...b.tokens[0], referenceId: 99, address: NATIVE }),
          'at /tokens/4: nothing refers to referenceId 99',
        ],
        [
          { '/routes/1/toTokens/0/referenceId': 56, '/routes/2/fromTokens/0/referenceId': 55 },
          'at /tokens/1: nothing refers to referenceId 1',
        ],
      ],
    },
  }),
];
