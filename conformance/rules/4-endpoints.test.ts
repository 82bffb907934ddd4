import type { Exchange, NoReply } from '../client/exchange.ts';
import { PATHS } from '../contract/paths.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import { type Given, goldenError, NATIVE } from '../model/golden-replies.testing.ts';
import type { Asked, Sabotage } from '../model/model-service.testing.ts';
import { RELATION } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probe-table.testing.ts';
import { asItIs, type Row, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { answer, at, fewer, not, where } from '../rule-kit/sabotage.testing.ts';
import { rules } from './4-endpoints.ts';

const noReply = (cause: NoReply['cause'], around: Partial<Exchange> = {}): Given => ({
  exchange: { outcome: { kind: 'no-reply', cause, message: 'It took too long.' }, ...around },
});
const unanswered = ['endpoint/answers: It took too long.'];
const LONG = 'x'.repeat(4_000);
/** 404 to what was asked for with other parameters. */
const notFound = (
  query: Readonly<Record<string, string | undefined>>,
  ...said: readonly string[]
): Row => [asItIs, said, { status: 404, query }];

testReplyRules(rules, [
  [
    goldenError,
    { status: 400 },
    [
      [asItIs, []],
      [asItIs, ['error/body n/a'], { status: 200 }],
      [asItIs, ['endpoint/status: 422', 'error/body n/a'], { status: 422 }],
      [asItIs, ['endpoint/status: 201'], { status: 201 }],
      [
        asItIs,
        ['endpoint/status: 302 to "https://elsewhere.example"'],
        { status: 302, headers: { location: ['https://elsewhere.example'] } },
      ],
      notFound({}, 'endpoint/status: 404'),
      notFound({ sellToken: NATIVE }, 'endpoint/status: 404'),
      notFound({ sellToken: `0x${'8'.repeat(40)}` }, 'endpoint/status n/a'),
      notFound({ buyToken: undefined }, 'endpoint/status n/a'),
      notFound({ chainId: '5' }, 'endpoint/status n/a'),
      notFound({ chainId: undefined }, 'endpoint/status n/a'),
      [asItIs, ['endpoint/status: 404'], { status: 404, facts: undefined }],
      [asItIs, ['endpoint/status: 404'], { status: 404, endpoint: 'chains' }],
      [asItIs, ['endpoint/status: 404'], { status: 404, endpoint: 'tokens' }],
      [
        asItIs,
        ['endpoint/status n/a'],
        { status: 404, endpoint: 'tokens', query: { chainId: '7' } },
      ],
      [asItIs, ['endpoint/status n/a'], { status: 401, withKey: false }],
      [asItIs, ['endpoint/status: 401'], { status: 401, withKey: false, origin: 'captured' }],
      [asItIs, ['endpoint/status n/a'], { status: 429, headers: {} }],
      [asItIs, ['endpoint/status n/a'], { status: 414, exchange: { target: LONG } }],
      [asItIs, ['endpoint/status: 414'], { status: 414, exchange: { target: LONG.slice(1) } }],
      [
        asItIs,
        ['endpoint/answers n/a', 'endpoint/status n/a'],
        { status: 500, exchange: { method: 'POST' } },
      ],
      [asItIs, ['nothing applies'], { status: 500, endpoint: undefined }],
      [asItIs, ['error/body at the top: "no"'], { body: 'no' }],
      [asItIs, ['error/body at the top: []'], { body: [], status: 500 }],
      [asItIs, ['error/body n/a'], { document: { kind: 'not-json', reason: 'ends in mid-value' } }],
      ...(['timeout', 'reset', 'too-large', 'protocol', 'refused'] as const).map(
        (cause): Row => [asItIs, unanswered, noReply(cause)],
      ),
      [asItIs, ['endpoint/answers n/a'], noReply('aborted')],
      [asItIs, ['endpoint/answers n/a'], noReply('reset', { method: 'HEAD' })],
      [asItIs, ['endpoint/answers n/a'], noReply('reset', { endpoint: undefined })],
      [asItIs, ['endpoint/answers n/a'], noReply('reset', { target: LONG })],
      [asItIs, unanswered, noReply('reset', { target: LONG.slice(1) })],
    ],
  ],
]);

const failsFirst =
  (times: number): Sabotage =>
  (given, { count }) =>
    count < times ? answer(500)() : given;
const startsWith =
  (name: string) =>
  ({ params }: Asked) =>
    params[0]?.[0] === name;

testProbes(rules, {
  'endpoint/get': {
    'could not run': 'silent 500',
    fails: '404 501 401',
    cases: [
      [where(at(PATHS.chains), answer(404)), ['/chains | 404 "NO"']],
      [failsFirst(1), []],
      [failsFirst(2), []],
      [failsFirst(3), ['could-not-run']],
      [failsFirst(3), ['500 "NO"'], NO_FACTS],
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
    cases: [[where(({ raw }) => raw?.includes('%') === true, fewer), 'fails']],
  },
});
