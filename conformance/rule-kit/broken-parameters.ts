import { type Exchange, statusOf } from '../client/exchange.ts';
import type { Query, RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import type { ChainMarket, Facts } from '../discovery/facts.ts';
import { addressesOf, usesHexAddresses } from '../discovery/known-chain.ts';
import { ARGUABLE_TRADES, VIOLATION_REQUESTS, within } from '../generate/budget.ts';
import { type Form, formsOf, inForm, takeTurns } from '../generate/forms.ts';
import type { Violation } from '../generate/parameters.ts';
import { PARAMETERS, type Parameter } from '../generate/parameters.ts';
import {
  parameterIn,
  RECIPIENT_ADDRESS,
  setParameter,
  spread,
  tradesOf,
} from '../generate/trades.ts';
import type { Finding, Level, ProbeRule, ProbeVerdict } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { ownWords, statusCode, words } from '../model/statement.ts';
import { createAssertions } from './probes.ts';
import { isInformative, NOTHING_LEARNED, replyOf } from './reply-status.ts';
import { NO_CALLDATA } from './sample-queries.ts';
import { onRejections, respond } from './service-breaks.ts';
import { findingUnlessRejected, showsRejection } from './specified-replies.ts';

/*
 * "Invalid parameters give 400 with an Error body." Each rule breaks one
 * parameter of a request that was answered with 200, alone and as little as
 * can be, over several trades. One rule a parameter and level, so that what is
 * arguable does not stand beside what is not.
 */
const suffixes: Readonly<Record<Level, string>> = {
  must: '',
  should: '-strict',
  observe: '-lenience',
};

function titleOf({ broken, clause, names }: Parameter, level: Level): string {
  if (level !== 'observe') return `rejects ${broken}, with 400 and an Error`;
  const spelled = names ?? `\`${clause.split(' ')[1]}\``;
  return `how it answers spellings of ${spelled} that the specification leaves open`;
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
    // The quick profile tries each rule once.
    run: (session) =>
      runViolations(
        session,
        parameter,
        session.breadth === 0 ? violations.slice(0, 1) : violations,
      ),
    ...(level !== 'observe' && {
      breaks: [[onRejections(respond(200, {})), ...violations.map(acceptedText)]],
    }),
  };
}

function acceptedText({ answer, what }: Violation): string {
  const expected = answer === 'rejected' ? '400 with an Error' : 'no 200';
  return `expected ${expected} for ${what}, got 200`;
}

/** What answered a request that breaks a rule, and what is wrong with it. */
type Answered = {
  readonly violation: Violation;
  readonly exchange: Exchange;
  readonly finding: Finding | undefined;
};

async function runViolations(
  session: Session,
  parameter: Parameter,
  violations: readonly Violation[],
): Promise<ProbeVerdict> {
  const rounds = roundsOf(session, violations);
  const bases = basesOf(session.facts, parameter, rounds);
  const [first] = bases;
  if (first === undefined) return withoutBase(session.facts, parameter);
  const asked = Array.from({ length: rounds }, (_, round) => bases[round % bases.length] ?? first)
    .flatMap(({ path, query: base }) =>
      violations.map((violation) => ({ violation, path, base, query: violation.change(base) })),
    )
    .filter(({ query, base }) => isBroken(query, base, session.facts))
    .map(async ({ violation, path, query }): Promise<Answered> => {
      const exchange = await session.get({ path, query });
      return { violation, exchange, finding: judgeAnswer(violation, exchange) };
    });
  const answered = (await Promise.all(asked)).filter(({ violation, exchange }) =>
    violation.answer === 'rejected' ? showsRejection(exchange) : statusOf(exchange) !== undefined,
  );
  const isFailure = ({ finding, exchange }: Answered) =>
    finding !== undefined && statusOf(exchange) === 500;
  const failure = answered.find(isFailure);
  // Where whatever is asked is answered with 500 now, that says nothing of what was broken.
  const isOutage = failure && !(await isInformative(session, failure.exchange, first));
  const assertions = createAssertions();
  for (const each of answered) {
    assertions.observe(`${each.violation.what}: ${statusOf(each.exchange)}`);
    if (!(isOutage && isFailure(each))) assertions.check(each.finding);
  }
  return assertions.verdict(NOTHING_LEARNED);
}

/** Over how many trades each violation is tried. */
function roundsOf(session: Session, violations: readonly Violation[]): number {
  const level = violations[0]?.level;
  if (level === 'must') return Math.ceil(within(VIOLATION_REQUESTS, session) / violations.length);
  return level === 'should' ? within(ARGUABLE_TRADES, session, 1) : 1;
}

