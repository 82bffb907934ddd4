import { isZeroAddress, sameAddress } from '../checks/hex.ts';
import { pairsIn, parameterOf, type RequestTarget } from '../client/request.ts';
import { type RouterInfo, RouterInfoSchema } from '../contract/resources.ts';
import { withCalldata } from '../generate/trades.ts';
import { formatQuoted } from '../model/format-statement.ts';
import { address, inCapitals, NATIVE, ROUTER, WRAPPED } from '../model/golden-addresses.ts';
import type { JudgedReply } from '../model/judged-reply.ts';
import type { Rule } from '../model/rule.ts';
import { quote, quoteAll, words } from '../model/statement.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { hexAddresses, onHexChain } from '../rule-kit/hex-addresses.ts';
import { routerFor } from '../rule-kit/known-chains.ts';
import { byRouter, notOnlyServerErrors, someOfEach } from '../rule-kit/probes.ts';
import { comparedWith, each, observe, unique, when } from '../rule-kit/reply-judges.ts';
import {
  arrays,
  body,
  entries,
  routers,
  routes,
  strings,
  values,
} from '../rule-kit/reply-values.ts';
import { isWithoutRfq } from '../rule-kit/request-parameters.ts';
import { probeRules, type ReplyRuleBody, replyRules } from '../rule-kit/rules-by-id.ts';
import { NO_PLAN } from '../rule-kit/sample-queries.ts';
import { isEncoded, on, reject, respond } from '../rule-kit/service-breaks.ts';

const isHexChain = onHexChain(strings(body, 'usdTokenAddress', 'wrappedNativeTokenAddress'));

function hexAddress(field: 'deployedAddress' | 'tokenProxyAddress'): ReplyRuleBody {
  return {
    clause: `2.9 ${field}`,
    must: `returns \`${field}\` as 20 bytes of hex, on chains with such addresses`,
    needs: `a router with \`${field}\``,
    check: hexAddresses(strings(routers, field), isHexChain),
  };
}

function routerOfPlan(input: JudgedReply): RouterInfo | undefined {
  return routerFor(input, body(input)[0]?.value['router']);
}

function sourcesOfPlan(input: JudgedReply) {
  const router = routerOfPlan(input);
  if (router === undefined) return undefined;
  const { name, liquiditySources } = router;
  return { name, liquiditySources, lowerCase: new Set(liquiditySources.map(inLowerCase)) };
}

function inLowerCase(text: string): string {
  return text.toLowerCase();
}

const CALLDATA_PARAMETERS: readonly string[] = [
  'includeCalldata',
  'userAddress',
  'slippageTolerance',
];

function withoutCalldata(target: RequestTarget): RequestTarget {
  const query = pairsIn(target).filter(([name]) => !CALLDATA_PARAMETERS.includes(name));
  return { ...target, query };
}

