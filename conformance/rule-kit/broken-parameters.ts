import { type Exchange, statusOf } from '../client/exchange.ts';
import { parameterOf, type Query, type RequestTarget } from '../client/request.ts';
import { clauseSubject } from '../contract/clauses.ts';
import { PATHS } from '../contract/paths.ts';
import type { ChainMarket, Facts } from '../discovery/facts.ts';
import { ARGUABLE_TRADES, VIOLATION_REQUESTS, within } from '../generate/budget.ts';
import { type Form, formsOf, inForm, takeTurns } from '../generate/forms.ts';
import type { Violation } from '../generate/parameters.ts';
import { PARAMETERS, type Parameter } from '../generate/parameters.ts';
import { RECIPIENT_ADDRESS, setParameter, spread, tradesOf } from '../generate/trades.ts';
import type { Check, Fault, Level, ProbeRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { ownWords, statusCode, words } from '../model/statement.ts';
import { isInformative, NOTHING_LEARNED, replyOf } from './reply-status.ts';
import { NO_CALLDATA } from './sample-queries.ts';
import { onRejections, respond } from './service-breaks.ts';
import { faultUnlessRejected, showsRejection } from './specified-replies.ts';

/*
 * "Invalid parameters give 400 with an Error body." Each rule takes requests for several trades
 * that returned 200, and breaks one parameter of each request as slightly as possible. Each
 * parameter has one rule per level, so the report keeps arguable violations separate.
 */
const suffixes: Readonly<Record<Level, string>> = {
  must: '',
  should: '-strict',
  observe: '-lenience',
};

function titleOf({ broken, clause, names }: Parameter, level: Level): string {
  if (level !== 'observe') return `rejects ${broken}, with 400 and an Error`;
  const subject = names ?? `\`${clauseSubject(clause)}\``;
  return `how it responds to formats of ${subject} that the specification leaves open`;
}

function parameterRule(parameter: Parameter, level: Level): ProbeRule | undefined {
  const violations = parameter.violations.filter((violation) => violation.level === level);
  if (violations.length === 0) return undefined;
  return {
    kind: 'probe',
    id: `${parameter.slug}${suffixes[level]}`,
    clause: parameter.clause,
    level,
    title: titleOf(parameter, level),
    ...(level === 'should' && { because: parameter.because ?? '' }),
    // The quick profile tries only one violation per rule.
    check: (session, t) =>
      runViolations(
        session,
        parameter,
        session.breadth === 0 ? violations.slice(0, 1) : violations,
        t,
      ),
    ...(level !== 'observe' && {
      breaks: [[onRejections(respond(200, {})), ...violations.map(describeAccepted)]],
    }),
  };
}

function describeAccepted({ expected: reply, what }: Violation): string {
  const expected = reply === 'rejected' ? '400 with an Error' : 'no 200';
  return `expected ${expected} for ${what}, got 200`;
}

type ViolationResult = {
  readonly violation: Violation;
  readonly exchange: Exchange;
  readonly fault: Fault | undefined;
};

async function runViolations(
  session: Session,
  parameter: Parameter,
  violations: readonly Violation[],
  t: Check,
): Promise<void> {
  const rounds = tradesPerViolation(session, violations);
  const bases = validRequestsFor(session.facts, parameter, rounds);
  const [first] = bases;
  if (first === undefined) return explainWithoutBase(session.facts, parameter, t);
  const requests = Array.from(
    { length: rounds },
    (_, round) => bases[round % bases.length] ?? first,
  )
    .flatMap(({ path, query: base }) =>
      violations.map((violation) => ({ violation, path, base, query: violation.change(base) })),
    )
    .filter(({ query, base }) => isBroken(query, base, session.facts))
    .map(async ({ violation, path, query }): Promise<ViolationResult> => {
      const exchange = await session.get({ path, query });
      return { violation, exchange, fault: judgeReply(violation, exchange) };
    });
  const results = (await Promise.all(requests)).filter(({ violation, exchange }) =>
    violation.expected === 'rejected' ? showsRejection(exchange) : statusOf(exchange) !== undefined,
  );
  const isFailure = ({ fault, exchange }: ViolationResult) =>
    fault !== undefined && statusOf(exchange) === 500;
  const failure = results.find(isFailure);
  // If correct requests also fail with 500, the violations are not the cause.
  const isOutage = failure && !(await isInformative(session, failure.exchange, first));
  for (const each of results) {
    t.observe(`${each.violation.what}: ${statusOf(each.exchange)}`);
    if (!(isOutage && isFailure(each))) t.check(each.fault, each.exchange);
  }
  t.stuck(NOTHING_LEARNED);
}

function tradesPerViolation(session: Session, violations: readonly Violation[]): number {
  const level = violations[0]?.level;
  if (level === 'must') return Math.ceil(within(VIOLATION_REQUESTS, session) / violations.length);
  return level === 'should' ? within(ARGUABLE_TRADES, session, 1) : 1;
}

function judgeReply(violation: Violation, exchange: Exchange): Fault | undefined {
  const { id, level, expected: reply, what } = violation;
  if (level === 'observe') return undefined;
  if (reply === 'rejected') return faultUnlessRejected(exchange, violation);
  if (statusOf(exchange) !== 200 || isEmptyList(exchange)) return undefined;
  return {
    ...{ fault: 'accepted', data: { broken: id } },
    ...{ expected: words`no 200 for ${ownWords(what)}`, actual: [statusCode(200)] },
  };
}

/** A service may return an empty list for an unknown chain. */
function isEmptyList(exchange: Exchange): boolean {
  const document = replyOf(exchange)?.document;
  return document?.kind === 'json' && Array.isArray(document.value) && document.value.length === 0;
}

/** A changed `chainId` is valid if the service lists a chain with that id, for example 0. */
function isBroken(query: Query, base: Query, { chains }: Facts): boolean {
  const chainId = parameterOf(query, 'chainId');
  if (chainId === parameterOf(base, 'chainId')) {
    return JSON.stringify(query) !== JSON.stringify(base);
  }
  return chains.every((chain) => String(chain.chainId) !== chainId);
}

/** Optional parameters that a service may validate separately. Requests take turns adding them. */
const OTHER_PARAMETERS: readonly Query[] = [
  [],
  [['useRfq', 'true']],
  [
    ['recipientAddress', RECIPIENT_ADDRESS],
    ['slippageTolerance', '0'],
  ],
];

function withOtherParameters(forms: readonly Form[]): readonly (readonly [Form, Query])[] {
  return OTHER_PARAMETERS.flatMap((_, round) =>
    forms.map((form, index): readonly [Form, Query] => {
      const turn = round * (forms.length + 1) + index;
      return [form, OTHER_PARAMETERS[turn % OTHER_PARAMETERS.length] ?? []];
    }),
  );
}

function addApplicableParameters(query: Query, others: Query): Query {
  const isEncoded = parameterOf(query, 'includeCalldata') === 'true';
  return others
    .filter(([name]) => isEncoded || name === 'useRfq')
    .reduce((rest, [name, value]) => setParameter(rest, name, [value]), query);
}

function validRequestsFor(
  facts: Facts,
  { base, onHexChainsOnly = false }: Parameter,
  count: number,
): readonly (RequestTarget & { query: Query })[] {
  if (base === 'tokens' || base === 'chainInfo') {
    const known = base === 'tokens' ? facts.tokens : facts.chainInfo;
    return [...known.keys()].map((chainId) => ({
      path: PATHS[base],
      query: [['chainId', String(chainId)]],
    }));
  }
  const fits = ({ addresses }: ChainMarket) => !onHexChainsOnly || addresses === 'evm';
  const formsOfMarket = (market: ChainMarket) =>
    fits(market) ? formsOf(market).filter(formFilters[base]) : [];
  const trades = tradesOf(facts).filter(({ market }) => formsOfMarket(market).length > 0);
  const choicesOf = (market: ChainMarket) => withOtherParameters(formsOfMarket(market));
  return takeTurns(spread(trades, count), choicesOf).map(([trade, [form, others]]) => ({
    path: PATHS.swap,
    query: addApplicableParameters(inForm(trade, form), others),
  }));
}

const formFilters: Readonly<
  Record<Exclude<Parameter['base'], 'tokens' | 'chainInfo'>, (form: Form) => boolean>
> = {
  swap: () => true,
  'exact-input': ({ amount }) => amount === 'sellAmount',
  'exact-output': ({ amount }) => amount === 'buyAmount',
  calldata: ({ calldataOf }) => calldataOf !== undefined,
  plain: ({ calldataOf }) => calldataOf === undefined,
};

function explainWithoutBase(facts: Facts, { base, onHexChainsOnly }: Parameter, t: Check): void {
  const hasTrades = tradesOf(facts).length > 0;
  if (hasTrades && base === 'calldata') t.skip(NO_CALLDATA);
  else if (hasTrades && onHexChainsOnly) t.skip('no chain with 20-byte hex addresses');
  else t.stuck('no request returned 200, so none could be broken');
}

/**
 * Returns the rules on the parameters of one operation.
 *
 * @see Specification 4.1 rule 6
 */
export function brokenParameterRules(section: '4.1' | '4.2' | '4.4'): readonly ProbeRule[] {
  return PARAMETERS.filter(({ clause }) => clause.startsWith(`${section} `)).flatMap((parameter) =>
    (['must', 'should', 'observe'] as const).flatMap(
      (level) => parameterRule(parameter, level) ?? [],
    ),
  );
}