/** Returns what is wrong with the answer to a request that breaks a rule. */
function judgeAnswer({ level, answer, what }: Violation, exchange: Exchange): Finding | undefined {
  if (level === 'observe') return undefined;
  if (answer === 'rejected') return findingUnlessRejected(exchange, what);
  return statusOf(exchange) === 200 && !isEmptyList(exchange)
    ? { expected: words`no 200 for ${ownWords(what)}`, actual: [statusCode(200)], exchange }
    : undefined;
}

/** Of a chain that is not there, none is a list all the same. */
function isEmptyList(exchange: Exchange): boolean {
  const document = replyOf(exchange)?.document;
  return document?.kind === 'json' && Array.isArray(document.value) && document.value.length === 0;
}

/** What breaks the id of most chains may be that of a chain: 0, or another's with a minus sign. */
function isBroken(query: Query, base: Query, { chains }: Facts): boolean {
  const chainId = parameterIn(query, 'chainId');
  if (chainId === parameterIn(base, 'chainId')) {
    return JSON.stringify(query) !== JSON.stringify(base);
  }
  return chains.every((chain) => String(chain.chainId) !== chainId);
}

/** What stands beside a broken parameter, taking turns: what a branch of its own answers may be checked there alone. */
const OTHER_PARAMETERS: readonly Query[] = [
  [],
  [['useRfq', 'true']],
  [
    ['recipientAddress', RECIPIENT_ADDRESS],
    ['slippageTolerance', '0'],
  ],
];

/** Returns each form in each company, so that any few of them that follow each other differ in both. */
function withOtherParameters(forms: readonly Form[]): readonly (readonly [Form, Query])[] {
  return OTHER_PARAMETERS.flatMap((_, round) =>
    forms.map((form, index): readonly [Form, Query] => {
      const turn = round * (forms.length + 1) + index;
      return [form, OTHER_PARAMETERS[turn % OTHER_PARAMETERS.length] ?? []];
    }),
  );
}

/** Returns the query with parameters of other values; where it asks for no calldata, without those that only calldata needs. */
function addParameters(query: Query, company: Query): Query {
  const isEncoded = parameterIn(query, 'includeCalldata') === 'true';
  return company
    .filter(([name]) => isEncoded || name === 'useRfq')
    .reduce((rest, [name, value]) => setParameter(rest, name, [value]), query);
}

/** Requests that are whole, chains, forms and companies taking turns. */
function basesOf(
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
  const fits = ({ chainId }: ChainMarket) =>
    !onHexChainsOnly || usesHexAddresses(addressesOf(facts, chainId));
  const formsOfMarket = (market: ChainMarket) =>
    fits(market) ? formsOf(market).filter(isForm[base]) : [];
  const trades = tradesOf(facts).filter(({ market }) => formsOfMarket(market).length > 0);
  const choicesOf = (market: ChainMarket) => withOtherParameters(formsOfMarket(market));
  return takeTurns(spread(trades, count), choicesOf).map(([trade, [form, company]]) => ({
    path: PATHS.swap,
    query: addParameters(inForm(trade, form), company),
  }));
}

/** Which forms of a trade are broken. */
const isForm: Readonly<
  Record<Exclude<Parameter['base'], 'tokens' | 'chainInfo'>, (form: Form) => boolean>
> = {
  swap: () => true,
  'exact-input': ({ amount }) => amount === 'sellAmount',
  'exact-output': ({ amount }) => amount === 'buyAmount',
  calldata: ({ calldataOf }) => calldataOf !== undefined,
  plain: ({ calldataOf }) => calldataOf === undefined,
};

function withoutBase(facts: Facts, parameter: Parameter): ProbeVerdict {
  if (parameter.base === 'calldata' && tradesOf(facts).length > 0) {
    return { kind: 'not-applicable', why: NO_CALLDATA };
  }
  if (parameter.onHexChainsOnly === true && tradesOf(facts).length > 0) {
    return { kind: 'not-applicable', why: 'no chain with 20-byte hex addresses' };
  }
  return { kind: 'could-not-run', why: 'no request that could be broken was answered with 200' };
}

/** Returns the rules on the parameters of an operation, by its section. @see Specification 4.1 rule 6 */
export function brokenParameterRules(section: '4.1' | '4.2' | '4.4'): readonly ProbeRule[] {
  return PARAMETERS.filter(({ clause }) => clause.startsWith(`${section} `)).flatMap((parameter) =>
    (['must', 'should', 'observe'] as const).flatMap(
      (level) => parameterRule(parameter, level) ?? [],
    ),
  );
}
