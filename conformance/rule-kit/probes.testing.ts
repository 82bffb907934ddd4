import { describe, expect, test } from 'vitest';
import { KEY_PLACEHOLDER, type RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import type { Facts } from '../discovery/facts.ts';
import { PARAMETERS } from '../generate/parameters.ts';
import { exactInput } from '../generate/trades.ts';
import { modelMarket } from '../model/model-market.testing.ts';
import { modelSession, type Sabotage } from '../model/model-service.testing.ts';
import type { ProbeRule, ProbeVerdict, Rule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { statementText } from '../model/statement-text.ts';
import { answer } from './sabotage.testing.ts';

/** Services of every kind: each probe has an outcome on each. */
export const SERVICES = {
  /** Keeps every promise. */
  sound: () => modelSession(),
  /** Nothing was learned of it. */
  unknown: () => modelSession(undefined, NO_FACTS),
  /** No pair was answered with a plan. */
  untraded: () => modelSession(undefined, { markets: new Map() }),
  silent: () => modelSession(() => 'no reply'),
  /** Answers with more than can be kept. */
  large: () => modelSession((tooLarge) => ({ tooLarge })),
  '404': () => modelSession(answer(404, 'nothing here')),
  '501': () => modelSession(answer(501, {})),
  '500': () => modelSession(answer(500, { error: 'BROKEN', message: 'sorry' })),
  '401': () => modelSession(answer(401, { error: 5 })),
  '200': () => modelSession(answer(200, { error: 'x'.repeat(80) })),
} as const satisfies Readonly<Record<string, () => Session>>;

type Outcome = 'fails' | 'fails in part' | 'could not run' | 'does not apply' | 'passes';

/**
 * Another service, perhaps with other facts, and a part of each different thing
 * that is said of it: none where the probe passes, `could-not-run` where that is
 * so, and `fails` alone where it finds something.
 */
export type Case =
  | readonly [Sabotage, ...said: string[]]
  | readonly [Sabotage, Partial<Facts>, ...said: string[]];

/** What is expected of a probe: the services, with spaces between, on which it does not pass, and more. */
export type Expected = Partial<Readonly<Record<Outcome, string>>> & {
  readonly cases?: readonly Case[];
  /** The requests sent to the sound service, as they differ from the first trade's; `...` ends the first of many. */
  readonly asks?: readonly string[];
};

/** Defines the tests of the probes among some rules, but for those of broken parameters, which laws hold for. */
export function testProbes(
  rules: readonly Rule[],
  expected: Readonly<Record<string, Expected>>,
): void {
  const all = rules.filter((rule): rule is ProbeRule => 'run' in rule);
  const probes = all.filter((rule) => !isOfBrokenParameter(rule));
  test('each probe -> has its expectations, and fails somewhere where it asserts', () => {
    expect(Object.keys(expected)).toEqual(probes.map(({ id }) => id));
    const unfailed = probes.filter(({ id, level }) => {
      const { cases = [], fails } = expected[id] ?? {};
      const isFailed = cases.some((each) => /^(?!could-not)/.test(saidIn(each)[0] ?? 'could-not'));
      return level !== 'observe' && fails === undefined && !isFailed;
    });
    expect(unfailed.map(({ id }) => id)).toEqual([]);
  });
  describe.each(probes.map((probe) => [probe.id, probe] as const))('%s', (id, probe) => {
    const { cases = [], asks, ...outcomes } = expected[id] ?? {};
    test.each(Object.entries(SERVICES))('on the service %s', async (name, open) => {
      const outcome = Object.entries(outcomes).find(([, names]) => names.split(' ').includes(name));
      expect(outcomeOf(await probe.run(open()))).toBe(outcome?.[0] ?? 'passes');
    });
    test.each(cases.map((each, index) => [`${index + 1}: ${saidIn(each)}`, each] as const))(
      'case %s',
      async (_title, each) => {
        const said = saidIn(each);
        const told = saidBy(await probe.run(openCase(each)));
        if (said[0] === 'fails') expect(told).not.toEqual([]);
        else expectParts(told, said);
      },
    );
    if (asks === undefined) return;
    test('asks', async () => {
      const session = modelSession();
      await probe.run(session);
      const sent = [...new Set(session.sent.map(describeRequest))];
      expect(asks.at(-1) === '...' ? [...sent.slice(0, asks.length - 1), '...'] : sent).toEqual(
        asks,
      );
    });
  });
}

function openCase([service, facts]: Case): ReturnType<typeof modelSession> {
  return modelSession(service, typeof facts === 'object' ? facts : undefined);
}

function saidIn(each: readonly unknown[]): readonly string[] {
  return each.filter((part): part is string => typeof part === 'string');
}

/** Returns each different thing that a probe found, or why it did not judge. */
export function saidBy(verdict: ProbeVerdict): readonly string[] {
  if (verdict.kind !== 'judged') return [`${verdict.kind}: ${verdict.why}`];
  return [
    ...new Set(
      verdict.findings.map(
        ({ expected, actual }) => `${statementText(expected)} | ${statementText(actual)}`,
      ),
    ),
  ];
}

/** Expects texts that each have the part that is written for them. */
function expectParts(texts: readonly string[], parts: readonly string[]): void {
  expect(
    texts.map((text, index) => (text.includes(parts[index] ?? '\n') ? parts[index] : text)),
  ).toEqual(parts);
}

/** Whether a probe breaks a parameter. */
function isOfBrokenParameter({ id }: Rule): boolean {
  return PARAMETERS.some(({ slug }) => id.replace(/-(strict|lenience)$/, '') === slug);
}

/** Returns what the runner makes of a verdict: one that asserted nothing did not pass. */
export function outcomeOf(verdict: ProbeVerdict): Outcome {
  if (verdict.kind === 'not-applicable') return 'does not apply';
  if (verdict.kind !== 'judged' || verdict.checks === 0) return 'could not run';
  if (verdict.findings.length === 0) return 'passes';
  return verdict.findings.length === verdict.checks ? 'fails' : 'fails in part';
}

/** The operation and what is not as in a whole request, such as `swap -chainId buyAmount=1`. */
function describeRequest({ method = 'GET', path, query, key }: RequestTarget): string {
  const [pair] = modelMarket.pairs;
  if (pair === undefined) throw new Error('the model trades nothing');
  const whole = new Map([
    ...(path === PATHS.swap ? exactInput({ market: modelMarket, pair }) : []),
    ...(path === PATHS.chains ? [] : [['chainId', '31337'] as const]),
    ['apiKey', KEY_PLACEHOLDER] as const,
  ]);
  const asked = [...new URLSearchParams(query as string)];
  if (key !== 'as-written') asked.push(['apiKey', KEY_PLACEHOLDER]);
  const names = new Set(asked.map(([name]) => name));
  const changes = asked.filter(([name, value]) => whole.get(name) !== value);
  const twice = asked.filter(([name], index) => asked.findIndex(([each]) => each === name) < index);
  return [
    ...(method === 'GET' ? [] : [method]),
    path.replace(/^.*\//, ''),
    ...[...whole.keys()].filter((name) => !names.has(name)).map((name) => `-${name}`),
    ...changes.map(
      ([name, value]) =>
        `${name}=${value.replace(/(.)\1{7,}/g, (run) => `${run[0]}*${run.length}`)}`,
    ),
    ...twice.map(([name]) => `${name} twice`),
  ].join(' ');
}
