import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { InvalidArgumentError } from 'commander';
import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import type { RuleResult } from '../../conformance/model/report.ts';
import { renderMarkdown } from '../../conformance/output/markdown.ts';
import { renderText } from '../../conformance/output/text.ts';
import { compareReportTexts } from '../../conformance/report/comparison-document.ts';
import { sampleReport } from '../../conformance/report/sample-report.testing.ts';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { createCompareCommand } from '../commands/compare-command.ts';
import {
  sampleResult as drawResult,
  hostileResult,
  type SampleOptions,
} from '../result/sample-result.testing.ts';
import type { Change } from './change.ts';
import { formatRegressionBound, parseRegressionBound } from './change.ts';
import { compareLoad } from './compare-load.ts';
import { concludeComparison } from './comparison.ts';
import { loadComparisonDocument } from './comparison-document.ts';
import { comparePaired } from './paired-rounds.ts';

const sampleResult = (shape: SampleOptions = {}) =>
  drawResult({ seconds: 5, rate: 1000, ...shape });
const find = (changes: readonly Change[], endpoint: string, metric: string): Change =>
  changes.find((each) => each.endpoint === endpoint && each.metric === metric) as Change;
const slower = { swap: 10, 'swap calldata': 14, tokens: 1.2, invalid: 0.8 };
const usual = sampleResult({ rate: 2500 });
const slowed = sampleResult({ rate: 2500, seed: 2, medianMs: slower });

describe('compareLoad', () => {
  test('two random results of the same service -> noise in nearly all cases', () => {
    const runs = Array.from({ length: 8 }, (_, seed) => sampleResult({ seed: seed + 1 }));
    const changes = runs.slice(1).flatMap((run, i) => compareLoad(runs[i] as never, run));
    const clear = changes.filter(({ verdict }) => verdict !== 'unclear');
    const wrong = clear.filter(({ verdict }) => verdict !== 'noise');
    expect(clear.length).toBeGreaterThan(80);
    expect(wrong.length / clear.length).toBeLessThan(0.05);
  });

  test('one endpoint a quarter slower -> a regression of that endpoint, with the true change inside the interval', () => {
    const changes = compareLoad(usual, slowed);
    const p50 = find(changes, 'swap', 'p50');
    expect(p50.verdict).toBe('regression');
    expect(p50.interval[0]).toBeLessThan(0.25);
    expect(p50.interval[1]).toBeGreaterThan(0.25);
    expect(find(changes, 'tokens', 'p50').verdict).toBe('noise');
    expect(find(compareLoad(slowed, usual), 'swap', 'p50').verdict).toBe('improvement');
  });

  test('errors only in the head -> a regression in percentage points', () => {
    const changes = compareLoad(sampleResult(), sampleResult({ timeouts: 0.03 }));
    const errors = find(changes, 'all', 'errors');
    expect(errors).toMatchObject({ verdict: 'regression', base: 0 });
    expect(errors.change).toBeCloseTo(0.03, 1);
  });

  test('too few requests for a percentile -> unclear', () => {
    const few = { seconds: 5, rate: 40 };
    const after = sampleResult({ ...few, seed: 2, medianMs: slower });
    expect(find(compareLoad(sampleResult(few), after), 'all', 'p99.9').verdict).toBe('unclear');
  });

  test('the same results -> the same intervals', () => {
    const [a, b] = [sampleResult(), sampleResult({ seed: 2 })];
    expect(compareLoad(a, b)).toEqual(compareLoad(a, b));
  });
});

describe('comparePaired', () => {
  const rounds = (factor: number) =>
    Array.from({ length: 5 }, (_, round) => {
      // The drift is far larger than the difference between the services.
      const drift = 1 + round;
      const at = (times: number, seed: number) =>
        sampleResult({ seed, medianMs: { swap: 8 * drift * times } });
      return { base: at(1, 2 * round + 1), head: at(factor, 2 * round + 2) };
    });

  test('a drifting machine, the same service -> noise', () => {
    expect(find(comparePaired(rounds(1)), 'swap', 'p50').verdict).toBe('noise');
  });

  test('a drifting machine, a head that is a fifth slower -> a regression of about that size', () => {
    const p50 = find(comparePaired(rounds(1.2)), 'swap', 'p50');
    expect(p50.verdict).toBe('regression');
    expect(p50.change).toBeCloseTo(0.2, 1);
  });

  test('one round -> unclear', () => {
    expect(find(comparePaired(rounds(1.2).slice(0, 1)), 'swap', 'p50').verdict).toBe('unclear');
  });
});

