import { describe, expect, test } from 'vitest';
import type { RequestTarget } from '../client/request.ts';
import type { Session } from '../model/session.ts';
import { CATALOG } from './catalog.ts';
import { type Answer, modelFacts, modelSession } from './model-service.testing.ts';

const rule = CATALOG.find(({ id }) => id === 'endpoint/malformed-query');
if (rule?.kind !== 'probe') throw new Error('no rule');
const probe = rule;
const isMalformed = ({ query }: RequestTarget) => /%(?![0-9A-F]{2})|%C3%28/.test(String(query));

async function judge(session: Session) {
  const verdict = await probe.run(session);
  if (verdict?.kind !== 'judged') return { kind: verdict?.kind, said: [] as string[] };
  const said = verdict.findings.map(({ expected, actual }) => `${expected} | ${actual}`);
  return { kind: verdict.kind, said, checks: verdict.checks };
}

describe('endpoint/malformed-query', () => {
  test('a service that refuses them -> no finding; each required parameter is broken as bytes', async () => {
    const session = modelSession();
    expect((await judge(session)).said).toEqual([]);
    const broken = session.sent.filter(isMalformed).map(({ query }) => String(query));
    for (const name of [
      'chainId',
      'sellToken',
      'buyToken',
      'sellAmount',
      'buyAmount',
      'userAddress',
    ]) {
      for (const text of ['%ZZ', '%', '%C3%28']) {
        expect(broken.some((query) => query.split('&').includes(`${name}=${text}`))).toBe(true);
      }
    }
    expect(broken).toHaveLength(session.sent.length);
  });

  test.each<[answer: Answer, said: string]>([
    [{ status: 500, body: { error: 'URI', message: 'm' } }, '500 .?URI.?'],
    [{ status: 200, body: {} }, '200'],
    [{ status: 400, body: '<h1>Bad Request</h1>' }, '400'],
  ])('%j -> told', async (answer, said) => {
    const session = modelSession();
    const open = modelSession(() => answer);
    const get = (target: RequestTarget) => (isMalformed(target) ? open : session).get(target);
    const verdict = await judge({ ...session, get });
    expect(verdict.said).toHaveLength(verdict.checks ?? 0);
    expect(verdict.said[0]).toMatch(
      new RegExp(`^400 with an Error for an escape of no digits for .* \\| ${said}$`),
    );
  });

  test('a service that falls silent -> could not run, and is asked for something whole each time', async () => {
    const session = modelSession();
    const get: Session['get'] = async (target) => {
      const exchange = await session.get(target);
      if (!isMalformed(target)) return exchange;
      return { ...exchange, outcome: { kind: 'no-reply', cause: 'reset', message: 'reset' } };
    };
    expect((await judge({ ...session, get })).kind).toBe('could-not-run');
    expect(session.sent.filter(isMalformed)).toHaveLength(session.sent.length / 2);
  });

  test('nothing known -> could not run', async () => {
    const facts = { ...modelFacts, markets: new Map() };
    expect((await judge({ ...modelSession(), facts })).kind).toBe('could-not-run');
  });
});
