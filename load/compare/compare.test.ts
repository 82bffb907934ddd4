import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { RuleResult } from '../../conformance/report/report.ts';
import { sampleReport } from '../../conformance/report/sample-report.testing.ts';
import { sampleResult as drawResult, type SampleShape } from '../report/sample-result.testing.ts';
import { createUniform, drawBeta } from './beta.ts';
import { writeChanges } from './changes-text.ts';
import { createCompareCommand } from './command.ts';
import { type Change, compareLoad } from './compare-load.ts';
import { InvalidFailIfError, parseFailIf, regressions } from './fail-if.ts';
import { comparePaired, studentInterval } from './paired-rounds.ts';

const sampleResult = (shape: SampleShape = {}) => drawResult({ seconds: 5, rate: 1000, ...shape });
const find = (changes: readonly Change[], endpoint: string, metric: string): Change =>
  changes.find((each) => each.endpoint === endpoint && each.metric === metric) as Change;
const slower = { swap: 10, 'swap calldata': 14, tokens: 1.2, invalid: 0.8 };

describe('drawBeta', () => {
  test('many draws -> its mean and variance', () => {
    const uniform = createUniform(5);
    const draws = Array.from({ length: 20_000 }, () => drawBeta(30, 10, uniform));
    const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
    const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
    expect(mean).toBeCloseTo(0.75, 2);
    expect(variance).toBeCloseTo((30 * 10) / (40 ** 2 * 41), 4);
  });
});

describe('compareLoad', () => {
  test('two draws of the same service -> noise, nearly always', () => {
    const runs = Array.from({ length: 8 }, (_, seed) => sampleResult({ seed: seed + 1 }));
    const changes = runs.slice(1).flatMap((run, i) => compareLoad(runs[i] as never, run));
    const clear = changes.filter(({ verdict }) => verdict !== 'unclear');
    const wrong = clear.filter(({ verdict }) => verdict !== 'noise');
    expect(clear.length).toBeGreaterThan(80);
    expect(wrong.length / clear.length).toBeLessThan(0.05);
  });

  test('one endpoint a quarter slower -> a regression there, and its size in the interval', () => {
    const changes = compareLoad(
      sampleResult({ rate: 2500 }),
      sampleResult({ rate: 2500, seed: 2, medianMs: slower }),
    );
    const p50 = find(changes, 'swap', 'p50');
    expect(p50.verdict).toBe('regression');
    expect(p50.interval[0]).toBeLessThan(0.25);
    expect(p50.interval[1]).toBeGreaterThan(0.25);
    expect(find(changes, 'tokens', 'p50').verdict).toBe('noise');
    const back = compareLoad(
      sampleResult({ rate: 2500, medianMs: slower }),
      sampleResult({ rate: 2500, seed: 2 }),
    );
    expect(find(back, 'swap', 'p50').verdict).toBe('improvement');
  });

  test('errors where there were none -> a regression in points', () => {
    const errors = find(
      compareLoad(sampleResult(), sampleResult({ timeouts: 0.03 })),
      'all',
      'errors',
    );
    expect(errors).toMatchObject({ verdict: 'regression', base: 0 });
    expect(errors.change).toBeCloseTo(0.03, 1);
  });

  test('too few requests for a percentile -> unclear', () => {
    const few = { seconds: 5, rate: 40 };
    const changes = compareLoad(
      sampleResult(few),
      sampleResult({ ...few, seed: 2, medianMs: slower }),
    );
    expect(find(changes, 'all', 'p99.9').verdict).toBe('unclear');
  });

  test('the same results -> the same intervals', () => {
    const [a, b] = [sampleResult(), sampleResult({ seed: 2 })];
    expect(compareLoad(a, b)).toEqual(compareLoad(a, b));
  });
});

describe('comparePaired', () => {
  const rounds = (factor: number) =>
    Array.from({ length: 5 }, (_, round) => {
      // The machine drifts by far more than the services differ.
      const drift = 1 + round;
      const at = (times: number, seed: number) =>
        sampleResult({ seed, medianMs: { swap: 8 * drift * times } });
      return { base: at(1, 2 * round + 1), head: at(factor, 2 * round + 2) };
    });

  test('a drifting machine, the same service -> noise', () => {
    expect(find(comparePaired(rounds(1)), 'swap', 'p50').verdict).toBe('noise');
  });

  test('a drifting machine, a fifth slower -> found, and its size', () => {
    const p50 = find(comparePaired(rounds(1.2)), 'swap', 'p50');
    expect(p50.verdict).toBe('regression');
    expect(p50.change).toBeCloseTo(0.2, 1);
  });

  test('one round -> unclear', () => {
    expect(find(comparePaired(rounds(1.2).slice(0, 1)), 'swap', 'p50').verdict).toBe('unclear');
  });
});