describe('parseRegressionBound', () => {
  test.each([
    ['p99>10%', { metric: 'p99', max: 0.1 }],
    ['swap calldata:errors>0.5%', { metric: 'errors', endpoint: 'swap calldata', max: 0.005 }],
  ])('%s -> %o', (text, bound) => {
    expect(parseRegressionBound(text)).toEqual(bound);
    expect(formatRegressionBound(parseRegressionBound(text))).toBe(text);
  });

  test.each(['', 'p99', 'p99>10', 'p99<10%', 'p42>1%', 'toString>1%'])('%s -> an error', (text) => {
    expect(() => parseRegressionBound(text)).toThrow(InvalidArgumentError);
  });
});

describe('concludeComparison', () => {
  const change: Change = {
    endpoint: 'swap',
    metric: 'p99',
    base: 10,
    head: 12,
    change: 0.2,
    interval: [0.12, 0.3],
    verdict: 'regression',
  };
  const [base, head] = [sampleResult(), sampleResult({ seed: 2 })];
  const conclude = (part: Partial<Change>, bound: string, more = {}) =>
    concludeComparison({
      method: 'two-runs',
      base,
      head,
      changes: [{ ...change, ...part }],
      bounds: [parseRegressionBound(bound)],
      ...more,
    });

  test.each([
    ['p99>10%', {}, 'failed'],
    ['swap:p99>10%', {}, 'failed'],
    ['p99>35%', {}, 'passed'],
    ['p99>10%', { verdict: 'noise', interval: [-0.2, 0.05] }, 'passed'],
  ] as const)('%s, an interval of %o -> %s', (bound, part, verdict) => {
    const concluded = conclude(part, bound);
    expect(concluded.verdict).toBe(verdict);
    expect(concluded.changes[0]?.isBeyondBound).toBe(verdict === 'failed');
    const reason = `beyond ${bound}: p99 of swap +20.0%`;
    if (verdict === 'failed') expect(concluded.reason).toBe(reason);
  });

  test.each([
    ['two-runs', { interval: [0.05, 0.3] }],
    ['paired-rounds', { interval: [0.05, 0.3] }],
    ['two-runs', { verdict: 'noise', interval: [-0.99, 132] }],
  ] as const)(
    '%s, the bound inside the interval %o -> incomplete, with the smallest detectable change',
    (method, part) => {
      expect(conclude(part, 'p99>10%', { method })).toMatchObject({
        verdict: 'incomplete',
        reason: expect.stringMatching(
          /^p99>10% is unclear: p99 of swap is between .+; the smallest detectable change is \+[0-9.]+%$/,
        ),
        changes: [{ isBeyondBound: false }],
      });
    },
  );

  test('a wide interval from few noisy rounds -> shown with few digits', () => {
    const { reason } = conclude({ interval: [-1, 1e53], verdict: 'noise' }, 'p99>10%');
    expect(reason).toBe(
      'p99>10% is unclear: p99 of swap is between -100.0% and any; the smallest detectable change is none',
    );
  });

  test('one metric with too few requests, among clear metrics -> incomplete, regardless of its interval', () => {
    const few = {
      ...change,
      endpoint: 'tokens',
      verdict: 'unclear' as const,
      interval: [0.2, 0.3] as const,
    };
    const { verdict, reason } = conclude({}, 'p99>35%', { changes: [change, few] });
    expect([verdict, reason]).toEqual(['incomplete', expect.stringContaining('p99 of tokens')]);
  });

  test('a bound without any measured metric -> incomplete', () => {
    for (const [part, bound] of [
      [{ verdict: 'unclear' }, 'p99>10%'],
      [{}, 'tokens:p99>10%'],
      [{}, 'p50>10%'],
    ] as const) {
      expect(conclude(part, bound)).toMatchObject({
        verdict: 'incomplete',
        reason: `${bound} could not be judged: too few requests in both runs`,
      });
    }
  });

  test('an invalid run -> incomplete, regardless of the changes', () => {
    const invalid = { ...head, verdict: 'invalid' as const, reason: 'the client fell behind' };
    expect(conclude({}, 'p99>10%', { head: invalid })).toMatchObject({
      verdict: 'incomplete',
      reason: 'the head is invalid: the client fell behind',
    });
    const unknown = conclude({}, 'p99>10%', { base: { target: 'http://a/' } });
    expect(unknown).toMatchObject({ verdict: 'incomplete', base: { target: 'http://a/' } });
    expect(renderText(loadComparisonDocument(unknown))).toContain(
      'Base: http://a/, never load-tested',
    );
  });

  test('different profiles, seeds, machines and endpoints -> listed', () => {
    const other = {
      ...head,
      seed: 9,
      profile: { ...head.profile, connections: 3, description: 'other words' },
      client: { ...head.client, cores: 64 },
      endpoints: head.endpoints.filter(({ name }) => name !== 'tokens'),
    };
    const { differences } = conclude({}, 'p99>10%', { head: other });
    expect(differences).toEqual([
      'the profiles differ in connections',
      'the seed is 1 in the base and 9 in the head',
      'the number of cores is 4 in the base and 64 in the head',
      'only requested in the base: tokens',
    ]);
    expect(conclude({}, 'p99>10%', { head: base }).differences).toEqual([]);
  });

  test('a comparison as JSON -> valid against the published schema, with null for an unbounded end', () => {
    const url = new URL('../../docs/comparison.schema.json', import.meta.url);
    const published = JSON.parse(readFileSync(url, 'utf8'));
    const validate = new Ajv2020().compile(published);
    const open = conclude({ interval: [-Infinity, Infinity], verdict: 'unclear' }, 'p99>10%');
    expect(JSON.parse(JSON.stringify(open)).changes[0].interval).toEqual([null, null]);
    for (const each of [open, conclude({}, 'p99>10%')]) {
      expect(validate(JSON.parse(JSON.stringify(each))), JSON.stringify(validate.errors)).toBe(
        true,
      );
    }
  });
});

