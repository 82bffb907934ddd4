import { isObject } from '../checks/reply-body.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { formsOf, inForm, spreadInForms } from '../generate/forms.ts';
import { tradesOf } from '../generate/trades.ts';
import type { ProbeRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { createTally, replyOf, statusWords } from '../rule-kit/probing.ts';

/** Texts that decode to nothing (RFC 3986, 2.1; RFC 3629, 3). */
const MALFORMED = [
  ['an escape of no digits', '%ZZ'],
  ['an escape that ends early', '%'],
  ['bytes that are no UTF-8', '%C3%28'],
] as const;

/** Trades that are broken: one by each amount, with calldata and without. */
const TRADES = 4;
const REQUIRED = /^(chainId|sellToken|buyToken|sellAmount|buyAmount|userAddress)$/;

/** "Invalid parameters give 400": what cannot be decoded is no value of any parameter. */
const malformedIsRefused: ProbeRule = {
  kind: 'probe',
  id: 'endpoint/malformed-query',
  clause: '7 400',
  level: 'should',
  title: 'a required parameter that cannot be decoded gives 400 with an Error',
  run: async (session) => {
    const tally = createTally();
    for (const whole of wholeRequests(session)) {
      for (const { what, target } of brokenWays(whole)) {
        const exchange = await session.get(target);
        const status = statusOf(exchange);
        if (status === undefined) {
          // A service that falls silent here is not to be taken for one that is gone.
          await session.get(whole);
          continue;
        }
        // Whether it is an Error, a body that was too large to keep cannot tell.
        if (status === 400 && replyOf(exchange) === undefined) continue;
        tally.check(
          isRefused(exchange)
            ? undefined
            : {
                expected: `400 with an Error for ${what}`,
                actual: statusWords(exchange),
                exchange,
              },
        );
      }
    }
    return tally.verdict('no broken request was answered');
  },
};

type Whole = { readonly path: string; readonly query: Query };

function brokenWays({ path, query }: Whole) {
  const names = query.map(([name]) => name).filter((name) => REQUIRED.test(name));
  return names.flatMap((name) =>
    MALFORMED.map(([what, text]) => ({
      what: `${what} for \`${name}\``,
      target: { path, query: withRaw(query, name, text) },
    })),
  );
}

function wholeRequests({ facts }: Session): readonly Whole[] {
  const swaps = spreadInForms(tradesOf(facts), TRADES, formsOf);
  const lookups = [...facts.markets.keys()].flatMap((chainId) =>
    [PATHS.tokens, PATHS.chainInfo].map((path) => ({
      path,
      query: [['chainId', String(chainId)]] as const,
    })),
  );
  return [
    ...lookups,
    ...swaps.map(([trade, form]) => ({ path: PATHS.swap, query: inForm(trade, form) })),
  ];
}

/** Returns a query with the very bytes of one value. */
function withRaw(query: Query, name: string, text: string): RequestTarget['query'] {
  return query
    .map(([each, value]) => `${each}=${each === name ? text : encodeURIComponent(value)}`)
    .join('&');
}

function isRefused(exchange: Exchange): boolean {
  const reply = replyOf(exchange);
  const body = reply?.document.kind === 'json' ? reply.document.value : undefined;
  return reply?.status === 400 && isObject(body) && typeof body['error'] === 'string';
}

/** @see Specification 7 */
export const malformedQueryRules: readonly ProbeRule[] = [malformedIsRefused];
