import { isObject } from '../../checks/reply-body.ts';
import { type Exchange, statusOf } from '../../client/exchange.ts';
import type { Query, RequestTarget } from '../../client/request.ts';
import { PATHS } from '../../contract/paths.ts';
import type { ChainMarket, Facts } from '../../discovery/facts.ts';
import { ARGUABLE_TRADES, VIOLATION_REQUESTS } from '../../generate/budget.ts';
import { type Form, formsOf, inForm, spreadInForms } from '../../generate/forms.ts';
import { PARAMETERS, type Parameter } from '../../generate/parameters.ts';
import { parameterIn, tradesOf } from '../../generate/trades.ts';
import type { Violation } from '../../generate/violations.ts';
import type { Finding, Level, ProbeRule, ProbeVerdict } from '../../model/rule.ts';
import type { Session } from '../../model/session.ts';
import { quote } from '../../rule-kit/faults.ts';
import { isOwnAnswer, NO_WORD, replyOf } from '../../rule-kit/probing.ts';
import { addressesOf, usesHexAddresses } from '../../rule-kit/request-parameters.ts';

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

const titles: Readonly<Record<Level, (parameter: Parameter) => string>> = {
  must: ({ title }) => `${title}: anything else gives 400 with an Error`,
  should: ({ title }) => `${title}: what is arguable is refused`,
  observe: ({ title }) => `${title}: what answers spellings that the specification leaves open`,
};

function parameterRule(parameter: Parameter, level: Level): ProbeRule | undefined {
  const violations = parameter.violations.filter((violation) => violation.level === level);
  if (violations.length === 0) return undefined;
  return {
    kind: 'probe',
    id: `${parameter.slug}${suffixes[level]}`,
    clause: parameter.clause,
    level,
    title: titles[level](parameter),
    run: (session) => runViolations(session, parameter, violations),
  };
}

async function runViolations(
  session: Session,
  parameter: Parameter,
  violations: readonly Violation[],
): Promise<ProbeVerdict> {
  const rounds = roundsOf(violations);
  const bases = basesOf(session.facts, parameter, rounds);
  const first = bases[0];
  if (first === undefined) return withoutBase(session.facts, parameter);
  const asked = Array.from({ length: rounds }, (_, round) => bases[round % bases.length] ?? first);
  const cases = asked
    .flatMap(({ path, query: whole }) =>
      violations.map((violation) => ({ violation, path, whole, query: violation.change(whole) })),
    )
    .filter(({ query, whole }) => isBroken(query, whole, session.facts));
  const exchanges = await Promise.all(cases.map(({ path, query }) => session.get({ path, query })));
  const findings: Finding[] = [];
  const seen = new Set<string>();
  let checks = 0;
  for (const [index, exchange] of exchanges.entries()) {
    const violation = cases[index]?.violation;
    if (violation === undefined || !isJudged(violation, exchange)) continue;
    checks += 1;
    seen.add(`${violation.what}: ${statusOf(exchange)}`);
    const finding = judgeAnswer(violation, exchange);
    if (finding !== undefined && violation.level !== 'observe') findings.push(finding);
  }
  const failures = findings.filter(({ exchange }) => statusOf(exchange) === 500);
  const failure = failures[0];
  if (failure !== undefined && !(await isOwnAnswer(session, failure.exchange, first))) {
    // Whatever is asked is answered with 500 now: that says nothing of what was broken.
    checks -= failures.length;
    if (checks === 0) return { kind: 'could-not-run', why: NO_WORD };
    findings.splice(0, findings.length, ...findings.filter((each) => !failures.includes(each)));
  }
  return { kind: 'judged', checks, findings, observed: [...seen].join('; ') };
}

/** Over how many trades each violation is tried. */
function roundsOf(violations: readonly Violation[]): number {
  const level = violations[0]?.level;
  if (level === 'must') return Math.ceil(VIOLATION_REQUESTS / violations.length);
  return level === 'should' ? ARGUABLE_TRADES : 1;
}

/** Any status but 400 is judged without its body; whether a 400 is an Error, only a body that was kept tells. */
function isJudged({ answer }: Violation, exchange: Exchange): boolean {
  const status = statusOf(exchange);
  if (status === 400 && answer === 'refused') return replyOf(exchange) !== undefined;
  return status !== undefined;
}

/** What answered a request that breaks a rule, where it should not have. */
function judgeAnswer(violation: Violation, exchange: Exchange): Finding | undefined {
  const status = statusOf(exchange);
  const document = replyOf(exchange)?.document;
  if (violation.answer === 'not-200') {
    return status === 200
      ? { expected: `no 200 for ${violation.what}`, actual: '200', exchange }
      : undefined;
  }
  const body = document?.kind === 'json' ? document.value : undefined;
  const isError =
    isObject(body) && typeof body['error'] === 'string' && typeof body['message'] === 'string';
  if (status === 400 && isError) return undefined;
  const said = document?.kind === 'json' ? quote(body) : 'no JSON';
  const answer = status === 400 ? `400 with ${said}` : `${status}`;
  return { expected: `400 with an Error for ${violation.what}`, actual: answer, exchange };
}

/** What breaks the id of most chains may be that of a chain: 0, or another's with a minus sign. */
function isBroken(query: Query, whole: Query, { chains }: Facts): boolean {
  const chainId = parameterIn(query, 'chainId');
  if (chainId === parameterIn(whole, 'chainId')) {
    return JSON.stringify(query) !== JSON.stringify(whole);
  }
  return chains.every((chain) => String(chain.chainId) !== chainId);
}

/** Requests that are whole, chains and forms taking turns. */
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
  return spreadInForms(tradesOf(facts), count, formsOfMarket).map(([trade, form]) => ({
    path: PATHS.swap,
    query: inForm(trade, form),
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
    return { kind: 'not-applicable', why: 'no router of this service gives calldata' };
  }
  if (parameter.onHexChainsOnly === true && tradesOf(facts).length > 0) {
    return { kind: 'not-applicable', why: 'no chain with addresses of 20 bytes' };
  }
  return { kind: 'could-not-run', why: 'no request was answered with 200 that could be broken' };
}

/** @see Specification 4.1 rule 6 */
export const parameterRules: readonly ProbeRule[] = PARAMETERS.flatMap((parameter) =>
  (['must', 'should', 'observe'] as const).flatMap(
    (level) => parameterRule(parameter, level) ?? [],
  ),
);
