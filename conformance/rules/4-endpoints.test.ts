import type { Exchange, NoReply } from '../client/exchange.ts';
import { PATHS } from '../contract/paths.ts';
import { NO_FACTS } from '../discovery/discover.ts';
import { type Given, NATIVE } from '../model/golden-replies.testing.ts';
import type { Asked, Sabotage } from '../model/model-service.testing.ts';
import { RELATION } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { on, type Row, testReplies } from '../rule-kit/replies.testing.ts';
import { answer, at, fewer, not, refuse, where } from '../rule-kit/sabotage.testing.ts';
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
): Row => [() => {}, { status: 404, query }, ...said];

testReplies(
  rules,
  on('error', [
    [{ status: 200 }, 'error/body n/a'],
    [{ status: 422 }, 'endpoint/status: 422', 'error/body n/a'],
    [{ status: 201 }, 'endpoint/status: 201'],
    [
      { status: 302, headers: { location: ['https://elsewhere.example'] } },
      'endpoint/status: 302 to "https://elsewhere.example"',
    ],
    notFound({}, 'endpoint/status: 404'),
    notFound({ sellToken: NATIVE }, 'endpoint/status: 404'),
    notFound({ sellToken: `0x${'8'.repeat(40)}` }, 'endpoint/status n/a'),
    notFound({ buyToken: undefined }, 'endpoint/status n/a'),
    notFound({ chainId: '5' }, 'endpoint/status n/a'),
    notFound({ chainId: undefined }, 'endpoint/status n/a'),
    [{ status: 404, facts: undefined }, 'endpoint/status: 404'],
    [{ status: 404, endpoint: 'chains' }, 'endpoint/status: 404'],
    [{ status: 404, endpoint: 'tokens' }, 'endpoint/status: 404'],
    [{ status: 404, endpoint: 'tokens', query: { chainId: '7' } }, 'endpoint/status n/a'],
    [{ status: 429, headers: {} }, 'endpoint/status n/a'],
    [{ status: 414, exchange: { target: LONG } }, 'endpoint/status n/a'],
    [{ status: 414, exchange: { target: LONG.slice(1) } }, 'endpoint/status: 414'],
    [{ status: 500, exchange: { method: 'POST' } }, 'endpoint/answers n/a', 'endpoint/status n/a'],
    [{ status: 500, endpoint: undefined }, 'nothing applies'],
    [{ body: 'no' }, 'error/body at the top: "no"'],
    [{ body: [], status: 500 }, 'error/body at the top: []'],
    [{ document: { kind: 'not-json', reason: 'ends in mid-value' } }, 'error/body n/a'],
    ...(['timeout', 'reset', 'protocol', 'refused'] as const).map(
      (cause): Row => [() => {}, noReply(cause), ...unanswered],
    ),
    [noReply('aborted'), 'endpoint/answers n/a'],
    [noReply('too-large'), 'endpoint/answers n/a'],
    [noReply('reset', { method: 'HEAD' }), 'endpoint/answers n/a'],
    [noReply('reset', { endpoint: undefined }), 'endpoint/answers n/a'],
    [noReply('reset', { target: LONG }), 'endpoint/answers n/a'],
    [noReply('reset', { target: LONG.slice(1) }), ...unanswered],
  ]),
);

const failsFirst =
  (times: number): Sabotage =>
  (given, { count }) =>
    count < times ? answer(500)() : given;
const startsWith =
  (name: string) =>
  ({ params }: Asked) =>
    params[0]?.[0] === name;

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
