import { testProbes } from '../rule-kit/probes.testing.ts';
import { answer } from '../rule-kit/sabotage.testing.ts';
import { rules } from './5-authentication.ts';

const operations = ['chains', 'tokens', 'chainInfo', 'swap'];

testProbes(rules, {
  'keys/key-is-enough': {
    'could not run': 'silent',
    fails: '401',
    cases: [
      [answer(403), 'no further credential | 403 "NO"'],
      [answer(407), 'no further credential | 407 "NO"'],
      [
        (given) => ({ ...given, headers: { 'www-authenticate': ['Basic'] } }),
        'no further credential | 200',
      ],
    ],
    asks: operations,
  },
  'keys/missing-observed': {
    asks: operations.flatMap((operation) => [`${operation} -apiKey`, `${operation} apiKey=`]),
  },
  'keys/invalid-observed': {
    asks: operations.flatMap((operation) => [
      `${operation} apiKey=swapcheck-unknown-key`,
      `${operation} apiKey twice`,
    ]),
  },
});