describe('studentInterval', () => {
  test('differences 1, 2, 3 -> 2 plus or minus 4.303 / sqrt(3)', () => {
    const { mean, low, high } = studentInterval([1, 2, 3]);
    expect(mean).toBe(2);
    expect(high - mean).toBeCloseTo(4.303 / Math.sqrt(3), 6);
    expect(mean - low).toBeCloseTo(4.303 / Math.sqrt(3), 6);
  });
});

describe('parseFailIf', () => {
  test.each([
    ['p99>10%', { metric: 'p99', most: 0.1 }],
    ['swap calldata:errors>0.5%', { metric: 'errors', endpoint: 'swap calldata', most: 0.005 }],
  ])('%s -> %o', (text, bound) => {
    expect(parseFailIf(text)).toEqual(bound);
  });

  test.each(['', 'p99', 'p99>10', 'p99<10%', 'p42>1%', 'toString>1%'])('%s -> an error', (text) => {
    expect(() => parseFailIf(text)).toThrow(InvalidFailIfError);
  });
});

describe('regressions', () => {
  const change: Change = {
    endpoint: 'swap',
    metric: 'p99',
    base: 10,
    head: 12,
    change: 0.2,
    interval: [0.1, 0.3],
    verdict: 'regression',
  };

  test('worse than its bound and no noise -> failing; else not', () => {
    const fails = (part: Partial<Change>, bound: string): boolean =>
      regressions([{ ...change, ...part }], [parseFailIf(bound)]).length > 0;
    expect(fails({}, 'p99>10%')).toBe(true);
    expect(fails({}, 'swap:p99>10%')).toBe(true);
    expect(fails({}, 'tokens:p99>10%')).toBe(false);
    expect(fails({}, 'p99>25%')).toBe(false);
    expect(fails({}, 'p50>10%')).toBe(false);
    expect(fails({ verdict: 'noise' }, 'p99>10%')).toBe(false);
    expect(writeChanges([change], [change])).toContain('beyond the bounds: p99 of swap +20.0 %');
  });
});

describe('createCompareCommand', () => {
  const folder = mkdtempSync(join(tmpdir(), 'compare-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, value: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const compare = async (...args: string[]): Promise<{ code: unknown; text: string }> => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const complain = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const before = process.exitCode;
    try {
      const command = createCompareCommand({ version: '0', prepareJudge: () => () => [] });
      await command.exitOverride().parseAsync(args, { from: 'user' });
      return { code: process.exitCode, text: write.mock.calls.join('') };
    } catch (error) {
      return {
        code: (error as { exitCode?: number }).exitCode ?? (error as Error).name,
        text: complain.mock.calls.join(''),
      };
    } finally {
      process.exitCode = before;
      write.mockRestore();
      complain.mockRestore();
    }
  };
  const base = file('base.json', sampleResult({ rate: 2500 }));
  const worse = file('worse.json', sampleResult({ rate: 2500, seed: 2, medianMs: slower }));

  test('load results -> 0 within the bounds, 1 beyond them', async () => {
    expect((await compare(base, base)).code).toBe(0);
    const beyond = await compare(base, worse, '--fail-if', 'swap:p50>10%');
    expect(beyond.code).toBe(1);
    expect(beyond.text).toMatch(/beyond the bounds: p50 of swap \+2\d\.\d %/);
    expect((await compare(base, worse, '--fail-if', 'swap:p50>60%')).code).toBe(0);
  });

  test('conformance reports -> 1 when a rule newly fails', async () => {
    const [first, ...others] = sampleReport().rules;
    const passing = sampleReport({
      rules: [{ ...(first as RuleResult), outcome: 'pass' }, ...others],
    });
    const failing = sampleReport({
      rules: [{ ...(first as RuleResult), outcome: 'fail' }, ...others],
    });
    const [good, bad] = [file('good.json', passing), file('bad.json', failing)];
    expect((await compare(good, good)).code).toBe(0);
    const newly = await compare(good, bad);
    expect(newly.code).toBe(1);
    expect(newly.text).toContain('1 newly failing');
  });

  test('one of each, no such file, a broken result -> used wrongly', async () => {
    expect((await compare(base, file('report.json', sampleReport()))).code).toBe('UsageError');
    expect((await compare(base, join(folder, 'none.json'))).code).toBe('UsageError');
    const broken = await compare(base, file('broken.json', { kind: 'load' }));
    expect(broken.code).toBe(2);
    expect(broken.text).toContain('broken.json is no load result');
    expect((await compare(base, worse, '--fail-if', 'p99')).code).not.toBe(0);
  });
});
