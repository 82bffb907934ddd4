import { expect, test } from 'vitest';
import { given } from '../model/golden-replies.testing.ts';
import { modelSession } from '../model/model-service.testing.ts';
import type { ProbeRule } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { isOfBrokenParameter, SERVICES, saidBy } from '../rule-kit/probes.testing.ts';
import { verdictOn } from '../rule-kit/replies.testing.ts';
import { BROKEN_REPLIES, type BrokenReply } from './broken-replies.testing.ts';
import { BROKEN_SERVICES } from './broken-services.testing.ts';
import { BROKEN_SETTLEMENTS, type BrokenSettlement } from './broken-settlements.testing.ts';
import { CATALOG } from './catalog.ts';

/*
 * The words of the catalogue in one file. Which rule fails where is expected
 * beside the file of each rule.
 */

/** By their ids, so that the report stays as it is where a rule moves. */
const byId = [...CATALOG].sort((one, other) => (one.id < other.id ? -1 : 1));
const probes = byId.filter((rule): rule is ProbeRule => 'run' in rule);
const observing = probes.filter(({ level }) => level === 'observe');
const breaking = probes.filter((rule) => rule.level !== 'observe' && isOfBrokenParameter(rule));
const others = probes.filter((rule) => !isOfBrokenParameter(rule));

const asserting = others.filter(({ level }) => level !== 'observe');
const sayable = asserting.filter(({ id }) => /key-required|smallest-amounts|malformed/.test(id));

/** A part of the report: who says what. */
type Section = {
  readonly about: string;
  readonly said: readonly (readonly [id: string, text: string])[];
};

function judgeReply([about, body, around]: BrokenReply): Section {
  const input = given(body, around);
  const said = byId.flatMap((rule) =>
    (verdictOn(rule, input)?.findings ?? []).map(
      ({ expected, actual }) => [rule.id, `${expected} | ${actual}`] as const,
    ),
  );
  return { about, said };
}

function judgeSettlement([about, kind, item]: BrokenSettlement): Section {
  const said = byId.flatMap((rule) => {
    if (rule.kind !== 'settlement' || rule.evidence !== kind) return [];
    const { findings = [] } = rule.judge(item, { tolerancePpm: 0 }) ?? {};
    return findings.map(({ expected, actual }) => [rule.id, `${expected} | ${actual}`] as const);
  });
  return { about, said };
}

/** The first thing that each probe finds, or observes, or why it does not judge. */
async function judgeService(
  about: string,
  open: () => Session,
  judging: readonly ProbeRule[],
): Promise<Section> {
  const said: (readonly [string, string])[] = [];
  for (const rule of judging) {
    const verdict = await rule.run(open());
    const isObserved = rule.level === 'observe' && verdict.kind === 'judged';
    const [first] = isObserved ? [verdict.observed] : saidBy(verdict);
    if (first !== undefined) said.push([rule.id, first]);
  }
  return { about, said };
}

/** Writes each text once, with the rules that say it and did not before. */
function writeReport(sections: readonly Section[]): string {
  const known = new Set<string>();
  return sections
    .map(({ about, said }) => {
      const rules = new Map<string, Set<string>>();
      for (const [id, text] of said) {
        if (known.has(`${id} ${text}`)) continue;
        known.add(`${id} ${text}`);
        rules.set(text, (rules.get(text) ?? new Set()).add(id));
      }
      const lines = [...rules].map(([text, ids]) => `${[...ids].join(' ')}: ${text}`);
      return [`## ${about}`, ...lines, ''].join('\n');
    })
    .join('\n');
}

test('what the rules say, each of them something -> the golden report', async () => {
  const judged = [
    judgeService('a service that keeps every promise', SERVICES.sound, observing),
    judgeService('a service of which nothing is known', SERVICES.unknown, probes),
    judgeService('a service that plans nothing', SERVICES.untraded, asserting),
    judgeService('a service that never answers', SERVICES.silent, asserting),
    judgeService('a service without the operations', SERVICES['404'], asserting),
    judgeService('a service that says yes', SERVICES['200'], [...breaking, ...sayable]),
    ...BROKEN_SERVICES.map(([about, sabotage, rules, facts]) =>
      judgeService(
        about,
        () => modelSession(sabotage, facts),
        asserting.filter(({ id }) => rules.test(id)),
      ),
    ),
  ];
  const sections = [
    ...BROKEN_REPLIES.map(judgeReply),
    ...(await Promise.all(judged)),
    ...BROKEN_SETTLEMENTS.map(judgeSettlement),
  ];
  const heard = new Set(sections.flatMap(({ said }) => said.map(([id]) => id)));
  const unheard = byId.filter(
    (rule) => !heard.has(rule.id) && ('run' in rule || rule.level !== 'observe'),
  );
  expect(unheard.map(({ id }) => id)).toEqual([]);
  await expect(writeReport(sections)).toMatchFileSnapshot('golden-report.txt');
});
