import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { BUILT_IN_PROFILES } from './built-in.ts';
import { loadProfile, parseProfile } from './load-profile.ts';
import { overrideProfile } from './override-profile.ts';
import { writeProfile } from './write-profile.ts';

const published = JSON.parse(
  readFileSync(new URL('../../docs/load-profile.schema.json', import.meta.url), 'utf8'),
);
const { write } = useFolder();
const open = (stage: object) => ({ workload: { model: 'open', stages: [stage] } });

function without(document: object): object {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined));
}

describe('loadProfile', () => {
  test('every built-in profile -> valid against the published schema, unchanged after writing and reading YAML', () => {
    const validate = new Ajv2020().compile(published);
    expect(BUILT_IN_PROFILES.map(({ name }) => name)).toEqual([
      'smoke',
      'steady',
      'ramp',
      'spike',
      'soak',
      'closed',
      'breakpoint',
    ]);
    for (const profile of BUILT_IN_PROFILES) {
      expect(validate(profile)).toBe(true);
      expect(loadProfile(profile.name)).toBe(profile);
      expect(loadProfile(write('built-in.yaml', stringify(profile)))).toEqual(profile);
    }
  });

  test('neither a name nor a file -> an error that lists the names', () => {
    expect(() => loadProfile('stead')).toThrow(
      /'stead' is not a profile: expected one of smoke, steady/,
    );
  });

  test.each([
    ['an empty file', '', 'the profile is null'],
    ['a list', '- 1', 'the profile is [1]'],
    ['neither YAML nor JSON', 'a: [1,\n b', 'cannot be read as YAML or JSON'],
    ['the same key twice', 'name: a\nname: b', 'cannot be read as YAML or JSON'],
  ])('%s -> an error that names the cause', (_what, text, words) => {
    const path = write('wrong.yaml', text);
    expect(() => loadProfile(path)).toThrow(words);
  });

  test('a profile as JSON -> the same as in YAML', () => {
    const path = write('ramp.json', loadProfile('ramp'));
    expect(loadProfile(path)).toEqual(loadProfile('ramp'));
  });

  test.each([
    ['an unknown field', { extra: 1 }, "the profile has 'extra'"],
    ['a wrong type', { connections: 'many' }, '/connections is "many"'],
    [
      'an unknown metric',
      { thresholds: [{ metric: 'p42', max: 1 }] },
      '/thresholds/0/metric is "p42": expected one of',
    ],
    ['a threshold without a bound', { thresholds: [{ metric: 'p99' }] }, 'has no bound'],
    [
      'a share in percent',
      { thresholds: [{ metric: 'errors', max: 5 }] },
      'the threshold on errors is 5: expected a share from 0 to 1',
    ],
    ['no stages', { workload: { model: 'open', stages: [] } }, '/workload/stages is []'],
    ['a missing field', { mix: undefined }, "the profile has no 'mix'"],
    ['a wrong unit', { timeoutMs: '2s' }, '/timeoutMs is "2s": must be integer'],
    [
      'an unknown model',
      { workload: { model: 'opened', stages: [{ durationS: 1, rate: 1 }] } },
      '/workload/model is "opened": expected one of open, closed, breakpoint',
    ],
    [
      'fields of another model',
      { workload: { model: 'closed', stages: [{ durationS: 1, rate: 1 }] } },
      "/workload has 'stages', which is not allowed there",
    ],
    [
      'an unknown field of a stage',
      open({ duration: 1, rate: 1 }),
      "/workload/stages/0 has 'duration'",
    ],
    [
      'a negative rate',
      open({ durationS: 1, rate: -1 }),
      '/workload/stages/0/rate is -1: must be >= 0',
    ],
    [
      'a rate that is not a number',
      open({ durationS: 1, rate: Number.NaN }),
      '/workload/stages/0/rate is NaN: must be number',
    ],
    ['a rate beyond any client', open({ durationS: 1, rate: 1e12 }), 'must be <= 1000000'],
    [
      'stages without requests',
      open({ durationS: 1, rate: 0 }),
      '/workload/stages all have the rate 0',
    ],
    ['fewer connections than processes', { connections: 2, processes: 3 }, '/connections is 2'],
    [
      'an option of swaps on a lookup',
      { mix: [{ request: 'tokens', weight: 1, calldata: true }] },
      "/mix/0 has 'calldata', which belongs to swap",
    ],
    [
      'a threshold on an endpoint that is not in the mix',
      { thresholds: [{ metric: 'p99', endpoint: 'swapp', max: 1 }] },
      "is for 'swapp', which is not in the mix: expected one of all, swap, swap calldata",
    ],
    [
      'a threshold on the rate of a closed workload',
      { workload: { model: 'closed', durationS: 1 }, thresholds: [{ metric: 'rate', min: 0.99 }] },
      'in a closed workload, the connections set the pace',
    ],
    [
      'a search that ends below its start',
      { workload: { model: 'breakpoint', startRate: 10, maxRate: 5, stepS: 1, precision: 0.1 } },
      '/workload/maxRate is 5',
    ],
  ])('%s -> an error that names the problem', (_what, change, words) => {
    expect(() => parseProfile(without({ ...BUILT_IN_PROFILES[0], ...change }), 'p.yaml')).toThrow(
      words,
    );
  });
});