/** @see Specification 2.9 */
export const rules: readonly Rule[] = [
  ...fieldRules(
    { section: '2.9', slug: 'router-info', endpoint: 'chainInfo', at: ['/routers/0'] },
    RouterInfoSchema,
    routers,
  ),
  ...replyRules('chainInfo', {
    // "Router contract unique name".
    'router-info/name-unique': {
      clause: '2.9 name',
      must: 'lists each router of a chain once',
      check: unique(values(routers, 'name'), words`each router name once`),
      breaks: [
        [(b) => b.routers.push({ ...b.routers[0] }), 'at /routers/2/name: "default-router" again'],
      ],
      notApplicable: [[{ '': [] }, { of: 'chains' }], [{ '/routers': [] }]],
    },
    'router-info/deployed-address-hex': {
      ...hexAddress('deployedAddress'),
      breaks: [
        [{ '/routers/0/deployedAddress': 'router' }, 'at /routers/0/deployedAddress'],
        [
          { '/routers/0/deployedAddress': 'router' },
          { facts: 'none' },
          'at /routers/0/deployedAddress',
        ],
      ],
      notApplicable: [
        [{ '/usdTokenAddress': 'So1', '/wrappedNativeTokenAddress': 'So2' }, { facts: 'none' }],
      ],
    },
    'router-info/token-proxy-address-hex': {
      ...hexAddress('tokenProxyAddress'),
      breaks: [[{ '/routers/0/tokenProxyAddress': '0x' }, 'at /routers/0/tokenProxyAddress']],
      notApplicable: [
        [{ '/usdTokenAddress': 'So1', '/wrappedNativeTokenAddress': 'So2' }, { facts: 'none' }],
        [
          {
            '/routers': [
              {
                name: 'service-router',
                liquiditySources: ['SourceA'],
                deployedAddress: address('1'),
                hasEncoder: false,
              },
            ],
          },
        ],
      ],
    },
    'router-info/approval-observed': {
      clause: '2.9 tokenProxyAddress',
      observes: 'which account a user approves for each router: the router, or its token proxy',
      check: observe((input) => {
        const approved = routers(input).map(({ value }) => {
          const spender =
            value['tokenProxyAddress'] === undefined ? 'the router' : 'its token proxy';
          return `${formatQuoted(value['name'])}: ${spender}`;
        });
        return approved.length === 0 ? undefined : approved.slice(0, 20);
      }),
      breaks: [[{}, '"default-router": its token proxy', '"service-router": the router']],
    },
    'router-info/deployed-somewhere': {
      clause: '2.9 deployedAddress',
      should: 'lists no router at the zero address',
      because:
        '"Deployed address of the router contract": nothing is deployed at the zero address.',
      check: each(
        strings(routers, 'deployedAddress'),
        (address) => !isZeroAddress(address),
        'zero-address',
        words`the address of a contract`,
      ),
      breaks: [[{ '/routers/1/deployedAddress': NATIVE }, 'at /routers/1/deployedAddress']],
    },
    'router-info/sources-unique': {
      clause: '2.9 liquiditySources',
      should: 'lists each liquidity source of a router once',
      because: 'A client that looks up a source by name finds two entries.',
      check: each(
        arrays(routers, 'liquiditySources'),
        (sources) => new Set(sources).size === sources.length,
        'repeated',
        words`each source once`,
      ),
      breaks: [
        [
          { '/routers/0/liquiditySources': ['SourceA', 'SourceB', 'SourceA'] },
          'at /routers/0/liquiditySources',
        ],
      ],
    },
  }),
  ...replyRules('swap', {
    // "Address of the router contract", which section 2.9 calls its deployed address.
    'swap-response/router-address-deployed': {
      clause: '2.9 deployedAddress',
      must: "returns the router's `deployedAddress` as `routerAddress`",
      needs: 'a plan with calldata, for a router that /chainInfo lists',
      check: each(
        comparedWith(strings(body, 'routerAddress'), routerOfPlan),
        (address, { known }) => sameAddress(address, known.deployedAddress),
        'differs',
        ({ known }) =>
          words`${quote(known.deployedAddress)}, the \`deployedAddress\` of ${known.name} in /chainInfo`,
      ),
      breaks: [
        [{ '/router': 'service-router' }, `at /routerAddress: "${inCapitals(ROUTER)}"`],
        [{ '/routerAddress': WRAPPED }, 'at /routerAddress'],
        [{ '/routerAddress': `${inCapitals(ROUTER)}0` }, 'at /routerAddress'],
      ],
      notApplicable: [[{ '/router': 'universal-router' }], [{ '/routerAddress': undefined }]],
    },
    // "Name of the liquidity source", and 2.9: "Liquidity sources supported by this router".
    // Routers need not list market makers, so plans that may use RFQ liquidity are not judged.
    // Letter case does not distinguish sources.
    'route/name-among-sources': {
      clause: '2.9 liquiditySources',
      must: 'names only liquidity sources of the router in its routes',
      needs: 'a plan without RFQ liquidity, for a router that /chainInfo lists',
      check: when(
        ({ exchange }) => isWithoutRfq(exchange),
        each(
          comparedWith(strings(routes, 'name'), sourcesOfPlan),
          (name, { known }) => known.lowerCase.has(inLowerCase(name)),
          'not-listed',
          ({ known }) =>
            words`one of the \`liquiditySources\` of ${known.name}: ${quoteAll(known.liquiditySources)}`,
        ),
      ),
      breaks: [
        [{ '/router': 'service-router' }, 'at /routes/0/name: "SourceB"'],
        [{ '/routes/0/name': 'SourceC' }, 'at /routes/0/name'],
        [{ '/routes/0/name': 'Maker' }, { query: { useRfq: 'false' } }, 'at /routes/0/name'],
      ],
      notApplicable: [
        [{ '/routes': [] }],
        [{ '/router': 'universal-router' }],
        [{ '/routes/0/name': 'Maker' }, { query: { useRfq: 'true' } }],
      ],
    },
    // "Whether an encoder for calldata generation is available for this router".
    'router-info/encoder-as-used': {
      clause: '2.9 hasEncoder',
      must: 'returns calldata only for routers whose `hasEncoder` is true',
      needs: 'a plan with calldata, for a router that /chainInfo lists',
      check: when(
        ({ exchange }) => parameterOf(exchange.query, 'includeCalldata') === 'true',
        each(
          comparedWith(strings(body, 'calldata'), routerOfPlan),
          (_, { known }) => known.hasEncoder,
          'no-encoder',
          ({ known }) => words`no calldata: according to /chainInfo, ${known.name} has no encoder`,
        ),
      ),
      breaks: [[{ '/router': 'service-router' }, 'at /calldata: "0x3593564cABCD"']],
      notApplicable: [
        [{ '/calldata': undefined }],
        [{ '/router': 'universal-router' }],
        [{}, { query: { includeCalldata: 'false' } }],
      ],
    },
  }),
  ...replyRules('chains', {
    // "The full list of chain identifiers: not shown".
    'chain/identifiers-observed': {
      clause: '2.9 chain identifiers',
      observes: 'which chains it supports',
      check: observe((input) => {
        const names = entries(input).map(
          ({ value: { chainId, name } }) => `${formatQuoted(chainId)} ${formatQuoted(name)}`,
        );
        return names.length === 0 ? undefined : names.slice(0, 40).join(', ');
      }),
      breaks: [[{}, '31337 "Golden", 501 "Other"']],
    },
  }),
  ...probeRules({
    // "When `includeCalldata=true`, the response has `routerAddress`, `calldata` and `gasLimit`",
    // and 2.9: "Whether an encoder for calldata generation is available for this router".
    'swap/calldata-served': {
      clause: '2.9 hasEncoder',
      must: 'serves calldata, or rejects it with 400, for every router whose `hasEncoder` is true',
      check: notOnlyServerErrors(
        byRouter({
          expected: (name, chainId) =>
            words`calldata or a 400 for ${name}, whose \`hasEncoder\` is true on chain ${chainId}`,
          queryFor: withCalldata,
          applies: ({ addresses }, { hasEncoder }) => addresses === 'evm' && hasEncoder,
        }),
        withoutCalldata,
      ),
      breaks: [
        [
          on(isEncoded, respond(500)),
          'expected calldata or a 400 for default-router, whose `hasEncoder` is true on chain 31337, got 500 "NO" to each of … requests',
        ],
      ],
      valid: [['rejects calldata', on(isEncoded, reject)]],
      couldNotRun: [['has an outage', respond(500)]],
      notApplicable: [
        ['has no encoder', on(isEncoded, respond(500)), { facts: 'noEncoder' }],
        ['has a chain with other addresses', respond(500), { facts: 'otherAddresses' }],
      ],
    },
    'swap/encoders-encode': {
      clause: '2.9 hasEncoder',
      should:
        'returns calldata for at least one pair through every router whose `hasEncoder` is true',
      because:
        '"Whether an encoder for calldata generation is available for this router": if there is one, at least one plan can be encoded.',
      check: someOfEach(
        byRouter({
          expected: (name, chainId) =>
            words`calldata for ${name}, whose \`hasEncoder\` is true on chain ${chainId}`,
          queryFor: withCalldata,
          // swapcheck has no wallet address on other kinds of chains.
          applies: ({ addresses }, { hasEncoder }) => addresses === 'evm' && hasEncoder,
        }),
        ({ facts: { chainInfo, markets } }, t) => {
          const infos = [...chainInfo.values()];
          if (infos.every(({ routers: all }) => all.every(({ hasEncoder }) => !hasEncoder))) {
            return t.skip('no router of this service has an encoder');
          }
          const isOther = [...markets.values()].every(({ addresses }) => addresses !== 'evm');
          if (isOther && markets.size > 0) t.skip('no chain with 20-byte hex addresses');
          else t.stuck(NO_PLAN);
        },
      ),
      breaks: [
        [
          on(isEncoded, reject),
          'expected calldata for default-router, whose `hasEncoder` is true on chain 31337, got 400 "NO", and no plan for any of … requests',
        ],
      ],
      notApplicable: [
        ['has no encoder', reject, { facts: 'noEncoder' }],
        ['has a chain with other addresses', reject, { facts: 'otherAddresses' }],
      ],
    },
  }),
];
