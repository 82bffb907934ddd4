import { PATHS } from '../contract/paths.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import type { Asked, Sabotage } from '../model/model-service.testing.ts';
import { RELATION } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { answer, at, fewer, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './4-endpoints.ts';

const failsFirst =
  (times: number): Sabotage =>
  (given, { count }) =>
    count < times ? answer(500)() : given;
const startsWith =
  (name: string) =>
  ({ params }: Asked) =>
    params[0]?.[0] === name;

/** With one `&` at the end. */
const endsWithSeparator = ({ raw }: Asked) => /[^&]&$/.test(raw ?? '');
const hasSpareSeparator = ({ raw = '' }: Asked) => /^&|&&|&$/.test(raw);

testProbes(rules, {
  'endpoint/get': {
    'could not run': 'silent 500',
    fails: '404 501 401',
    cases: [
      [where(at(PATHS.chains), answer(404)), '/chains | 404 "NO"'],
      [failsFirst(1)],
      [failsFirst(2)],
      [failsFirst(3), 'could-not-run'],
      [failsFirst(3), NO_FACTS, '500 "NO"'],
    ],
    asks: ['chains'],
  },
  'endpoint/other-methods-observed': {
    asks: ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => `${method} chains`),
  },
  'relation/parameter-order': {
    ...RELATION,
    cases: [
      [where(not(startsWith('chainId')), fewer), 'fails'],
      [where(startsWith('apiKey'), fewer), 'fails'],
    ],
  },
  'relation/percent-encoding': {
    ...RELATION,
    cases: [
      [where(({ raw }) => raw?.includes('%') === true, fewer), 'fails'],
      [where(({ raw }) => /%[0-9A-F]{2}\S*=[^%]*&/.test(raw ?? ''), refuse), 'fails'],
      [where(({ raw }) => /%[0-9][a-f]/.test(raw ?? ''), fewer), 'fails'],
    ],
  },
  'relation/separator-at-end': {
    ...RELATION,
    cases: [
      [where(endsWithSeparator, fewer), 'fails'],
      [where(endsWithSeparator, refuse), 'fails'],
      [where(not(endsWithSeparator), refuse), 'fails'],
    ],
  },
  'relation/separators': {
    ...RELATION,
    cases: [
      [where(hasSpareSeparator, fewer), 'fails'],
      [where(hasSpareSeparator, answer(500)), 'fails'],
      [where(hasSpareSeparator, refuse)],
    ],
  },
  'endpoint/separators-observed': {
    'could not run': 'unknown untraded',
    cases: [],
  },
});