describe('overrideProfile', () => {
  test('rate and duration -> stages keep their proportions', () => {
    const { workload } = overrideProfile(loadProfile('spike'), { rate: 200, durationS: 9 });
    expect(workload).toEqual({
      model: 'open',
      stages: [
        { durationS: 3, rate: 20 },
        { durationS: 2, rate: 200 },
        { durationS: 4, rate: 20 },
      ],
    });
  });

  test('a threshold on a bounded metric -> replaced; on another metric -> added', () => {
    const { thresholds } = overrideProfile(loadProfile('smoke'), {
      thresholds: [
        { metric: 'errors', max: 0.5 },
        { metric: 'p99', endpoint: 'swap', max: 9 },
      ],
    });
    expect(thresholds.filter(({ metric }) => metric === 'errors')).toEqual([
      { metric: 'errors', max: 0.5 },
    ]);
    expect(thresholds.at(-1)).toEqual({ metric: 'p99', endpoint: 'swap', max: 9 });
  });

  test('a flag that does not fit the workload -> an error', () => {
    expect(() => overrideProfile(loadProfile('closed'), { rate: 5 })).toThrow(UsageError);
    expect(() => overrideProfile(loadProfile('smoke'), { connections: 0 })).toThrow(UsageError);
  });

  test('a threshold on "all", and one without an endpoint -> the same threshold', () => {
    const profile = {
      ...loadProfile('smoke'),
      thresholds: [{ metric: 'p99' as const, endpoint: 'all', max: 5 }],
    };
    const { thresholds } = overrideProfile(profile, { thresholds: [{ metric: 'p99', max: 9 }] });
    expect(thresholds).toEqual([{ metric: 'p99', max: 9 }]);
  });

  test('no flags -> the profile itself', () => {
    expect(overrideProfile(loadProfile('ramp'), {})).toEqual(loadProfile('ramp'));
  });
});

describe('writeProfile', () => {
  test.each(BUILT_IN_PROFILES.map((profile) => [profile.name, profile]))(
    '%s -> YAML with the name first, which reads back unchanged',
    (name, profile) => {
      const changed = overrideProfile(profile, { durationS: 7, maxClientLagMs: 30 });
      expect(loadProfile(write('written.yaml', writeProfile(changed)))).toEqual(changed);
      expect(writeProfile(changed)).toMatch(new RegExp(`^name: ${name}\n`));
      expect(writeProfile(changed)).not.toMatch(/[&*]a\d/);
    },
  );
});
