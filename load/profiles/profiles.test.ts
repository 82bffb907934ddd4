import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadProfileSchema } from '../report/schemas.ts';
import { BUILT_IN_PROFILES } from './built-in.ts';
import { InvalidProfileError, loadProfile, parseProfile } from './load-profile.ts';
import { overrideProfile } from './override-profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'profiles-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('loadProfile', () => {
  test('every built-in -> valid by the published schema, and the same through YAML', () => {
    const validate = new Ajv2020().compile(loadProfileSchema());
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
      const path = join(folder, `${profile.name}.yaml`);
      writeFileSync(path, stringify(profile));
      expect(loadProfile(path)).toEqual(profile);
    }
  });

  test('neither a name nor a file -> an error that lists the names', () => {
    expect(() => loadProfile('stead')).toThrow(
      /'stead' is no profile: expected one of smoke, steady/,
    );
  });

  test.each([
    ['a field no profile has', { extra: 1 }, "the profile has 'extra'"],
    ['a wrong type', { connections: 'many' }, '/connections is "many"'],
    [
      'an unknown metric',
      { thresholds: [{ metric: 'p42', max: 1 }] },
      '/thresholds/0/metric is "p42": expected one of',
    ],
    ['a threshold without a bound', { thresholds: [{ metric: 'p99' }] }, 'has no bound'],
    ['no stages', { workload: { model: 'open', stages: [] } }, '/workload/stages'],
    [
      'a search that ends below its start',
      { workload: { model: 'breakpoint', startRate: 10, maxRate: 5, stepS: 1, precision: 0.1 } },
      '/workload/maxRate is 5',
    ],
  ])('%s -> an error that names it', (_what, change, words) => {
    expect(() => parseProfile({ ...BUILT_IN_PROFILES[0], ...change }, 'p.yaml')).toThrow(words);
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

  test('a threshold on a bounded figure -> replaced; on another -> added', () => {
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

  test('what does not fit -> an error', () => {
    expect(() => overrideProfile(loadProfile('closed'), { rate: 5 })).toThrow(InvalidProfileError);
    expect(() => overrideProfile(loadProfile('smoke'), { connections: 0 })).toThrow(
      InvalidProfileError,
    );
  });

  test('nothing -> the profile', () => {
    expect(overrideProfile(loadProfile('ramp'), {})).toEqual(loadProfile('ramp'));
    expect(parse(stringify(loadProfile('ramp')))).toEqual(loadProfile('ramp'));
  });
});
