import { isZeroAddress, sameAddress } from '../checks/hex.ts';
import { RouterInfoSchema } from '../contract/resources.ts';
import { BOUND_TRADES } from '../generate/budget.ts';
import { exactInput, swapTarget, withCalldata } from '../generate/trades.ts';
import type { JudgedReply, ReplyRule, Rule } from '../model/rule.ts';
import { quote, quoteAll } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { hexAddresses, onHexChain } from '../rule-kit/hex-addresses.ts';
import { routerFor } from '../rule-kit/known-chains.ts';
import { someOfEach } from '../rule-kit/probes.ts';
import { each, observe, unique, when } from '../rule-kit/reply-judges.ts';
import {
  body,
  entries,
  type Find,
  type Found,
  routers,
  routes,
  strings,
  values,
} from '../rule-kit/reply-values.ts';
import { askedFor, isWithoutRfq } from '../rule-kit/request-parameters.ts';
import { NO_PLAN } from '../rule-kit/sample-queries.ts';

const ofChainInfo = { kind: 'reply', endpoint: 'chainInfo' } as const;
const ofPlan = { kind: 'reply', endpoint: 'swap' } as const;
const isHexChain = onHexChain(strings(body, 'usdTokenAddress', 'wrappedNativeTokenAddress'));

function addressRule(field: 'deployedAddress' | 'tokenProxyAddress', id: string): ReplyRule {
  return {
    ...ofChainInfo,
    id,
    clause: `2.9 ${field}`,
    level: 'must',
    title: `\`${field}\` is 20 bytes of hex on chains of such addresses`,
    needs: `a router with \`${field}\``,
    judge: hexAddresses(strings(routers, field), isHexChain),
  };
}

/** Returns values of a plan with its router, where /chainInfo lists that. */
function withRouter<T>(find: Find<T>) {
  return (input: JudgedReply) => {
    const [name] = values(body, 'router')(input);
    const router = routerFor(input, name?.value);
    return router === undefined ? [] : find(input).map((found) => ({ ...found, router }));
  };
}

