import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { junitFaults } from '../output/junit-schema.testing.ts';
import { hostileReport } from './hostile-report.testing.ts';
import { write as writeJunit } from './junit.ts';
import { sampleReport, sampleRule } from './sample-report.testing.ts';

type Case = {
  name: string;
  classname: string;
  failure?: { message: string; type: string; '#text': string };
  error?: { message: string };
  time: string;
  skipped?: { message: string };
  'system-out'?: string;
};
type Suites = {
  testsuites: {
    tests: string;
    failures: string;
    time: string;
    testsuite: { name: string; testcase: Case[] }[];
  };
};

function parse(xml: string): { suites: Suites['testsuites']; cases: Map<string, Case> } {
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    isArray: (name) => name === 'testsuite' || name === 'testcase',
  });
  const { testsuites } = parser.parse(xml) as Suites;
  const all = testsuites.testsuite.flatMap(({ testcase }) => testcase);
  return {
    suites: testsuites,
    cases: new Map(all.map((one) => [`${one.classname}/${one.name}`, one])),
  };
}

describe('writeJunit', () => {
  test('a failed rule -> a failure element with Expected, Actual and the curl line', () => {
    const failure = parse(writeJunit(sampleReport())).cases.get(
      'swapcheck.2.3-decimals/swap-token-decimals',
    )?.failure;
    expect(failure?.message).toBe(
      'decimals is an integer from 0 to 18: expected an integer from 0 to 18, got 24',
    );
    expect(failure?.type).toBe('must');
    expect(failure?.['#text']).toContain('Where: /tokens/3/decimals');
    expect(failure?.['#text']).toContain('Repeat: curl -i');
  });

  test('each outcome -> a failure, an error, a skip with the reason, or nothing', () => {
    const { suites, cases } = parse(writeJunit(sampleReport()));
    const passed = cases.get('swapcheck.2.1-router/swap-router-echo');
    expect(passed).toBeDefined();
    expect(passed).not.toHaveProperty('failure');
    expect(cases.get('swapcheck.8-amounts/limits-calldata-gas')?.skipped?.message).toContain('429');
    expect(
      cases.get('swapcheck.could-not-run/every-request-with-calldata-was-rejected-with-429')?.error
        ?.message,
    ).toContain('limits/calldata-gas');
    expect(cases.get('swapcheck.2.6-metadata/tokens-logo')?.skipped).toMatchObject({
      message: 'waived',
      '#text': expect.stringContaining('the image server moves in May'),
    });
    expect(cases.get('swapcheck.2.9-tokenProxyAddress/chains-token-proxy')?.skipped?.message).toBe(
      'no router has a token proxy',
    );
    expect(suites.tests).toBe('17');
    expect(suites.failures).toBe('6');
  });

  test('rules of one section -> one suite, named for the section', () => {
    const names = parse(writeJunit(sampleReport())).suites.testsuite.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name.startsWith('2'))).toEqual(['2-Resources-and-their-fields']);
  });

  test('an `observe` rule that could not run -> skipped, without an error', () => {
    const more = { why: 'no pair returned a plan', checks: 0 };
    const [must, observe] = (['must', 'observe'] as const).map((level) =>
      sampleRule('4.1 a', `a/${level}`, level, 'could-not-run', 'T', more),
    );
    const xmlOf = (...rules: (typeof must)[]) =>
      writeJunit(sampleReport({ rules: rules.flatMap((rule) => rule ?? []), staleWaivers: [] }));
    expect(xmlOf(observe)).not.toContain('<error');
    expect(parse(xmlOf(observe)).cases.get('swapcheck.4.1-a/a-observe')?.skipped?.message).toBe(
      'no pair returned a plan',
    );
    expect(
      parse(xmlOf(must, observe))
        .suites.testsuite.flatMap(({ testcase }) => testcase)
        .flatMap(({ error }) => error?.message ?? []),
    ).toEqual(['no pair returned a plan (1 rule): a/must']);
  });

  test('every case -> includes the title of its rule, and the time of its requests', () => {
    const rules = sampleReport().rules.map((rule) => ({ ...rule, durationMs: 1_250 }));
    const { suites, cases } = parse(writeJunit(sampleReport({ rules })));
    const routed = cases.get('swapcheck.2.1-router/swap-router-echo');
    expect(routed?.['system-out']).toBe('router is the requested router [must of 2.1 router]');
    expect(routed?.time).toBe('1.250');
    expect(suites.time).toBe('14.210');
  });

  test('any report -> valid against the schema; violations are reported', () => {
    for (const report of [sampleReport(), hostileReport(), sampleReport({ rules: [] })]) {
      expect(junitFaults(writeJunit(report))).toEqual([]);
    }
    const broken =
      '<testsuites skipped="1"><testsuite name="a" tests="1" failures="0" time="1s"><testcase><properties/></testcase></testsuite></testsuites>';
    expect(junitFaults(broken)).toEqual([
      '<testsuites> has an attribute skipped',
      '<testsuite> lacks errors',
      '<testsuite> took 1s',
      '<testcase> lacks name',
      '<properties> has no place here',
    ]);
  });

  test('a stale waiver -> a separate failure', () => {
    const { suites } = parse(writeJunit(sampleReport()));
    const waivers = suites.testsuite.find(({ name }) => name === 'waivers');
    expect(waivers?.testcase[0]?.failure?.message).toBe('it no longer matches a failure');
  });

  test('hostile text -> valid XML without control characters, with names that are safe for files', () => {
    const xml = writeJunit(hostileReport());
    const { suites } = parse(xml);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u);
    for (const suite of suites.testsuite) {
      expect(suite.name).toMatch(/^[A-Za-z0-9._-]+$/);
      for (const { name, classname } of suite.testcase) {
        expect(`${name}${classname}`).toMatch(/^[A-Za-z0-9._-]+$/);
      }
    }
  });
});
