import { leaveDust, renumber, sortPlan, splitRoute } from './change-plans.ts';
import type { Form } from './form.ts';

const UNKNOWN_NAME = ['UNKNOWN_CHAIN', 'UNKNOWN_TOKEN'];
const NO_PLAN = ['NO_ROUTE', 'INSUFFICIENT_LIQUIDITY', 'AMOUNT_TOO_SMALL'];
const MARKET_MAKER = 'MarketMaker';

/**
 * Every form of `serve --forms`, in the order in which several forms are applied. `docs/clients.md`
 * contains this table.
 */
export const FORMS = {
  plain: {
    does: 'Tokens are numbered: 0 is sold, 1 is bought; tokens and routes are in order',
    leftOpen:
      '2.3: ids are unique; 2.1: the order of routes is not guaranteed; nothing else is specified',
    isEasier: true,
    plan: sortPlan,
  },
  'large-ids': {
    does: 'Reference ids are negative, or up to 2^53 - 1, the largest integer that is exact in a double',
    leftOpen: '2.3: `referenceId` is an integer, unique within the response',
    plan: (plan) =>
      renumber(plan, (place) => (place % 2 === 0 ? Number.MAX_SAFE_INTEGER - place : -place)),
  },
  'lower-case-addresses': {
    does: 'Addresses are in lower case in plans, and in checksum case in lookups',
    leftOpen: '2.3, 2.4: `address` is a string of unspecified letter case',
    plan: ({ tokens, routes }) => {
      for (const each of [...tokens, ...routes]) each.address = each.address.toLowerCase();
    },
  },
  'upper-case-calldata': {
    does: 'The hex digits of `calldata` and `routerAddress` are in upper case',
    leftOpen: '2.1: both are strings of unspecified letter case',
    plan: (plan) => {
      for (const field of ['calldata', 'routerAddress'] as const) {
        const hex = plan[field];
        if (hex !== undefined) plan[field] = `0x${hex.slice(2).toUpperCase()}`;
      }
    },
  },
  'more-details': {
    does: '`details` has further keys, with null, a list and an object',
    leftOpen: '2.4: the keys inside `details` are not specified',
    plan: ({ routes }) => {
      for (const { details } of routes) {
        if (details) Object.assign(details, { hooks: null, path: [], pool: { kind: 'x' } });
      }
    },
  },
  'no-details': {
    does: 'Routes through every second pool have no `details`',
    leftOpen: '2.4: `details` may be absent',
    plan: ({ routes }) => {
      for (const route of routes) if (/[13579bdf]$/i.test(route.address)) delete route.details;
    },
  },
  dust: {
    does: 'The inflow and outflow of intermediate tokens differ by up to 5e-8; the routes into the bought token are off by a base unit',
    leftOpen:
      '1.1: a plan converts everything sold into everything bought; the rounding of its amounts is not specified',
    plan: leaveDust,
  },
  'split-routes': {
    does: 'A plan uses one of its pools twice',
    leftOpen: '2.4: a route is one swap; two routes may use one pool',
    plan: splitRoute,
  },
  'market-makers': {
    does: "With `useRfq=true`, part of each plan is a market maker's quote: a separate source, with an expiry and a signature",
    leftOpen: '1.1: plans go through pools and, optionally, RFQ liquidity',
    plan: ({ routes: [route] }, query) => {
      if (route === undefined || query.get('useRfq') !== 'true') return;
      const signature = `0x${'5a'.repeat(65)}`;
      const details = { expiry: 2_000_000_000, nonce: '18446744073709551615', signature };
      Object.assign(route, { name: MARKET_MAKER, details });
    },
    chainInfo: ({ routers }) => {
      for (const { liquiditySources } of routers) liquiditySources.push(MARKET_MAKER);
    },
  },
  'false-flags': {
    does: 'Sides that are not native have `wrapFromNative: false` or `unwrapToNative: false`',
    leftOpen: '4.1 rule 5: the flags may appear',
    plan: ({ sell, buy }) => {
      sell.wrapFromNative ??= false;
      buy.unwrapToNative ??= false;
    },
  },
  'whole-prices': {
    does: 'USD prices are whole numbers: 0 for a cheap token',
    leftOpen: '2.1, 2.3: a price is a number of unspecified precision',
    plan: (plan) => {
      plan.nativeTokenUsdPrice = Math.round(plan.nativeTokenUsdPrice);
      for (const token of plan.tokens) token.usdPrice = Math.round(token.usdPrice);
    },
  },
  'short-token-list': {
    does: '`/tokens` omits every fifth token, although it can be traded',
    leftOpen: '4.2: the list is not the full list of tradable tokens',
    tokens: (tokens) => {
      tokens.splice(0, tokens.length, ...tokens.filter((_, place) => place % 5 !== 4));
    },
  },
  'other-lists': {
    does: 'Chains, tokens, routers and sources are listed in reverse, including sources that no plan uses',
    leftOpen: '2.8, 2.9, 4.2, 4.3: lists of unspecified order',
    chains: (chains) => void chains.reverse(),
    tokens: (tokens) => void tokens.reverse(),
    chainInfo: ({ routers }) => {
      routers.reverse();
      for (const { liquiditySources } of routers) {
        liquiditySources.push('Unused V1');
        liquiditySources.reverse();
      }
    },
  },
  'odd-names': {
    does: 'Names and symbols of tokens contain quotes, markup, spaces and characters beyond ASCII',
    leftOpen: '2.3, 2.6: `name` and `symbol` are strings',
    object: (object) =>
      'symbol' in object
        ? {
            ...object,
            name: `${object['name']} "<b>Δ</b>" \\ & `,
            symbol: `${object['symbol']}₮😀`,
          }
        : object,
  },
  'other-statuses': {
    does: 'A missing or wrong key results in a 401, an unknown chain or token in a 404',
    leftOpen:
      '5.3, 7: the response to a missing or invalid key, and the mapping of unknown names, are not specified',
    error: (reply) => {
      const { error, details } = reply.body;
      if (details?.['parameter'] === 'apiKey') reply.status = 401;
      else if (UNKNOWN_NAME.includes(error)) reply.status = 404;
    },
  },
  'no-plan-500': {
    does: 'A trade without a plan results in a 500',
    leftOpen: '7: the mapping of an unsupported pair is not specified',
    error: (reply) => {
      if (NO_PLAN.includes(reply.body.error)) reply.status = 500;
    },
  },
  'other-errors': {
    does: 'Errors have other `details`, and other values, which do not distinguish reasons',
    leftOpen: '7: the list of values of `error` is not specified',
    error: (reply) => {
      const { message } = reply.body;
      const details = { issues: [{ code: 17, text: message }], docs: null };
      reply.body = { error: 'Bad Request', message: 'The request was not understood.', details };
    },
  },
  'more-fields': {
    does: 'Every object has additional fields: null, a list, an object',
    leftOpen: '2: fields are listed; others are not excluded',
    object: (object) => ({ version: null, ...object, tags: [], links: { self: '' } }),
  },
  'other-key-order': {
    does: 'The fields of every object are in reverse order',
    leftOpen: '2: fields are listed; JSON objects have no order',
    object: (object) => Object.fromEntries(Object.entries(object).reverse()),
  },
  'spread-json': {
    does: 'JSON is indented, with line breaks before and after',
    leftOpen: 'Conventions: `application/json`, which may have white space (RFC 8259)',
    text: (json) => `\n${JSON.stringify(JSON.parse(json), null, 2)}\n`,
  },
  'escaped-json': {
    does: 'The first character of every string and key is an escape, such as `\\u0061` for `a`',
    leftOpen: 'Conventions: `application/json`, which may escape any character (RFC 8259)',
    text: (json) =>
      json.replace(/"((?:[^"\\]|\\.)*)"/g, (string, [first = '\\', ...rest]) =>
        first === '\\' ? string : `"${escaped(first)}${rest.join('')}"`,
      ),
  },
  'long-numbers': {
    does: 'Prices are written with an exponent and more digits than a double holds',
    leftOpen: '2.1, 2.3: a price is a number of unspecified notation',
    text: (json) =>
      json.replace(
        /(sdPrice": ?)([0-9.eE+-]+)/g,
        (_, key, number) => `${key}${Number(number).toExponential(25)}`,
      ),
  },
  'other-headers': {
    does: 'The content type is `Application/JSON` without a charset, and there is an additional header without a value',
    leftOpen:
      'Conventions: `application/json`; media types and header names are case-insensitive (RFC 9110)',
    headers: { 'Content-Type': 'Application/JSON', 'X-REQUEST-ID': '' },
  },
  'live-names': {
    does: 'Names and further fields of a live service: `swapnet-router` for `service-router`, the sources `LimitOrder-Native` and `BalancerV3` for market makers and Balancer, `chainId` in `/tokens`, `block` in plans, `estimatedGas` with calldata',
    leftOpen:
      '2.9 and 4.1 list the names of routers: pass `--router-name service-router=swapnet-router`; 2: other fields are not excluded',
    isOutside: true,
    request: (query) => {
      const router = query.get('router');
      if (router !== null) query.set('router', exchangeRouters(router));
    },
    tokens: (tokens, query) => {
      const chainId = Number(query.get('chainId'));
      for (const token of tokens) Object.assign(token, { chainId });
    },
    plan: (plan) => {
      const { gasLimit } = plan;
      Object.assign(plan, { block: 1, ...(gasLimit && { estimatedGas: gasLimit }) });
    },
    text: (json) => renameSources(exchangeRouters(json)),
  },
  compressed: {
    does: 'Bodies are compressed with gzip for clients that accept gzip',
    leftOpen: 'Conventions: HTTP, which allows compression (RFC 9110)',
    isCompressed: true,
  },
} as const satisfies Readonly<Record<string, Form>>;

export type FormName = keyof typeof FORMS;

/** The name of every form. */
export const FORM_NAMES = Object.keys(FORMS) as FormName[];

/** Forms that the specification allows, except those that are easier for clients. */
export const AWKWARD_FORMS = FORM_NAMES.filter(
  (name) => !('isEasier' in FORMS[name] || 'isOutside' in FORMS[name]),
);

/** Swaps two router names, so that each router has another name than before. */
function exchangeRouters(text: string): string {
  return text.replace(/(service|swapnet)-router/g, (name) =>
    name === 'service-router' ? 'swapnet-router' : 'service-router',
  );
}

/**
 * Our source names, and the corresponding names that the public client of a live service can parse.
 * The `details` of both sources have the same keys.
 */
const LIVE_SOURCES = { MakerOrders: 'LimitOrder-Native', BalancerV2: 'BalancerV3' } as const;

function renameSources(json: string): string {
  return Object.entries(LIVE_SOURCES).reduce(
    (text, [ours, theirs]) => text.replaceAll(`"${ours}"`, `"${theirs}"`),
    json,
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