/** @see Specification 2.9 */
export const rules: readonly Rule[] = [
  ...fieldRules({
    section: '2.9',
    slug: 'router-info',
    schema: RouterInfoSchema,
    endpoint: 'chainInfo',
    objects: routers,
  }),
  // "Router contract unique name".
  {
    ...ofChainInfo,
    id: 'router-info/name-unique',
    clause: '2.9 name',
    level: 'must',
    title: 'no router is listed twice for a chain',
    judge: unique(values(routers, 'name'), 'each router name once'),
  },
  addressRule('deployedAddress', 'router-info/deployed-address-hex'),
  addressRule('tokenProxyAddress', 'router-info/token-proxy-address-hex'),
  // "Deployed address of the router contract": nothing is deployed at zero.
  {
    ...ofChainInfo,
    id: 'router-info/deployed-somewhere',
    clause: '2.9 deployedAddress',
    level: 'should',
    title: '`deployedAddress` is not the zero address',
    judge: each(
      strings(routers, 'deployedAddress'),
      (address) => !isZeroAddress(address),
      'the address of a contract',
    ),
  },
  // "Address of the router contract", which section 2.9 calls its deployed address.
  {
    ...ofPlan,
    id: 'swap-response/router-address-deployed',
    clause: '2.9 deployedAddress',
    level: 'must',
    title: '`routerAddress` is the deployed address of that router',
    needs: 'a plan with calldata, for a router that /chainInfo lists',
    judge: each(
      withRouter(strings(body, 'routerAddress')),
      (address, { router }) => sameAddress(address, router.deployedAddress),
      ({ router }) =>
        `${quote(router.deployedAddress)}, the \`deployedAddress\` of ${router.name} in /chainInfo`,
    ),
  },
  {
    ...ofChainInfo,
    id: 'router-info/sources-unique',
    clause: '2.9 liquiditySources',
    level: 'should',
    title: 'a router lists no liquidity source twice',
    judge: each(
      (input) =>
        values(
          routers,
          'liquiditySources',
        )(input).filter((found): found is Found<readonly unknown[]> => Array.isArray(found.value)),
      (sources) => new Set(sources).size === sources.length,
      'each source once',
    ),
  },
  // "Name of the liquidity source", and 2.9: "Liquidity sources supported by this
  // router". Market makers of RFQ liquidity need not be listed there, so plans
  // that may use them are not judged.
  {
    ...ofPlan,
    id: 'route/name-among-sources',
    clause: '2.9 liquiditySources',
    level: 'must',
    title: 'the name of every route is among the liquidity sources of the router',
    needs: 'a plan without RFQ liquidity, for a router that /chainInfo lists',
    judge: when(
      ({ exchange }) => isWithoutRfq(exchange),
      each(
        withRouter(strings(routes, 'name')),
        (name, { router }) => router.liquiditySources.includes(name),
        ({ router }) =>
          `one of the \`liquiditySources\` of ${router.name}: ${quoteAll(router.liquiditySources)}`,
      ),
    ),
  },
  // "Whether an encoder for calldata generation is available for this router".
  {
    ...ofPlan,
    id: 'router-info/encoder-as-used',
    clause: '2.9 hasEncoder',
    level: 'must',
    title: 'calldata comes only from routers whose `hasEncoder` is true',
    needs: 'a plan with calldata, for a router that /chainInfo lists',
    judge: when(
      ({ exchange }) => askedFor(exchange, 'includeCalldata') === 'true',
      each(
        withRouter(strings(body, 'calldata')),
        (_, { router }) => router.hasEncoder,
        ({ router }) => `no calldata: /chainInfo says that ${router.name} has no encoder`,
      ),
    ),
  },
  // The same: then it encodes some plan.
  {
    kind: 'probe',
    id: 'swap/encoders-encode',
    clause: '2.9 hasEncoder',
    level: 'should',
    title: 'every router whose `hasEncoder` is true answers some pair with calldata',
    run: someOfEach(
      ({ facts }) =>
        // Of other chains no wallet's address is known that could be asked for.
        [...facts.markets.values()]
          .filter(({ addresses }) => addresses === 'evm')
          .flatMap((market) =>
            (facts.chainInfo.get(market.chainId)?.routers ?? [])
              .filter(({ hasEncoder }) => hasEncoder)
              .map(({ name }) => ({
                expected: `calldata of ${name}, whose \`hasEncoder\` is true on chain ${market.chainId}`,
                targets: market.pairs
                  .slice(0, BOUND_TRADES)
                  .map((pair) => swapTarget(withCalldata(exactInput({ market, pair }), name))),
              })),
          ),
      ({ facts: { chainInfo, markets } }) => {
        const hasNone = [...chainInfo.values()].every((info) =>
          info.routers.every(({ hasEncoder }) => !hasEncoder),
        );
        if (hasNone)
          return { kind: 'not-applicable', why: 'no router of this service has an encoder' };
        const isOther = [...markets.values()].every(({ addresses }) => addresses !== 'evm');
        return isOther && markets.size > 0
          ? { kind: 'not-applicable', why: 'no chain with addresses of 20 bytes' }
          : { kind: 'could-not-run', why: NO_PLAN };
      },
    ),
  },
  // "The full list of chain identifiers: not shown".
  {
    kind: 'reply',
    endpoint: 'chains',
    id: 'chain/identifiers-observed',
    clause: '2.9 chain identifiers',
    level: 'observe',
    title: 'which chains are supported',
    judge: observe((input) => {
      const names = entries(input).map(
        ({ value: { chainId, name } }) => `${quote(chainId)} ${quote(name)}`,
      );
      return names.length === 0 ? undefined : names.slice(0, 40).join(', ');
    }),
  },
];