describe('reports of a comparison', () => {
  const comparison = concludeComparison({
    method: 'two-runs',
    base: usual,
    head: hostileResult(),
    changes: compareLoad(usual, slowed),
    bounds: [parseRegressionBound('p50>10%')],
  });

  test('text -> both runs, every metric with its change, the verdict last', () => {
    const text = renderText(loadComparisonDocument(comparison));
    expect(text).toMatch(/^Base: http:\/\/127\.0\.0\.1:8080\/, steady, seed 1, \d+ requests/m);
    expect(text).toMatch(/^ {2}! the profiles differ in workload$/m);
    expect(text).toMatch(
      /^✗ {2}swap +p50 +[\d.]+ ms +[\d.]+ ms +\+\d+\.\d% +\[.*\] {2}regression$/m,
    );
    expect(text).toMatch(/^ +swap +errors +0% +0% +\+0\.0 pts/m);
    expect(text.trimEnd()).toMatch(
      /FAILED: beyond p50>10%: (p50 of all \+\d+\.\d%, )?p50 of swap \+\d+\.\d%$/,
    );
  });

  test('markdown and text -> changes before noise, no markup from a service', () => {
    const html = marked(renderMarkdown(loadComparisonDocument(comparison)), { async: false });
    expect(html).toContain('❌ Load compared: failed');
    expect(html).toMatch(/<td>❌<\/td>\s*<td>swap<\/td>\s*<td>p50<\/td>/);
    for (const text of [html, renderText(loadComparisonDocument(comparison))]) {
      const verdicts = [
        ...text.matchAll(/(?:<td>| {2})(regression|improvement|unclear|noise)(?=<|$)/gm),
      ].map(([, verdict = '']) => verdict);
      const order = ['regression', 'improvement', 'unclear', 'noise'];
      expect(verdicts).toEqual(verdicts.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
      expect(new Set(verdicts)).toContain('noise');
    }
    expect(html).not.toMatch(/<script|<img/);
  });
});

describe('createCompareCommand', () => {
  const { at, read, readJson, write: file } = useFolder();
  const deps = { prepareJudge: () => () => [], compareReports: compareReportTexts };
  const compare = (...args: string[]) => runCommand(createCompareCommand(deps), args);
  const [base, worse] = [file('base.json', usual), file('worse.json', slowed)];

  test('load results -> exit code 0 within the bounds, 1 beyond them, 3 if undecided', async () => {
    expect((await compare(base, base, '--fail-if', 'swap:p50>10%')).code).toBe(0);
    const unclear = await compare(base, base);
    expect([unclear.code, unclear.text]).toEqual([
      3,
      expect.stringMatching(/p99>10% is unclear: .*; the smallest detectable change/),
    ]);
    const beyond = await compare(base, worse, '--fail-if', 'swap:p50>10%');
    expect(beyond.code).toBe(1);
    expect(beyond.text).toContain('beyond swap:p50>10%: p50 of swap');
    expect((await compare(base, worse, '--fail-if', 'swap:p50>60%')).code).toBe(0);
  });

  test('reports -> each format is written, for load and for conformance', async () => {
    const files = [`json=${at('out', 'a.json')}`, `markdown=${at('out', 'a.md')}`];
    const reports = files.flatMap((file) => ['--report', file]);
    const { code, text } = await compare(base, worse, ...reports, '--fail-if', 'swap:p50>10%');
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(
        /^Metrics\n[\s\S]*^FAILED: beyond swap:p50>10%: p50 of swap .*\nWrote .*a\.json, .*a\.md$/m,
      ),
    ]);
    expect(readJson('out/a.json')).toMatchObject({
      kind: 'load-comparison',
      verdict: 'failed',
      bounds: [{ metric: 'p50', endpoint: 'swap', max: 0.1 }],
    });
    expect(read('out/a.md')).toContain('| swap | p50 |');
    const report = file('c.json', sampleReport());
    expect((await compare(report, report, ...reports)).code).toBe(0);
    expect(readJson('out/a.json')).toMatchObject({
      kind: 'conformance-comparison',
      verdict: 'passed',
      newlyFailing: [],
    });
    expect(read('out/a.md')).toContain('0 newly failing');
  });

  test('conformance reports -> exit code 1 when a rule newly fails', async () => {
    const [first, ...others] = sampleReport().rules;
    const [good = '', bad = ''] = (['pass', 'fail'] as const).map((outcome) => {
      const rules = [{ ...(first as RuleResult), outcome }, ...others];
      return file(`${outcome}.json`, sampleReport({ rules }));
    });
    expect((await compare(good, good)).code).toBe(0);
    const newly = await compare(good, bad);
    expect(newly.code).toBe(1);
    expect(newly.text).toContain('1 newly failing');
  });

  test('a load result with a conformance report, a missing file, a broken result -> usage error', async () => {
    const report = file('report.json', sampleReport());
    const wrong: [args: string[], words: string][] = [
      [[base, report], 'one is a load result, the other is not'],
      [[base, file('cut.json', '{"kind": "lo')], 'cut.json is not JSON'],
      [[base, at('none.json')], 'cannot be read'],
      [[base, 'https://b.example'], "'https://b.example' is a URL: pass --interleave"],
      [[base, file('broken.json', { kind: 'load' })], 'broken.json is not a load result'],
      [[report, file('empty.json', {})], 'is not a conformance report'],
      [[report, report, '--fail-if', 'p99>1%'], '--fail-if applies only to load results'],
      [[base, worse, '--rate', '5'], '--rate requires --interleave'],
      [['ftp://a', 'http://b', '--interleave', '2'], 'expected an http or https URL'],
      [[base, worse, '--report', `json=${join(base, 'x')}`], 'x cannot be written'],
    ];
    for (const [args, words] of wrong) {
      const { code, text } = await compare(...args);
      expect([code, text]).toEqual([2, expect.stringContaining(words)]);
    }
    expect((await compare(base, worse, '--fail-if', 'p99')).code).toBe(1);
    expect((await compare('http://a', 'http://b', '--interleave', '1')).code).toBe(1);
  });
});
