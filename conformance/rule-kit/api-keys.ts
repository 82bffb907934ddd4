import { statusOf } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { type Endpoint, PATHS } from '../contract/paths.ts';
import { within } from '../generate/budget.ts';
import { formsOf, inForm, spreadInForms } from '../generate/forms.ts';
import { exactInput, tradesOf } from '../generate/trades.ts';
import type { ProbeRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { statusCode, words } from '../model/statement.ts';
import { someChainId } from './known-chains.ts';
import { judgeEach } from './probes.ts';
import { all, has, not, on, respond, to } from './service-breaks.ts';

/** Number of requests without a key. A service may check the key only for some of them. */
const KEYLESS_REQUESTS = 16;

/** Returns a valid request to each operation, without a key. */
export function keylessRequests({
  facts,
}: Session): readonly { readonly endpoint: Endpoint; readonly query: Query }[] {
  const chainId = someChainId(facts);
  const [trade] = tradesOf(facts);
  const ofChain = (endpoint: Endpoint) =>
    chainId === undefined ? [] : [{ endpoint, query: [['chainId', String(chainId)]] as const }];
  return [
    { endpoint: 'chains', query: [] },
    ...ofChain('tokens'),
    ...ofChain('chainInfo'),
    ...(trade === undefined ? [] : [{ endpoint: 'swap' as const, query: exactInput(trade) }]),
  ];
}

function validQueries(session: Session, endpoint: Endpoint): readonly Query[] {
  const { facts } = session;
  const ofChains = (known: ReadonlyMap<number, unknown>): readonly Query[] =>
    [...known.keys()].map((chainId) => [['chainId', String(chainId)]]);
  const count = within(KEYLESS_REQUESTS, session, 4);
  const whole: Readonly<Record<Endpoint, readonly Query[]>> = {
    chains: [[]],
    tokens: ofChains(facts.tokens),
    chainInfo: ofChains(facts.chainInfo),
    swap: spreadInForms(tradesOf(facts), count / 2, formsOf).map(([trade, form]) =>
      inForm(trade, form),
    ),
  };
  const queries = whole[endpoint];
  return queries.length === 0
    ? []
    : Array.from({ length: count }, (_, index) => queries[(index >> 1) % queries.length] ?? []);
}

/** Returns a request to which the client adds no key. */
export function asWritten(endpoint: Endpoint, query: Query): RequestTarget {
  return { path: PATHS[endpoint], query, key: 'as-written' };
}

/**
 * Returns a rule that an operation must require a key. A request without a key may get any status
 * but 200, since the specification does not define it.
 */
export function keyIsRequired(endpoint: Endpoint, clause: string): ProbeRule {
  return {
    kind: 'probe',
    id: `${endpoint === 'chainInfo' ? 'chain-info' : endpoint}/key-required`,
    clause,
    level: 'should',
    because:
      '"Every operation requires the query parameter `apiKey`": a request without it does not succeed.',
    title: `rejects a request to /${endpoint} without \`apiKey\`, with any status but 200`,
    check: judgeEach(
      (session) =>
        validQueries(session, endpoint).map((query, index) => ({
          target: asWritten(endpoint, index % 2 === 0 ? query : [...query, ['apiKey', '']]),
        })),
      (exchange) =>
        statusOf(exchange) === 200
          ? {
              fault: 'accepted',
              expected: words`any status but 200 without a key`,
              actual: [statusCode(200)],
            }
          : undefined,
    ),
    valid: [['returns 200 for other operations', on(not(to(endpoint)), respond(200, {}))]],
    breaks: [not(has('apiKey')), has('apiKey', '')].map((isKeyless) => [
      on(all(to(endpoint), isKeyless), respond(200, {})),
      'expected any status but 200 without a key, got 200',
    ]),
  };
}
