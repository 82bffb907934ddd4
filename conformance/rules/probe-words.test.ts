import { describe, expect, test } from 'vitest';
import type { RequestTarget } from '../client/request.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import type { ProbeRule, ProbeVerdict } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { brokenParameterRules } from '../rule-kit/broken-parameters.ts';
import { CATALOG } from './catalog.ts';
import { type Answer, modelFacts, modelSession } from './model-service.testing.ts';

/*
 * What probes ask and say, word for word, on services of every kind. Rules on
 * relations and executions have tests of their own.
 */

const probes = CATALOG.filter((rule): rule is ProbeRule => rule.kind === 'probe');

const answers = (answer: Answer) => () => modelSession(() => answer);

/** The model service, of which no request gets a reply. */
function silentSession(): Session {
  const session = modelSession();
  return {
    ...session,
    get: async (target) => ({
      ...(await session.get(target)),
      outcome: { kind: 'no-reply', cause: 'timeout', message: 'It took too long.' },
    }),
  };
}

const services: Readonly<Record<string, () => Session>> = {
  'a service that keeps every promise': modelSession,
  'a service of which nothing is known': () => ({ ...modelSession(), facts: NO_FACTS }),
  'a service whose chains trade nothing': () => ({
    ...modelSession(),
    facts: { ...modelFacts, markets: new Map() },
  }),
  'a service that never answers': silentSession,
  'a service without the operations': answers({ status: 404, body: 'nothing here' }),
  'a service without any method': answers({ status: 501, body: {} }),
  'a service that fails': answers({ status: 500, body: { error: 'BROKEN', message: 'sorry' } }),
  'a service that wants a password': answers({ status: 401, body: { error: 5 } }),
  'a service that says yes to everything': answers({
    status: 200,
    body: { error: 'x'.repeat(80) },
  }),
};

/** At most three of a kind, so that one more parameter to try does not change what is said. */
function inWords(verdict: ProbeVerdict): string[] {
  if (verdict.kind !== 'judged') return [`${verdict.kind}: ${verdict.why}`];
  const { findings, observed, checks } = verdict;
  const said = findings.map(({ expected, actual }) => `${expected} | ${actual}`);
  return [
    findings.length === 0 ? 'pass' : findings.length === checks ? 'fail, every check' : 'fail',
    ...[...new Set(said)].slice(0, 3),
    ...(observed === undefined ? [] : [`observed: ${observed.slice(0, 300)}`]),
  ];
}

const broken = (['4.1', '4.2', '4.4'] as const).flatMap(brokenParameterRules);
const breaking = new Set(broken.map(({ id }) => id));
/** Rules that break one parameter all run the same way: a few services show it. */
const fewServices = /every promise|nothing is known|trade nothing|never answers/;

describe.each(Object.entries(services))('%s', (name, open) => {
  const judging = probes.filter((rule) => fewServices.test(name) || !breaking.has(rule.id));
  test.each(judging.map((rule) => [rule.id, rule] as const))('%s', async (_id, rule) => {
    const said = inWords(await rule.run(open()));
    expect(breaking.has(rule.id) ? said[0] : said).toMatchSnapshot();
  });
});

describe('what is said of a parameter', () => {
  const saysYes = () => modelSession(() => ({ status: 200, body: { error: 'x'.repeat(80) } }));
  test.each(broken.map((rule) => [rule.id, rule] as const))('%s', async (_id, rule) => {
    const session = saysYes();
    const verdict = await rule.run(session);
    const [said, first] = inWords(verdict);
    const paths = [...new Set(session.sent.map(({ path }) => path))].join(' ');
    expect([said, first, paths, session.sent.length]).toMatchSnapshot();
  });
});

describe('what is asked', () => {
  const line = ({ method = 'GET', path, query, key = 'append' }: RequestTarget) => {
    const text =
      typeof query === 'string'
        ? query
        : String(new URLSearchParams([...query] as [string, string][]));
    const cut = text.length > 300 ? `${text.slice(0, 300)}... of ${text.length}` : text;
    return `${method} ${path}?${cut} ${key}`;
  };
  const plain = probes.filter((rule) => !breaking.has(rule.id));
  test.each(plain.map((rule) => [rule.id, rule] as const))('%s', async (_id, rule) => {
    const session = modelSession();
    await rule.run(session);
    expect([...new Set(session.sent.map(line))].slice(0, 12)).toMatchSnapshot();
  });
});
