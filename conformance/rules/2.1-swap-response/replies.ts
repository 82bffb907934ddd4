import { isHexAddress, isHexBytes, sameAddress } from '../../checks/hex.ts';
import { findUnusedIds } from '../../checks/references.ts';
import { successObject } from '../../checks/reply-body.ts';
import { ROUTER_NAMES, SwapResponseSchema } from '../../contract/resources.ts';
import type { ReplyRule } from '../../model/rule.ts';
import { quote, verdictOf, verdictUnless } from '../../rule-kit/faults.ts';
import { fieldRules } from '../../rule-kit/field-rules.ts';
import { isHexChain, planOf } from '../../rule-kit/plan-of-reply.ts';
import { wholeBody } from '../../rule-kit/reply-objects.ts';
import { chainAskedFor, routerOf } from '../../rule-kit/request-parameters.ts';

const identity = { kind: 'reply', endpoint: 'swap' } as const;

/** "Unique name of the router contract used", of the three that section 2.9 names. */
const routerIsNamed: ReplyRule = {
  ...identity,
  id: 'swap-response/router-name',
  clause: '2.1 router',
  level: 'must',
  title: '`router` is one of the router names',
  judge: ({ reply }) => {
    const router = successObject(reply)?.['router'];
    if (typeof router !== 'string') return undefined;
    return verdictUnless(
      ROUTER_NAMES.some((name) => name === router)
        ? undefined
        : {
            expected: `\`router\` is one of ${ROUTER_NAMES.join(', ')}`,
            actual: quote(router),
            pointer: '/router',
          },
    );
  },
};

/** A plan for a router that the chain does not have cannot be settled. */
const routerIsAvailable: ReplyRule = {
  ...identity,
  id: 'swap-response/router-available',
  clause: '2.8 routers',
  level: 'should',
  title: '`router` is among the routers of the chain',
  judge: ({ reply, exchange, facts }) => {
    const router = successObject(reply)?.['router'];
    const chainId = chainAskedFor(exchange);
    const info = chainId === undefined ? undefined : facts?.chainInfo.get(chainId);
    if (typeof router !== 'string' || info === undefined) return undefined;
    return verdictUnless(
      info.routers.some(({ name }) => name === router)
        ? undefined
        : {
            expected: `a router that /chainInfo lists for chain ${chainId}`,
            actual: quote(router),
            pointer: '/router',
          },
    );
  },
};

/** "Address of the router contract", which section 2.9 calls its deployed address. */
const routerAddressIsDeployed: ReplyRule = {
  ...identity,
  id: 'swap-response/router-address-deployed',
  clause: '2.9 deployedAddress',
  level: 'must',
  title: '`routerAddress` is the deployed address of that router',
  needs: 'a plan with calldata, for a router that /chainInfo lists',
  judge: ({ reply, exchange, facts }) => {
    const body = successObject(reply);
    const routerAddress = body?.['routerAddress'];
    const router = routerOf(facts, chainAskedFor(exchange), body?.['router']);
    if (typeof routerAddress !== 'string' || router === undefined) return undefined;
    return verdictUnless(
      sameAddress(routerAddress, router.deployedAddress)
        ? undefined
        : {
            expected: `${quote(router.deployedAddress)}, the \`deployedAddress\` of ${router.name} in /chainInfo`,
            actual: quote(routerAddress),
            pointer: '/routerAddress',
          },
    );
  },
};

const routerAddressIsHex: ReplyRule = {
  ...identity,
  id: 'swap-response/router-address-hex',
  clause: '2.1 routerAddress',
  level: 'must',
  title: '`routerAddress` is an address: 20 bytes of hex on chains of such addresses',
  needs: 'a plan with calldata on a chain of 20-byte addresses',
  judge: (input) => {
    const address = successObject(input.reply)?.['routerAddress'];
    if (typeof address !== 'string' || !isHexChain(input)) return undefined;
    return verdictUnless(
      isHexAddress(address)
        ? undefined
        : {
            expected: '`0x` and 40 hex digits',
            actual: quote(address),
            pointer: '/routerAddress',
          },
    );
  },
};

/** "Calldata that settles the trade on the router": what is not whole bytes settles nothing. */
const calldataIsHex: ReplyRule = {
  ...identity,
  id: 'swap-response/calldata-hex',
  clause: '2.1 calldata',
  level: 'must',
  title: '`calldata` is whole bytes in hex, and not empty',
  needs: 'a plan with calldata on a chain of 20-byte addresses',
  judge: (input) => {
    const calldata = successObject(input.reply)?.['calldata'];
    if (typeof calldata !== 'string' || !isHexChain(input)) return undefined;
    return verdictUnless(
      isHexBytes(calldata)
        ? undefined
        : {
            expected: '`0x` and an even number of hex digits, at least two',
            actual: quote(calldata),
            pointer: '/calldata',
          },
    );
  },
};

/** Nothing runs on no gas; the notation is not said, but every other whole number is decimal. */
const gasLimitIsPositive: ReplyRule = {
  ...identity,
  id: 'swap-response/gas-limit-positive',
  clause: '2.1 gasLimit',
  level: 'should',
  title: '`gasLimit` is a positive decimal integer',
  needs: 'a plan with calldata',
  judge: ({ reply }) => {
    const gasLimit = successObject(reply)?.['gasLimit'];
    if (typeof gasLimit !== 'string') return undefined;
    return verdictUnless(
      /^[1-9][0-9]{0,19}$/.test(gasLimit)
        ? undefined
        : {
            expected: 'a positive decimal integer',
            actual: quote(gasLimit),
            pointer: '/gasLimit',
          },
    );
  },
};

const nativePriceIsNotNegative: ReplyRule = {
  ...identity,
  id: 'swap-response/native-price-not-negative',
  clause: '2.1 nativeTokenUsdPrice',
  level: 'should',
  title: '`nativeTokenUsdPrice` is not negative',
  judge: ({ reply }) => {
    const price = successObject(reply)?.['nativeTokenUsdPrice'];
    if (typeof price !== 'number') return undefined;
    return verdictUnless(
      price >= 0
        ? undefined
        : { expected: '0 or more', actual: quote(price), pointer: '/nativeTokenUsdPrice' },
    );
  },
};

/** "Metadata of every token involved in the plan": what is listed beyond them is not involved. */
const everyTokenIsUsed: ReplyRule = {
  ...identity,
  id: 'swap-response/tokens-used',
  clause: '2.1 tokens',
  level: 'should',
  title: 'every entry of `tokens` is involved in the plan',
  judge: ({ reply }) => {
    const view = planOf(reply);
    if (view === undefined) return undefined;
    return verdictOf(
      findUnusedIds(view.plan).map(({ referenceId, pointer }) => ({
        expected: 'a side or a route refers to every token listed',
        actual: `nothing refers to referenceId ${referenceId}`,
        pointer,
      })),
    );
  },
};

/** @see Specification 2.1 */
export const swapResponseRules: readonly ReplyRule[] = [
  ...fieldRules({
    section: '2.1',
    slug: 'swap-response',
    schema: SwapResponseSchema,
    endpoint: 'swap',
    places: wholeBody,
  }),
  routerIsNamed,
  routerIsAvailable,
  routerAddressIsDeployed,
  routerAddressIsHex,
  calldataIsHex,
  gasLimitIsPositive,
  nativePriceIsNotNegative,
  everyTokenIsUsed,
];
