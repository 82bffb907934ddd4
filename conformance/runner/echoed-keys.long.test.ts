import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../client/in-process.testing.ts';
import { MARKET_GENERATOR, type RequestGenerator } from '../generate/generator.ts';
import { coverMarket } from '../generate/traffic.ts';
import type { Report } from '../model/report.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import { DISTINCT_RULES } from './distinct-rules.testing.ts';
import { judgeService } from './judge-service.testing.ts';
import { tinyAnswer } from './tiny-service.testing.ts';

/*
 * Services that echo the key in all their text. Whatever the key is, no report may contain it, and
 * our own words must remain unchanged.
 */

const isLong = process.env['SWAPCHECK_LONG'] === '1';

type Change = (answer: Answer, apiKey: string) => Answer;

function answerOf(url: URL): Answer {
  const amount = url.searchParams.get('sellAmount') ?? '1000';
  const isBroken = url.pathname.endsWith('/swap') && !/^[1-9][0-9]{0,30}$/.test(amount);
  return isBroken ? { status: 400, body: { error: 'REFUSED', message: 'no' } } : tinyAnswer(url);
}

function mapStrings(value: unknown, change: (text: string, name: string) => unknown): unknown {
  const walk = (each: unknown, name: string): unknown => {
    if (typeof each === 'string') return change(each, name);
    if (Array.isArray(each)) return each.map((item) => walk(item, name));
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, item]) => [key, walk(item, key)]));
  };
  return walk(value, '');
}

async function judge(change: Change, apiKey: string): Promise<Report> {
  const traffic: RequestGenerator['traffic'] = (facts, seed) =>
    [...coverMarket(facts, seed)].slice(0, 60);
  const { report } = await judgeService(
    (url) => change(answerOf(url), url.searchParams.get('apiKey') ?? ''),
    { apiKey, rules: DISTINCT_RULES, generator: { ...MARKET_GENERATOR, traffic } },
  );
  return report;
}

const isAmount = (name: string) => name === 'amount';
const ECHOES: Readonly<Record<string, Change>> = {
  'every text': (answer, key) => ({ ...answer, body: mapStrings(answer.body, () => key) }),
  'behind every text but amounts': (answer, key) => ({
    ...answer,
    body: mapStrings(answer.body, (text, name) => (isAmount(name) ? text : `${text}-${key}`)),
  }),
  'before every amount': (answer, key) => ({
    ...answer,
    body: mapStrings(answer.body, (text, name) => (isAmount(name) ? `${key}${text}` : text)),
  }),
  'names of plans alone': (answer, key) => ({
    ...answer,
    body: mapStrings(answer.body, (text, name) =>
      ['name', 'symbol', 'aggregator', 'error', 'message'].includes(name) ? key : text,
    ),
  }),
  'names of fields, twice': (answer, key) => {
    const text = JSON.stringify(answer.body);
    const name = JSON.stringify(key);
    return { ...answer, body: text.replaceAll('{', `{${name}:{${name}:1,${name}:${name}},`) };
  },
  'a page that is no JSON': (_, key) => ({
    body: `<html>"${key}" ${key} ${Buffer.from(key).toString('base64')}</html>`,
    headers: { 'content-type': `text/html; ${encodeURIComponent(key)}` },
  }),
  'a redirect': (_, key) => ({
    status: 302,
    body: {},
    headers: { location: `/login?key=${encodeURIComponent(key)}` },
  }),
  'every Error': (_, key) => ({ status: 400, body: { error: key, message: `no ${key}` } }),
  'an Error with 200': (_, key) => ({ body: { error: key, message: `${key}` } }),
};

function encodings(key: string): readonly string[] {
  const html = key.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const json = JSON.stringify(key).slice(1, -1);
  const bytes = Buffer.from(key);
  return [
    key,
    encodeURIComponent(key),
    json,
    html,
    bytes.toString('hex'),
    bytes.toString('base64'),
  ];
}

const KEYS = ['Ж7q~', 'k"3&', 'zq7xk'];
/**
 * Pairs of a key and an echo. The default run tries each echo with one of the keys; the long run
 * tries every pair.
 */
const PAIRS = Object.entries(ECHOES).flatMap(([what, change], at) =>
  KEYS.flatMap((key, index) =>
    isLong || index === at % KEYS.length ? [[key, what, change] as const] : [],
  ),
);

test.each(PAIRS)('the key %s, echoed as %s -> in no report', async (apiKey, _, change) => {
  const report = await judge(change, apiKey);
  expect(report.replies).toBeGreaterThan(50);
  for (const [format, { load }] of Object.entries(REPORT_FORMATS)) {
    const { write } = await load();
    const text = write(report);
    const leaked = encodings(apiKey).filter((encoding) => text.includes(encoding));
    expect([format, leaked.map((each) => excerptAround(text, each))]).toEqual([format, []]);
  }
});

function excerptAround(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(Math.max(0, at - 60), at + 60);
}

describe('keys that occur in our own words', () => {
  const broken: Change = ({ status = 200, body }) => ({
    status,
    body: mapStrings(body, (text, name) =>
      name === 'amount' ? `0${text}` : name === 'address' ? '' : name === 'message' ? null : text,
    ),
    headers: { 'content-type': 'text/plain' },
  });
  const ours = ({ reason, rules }: Report) => [
    reason,
    ...rules.flatMap(({ id, title, clauseWords, outcome, why, observed, failures }) =>
      [
        [id, title, clauseWords, outcome, why, ...(observed ?? []).map(({ text }) => text)],
        ...failures.map(({ expected, actual, pointer }) => [expected, actual, pointer]),
      ].map((texts) => texts.map((text) => text?.replace(/"(?:[^"\\]|\\.)*"?/g, '""')).join(' | ')),
    ),
  ];

  let expected: Report;
  beforeAll(async () => {
    expected = await judge(broken, 'zq7xk-0815-secret');
  });

  test.each(['a', '1', 'swap', 'plan', '0x'])('%s -> our words are unchanged', async (apiKey) => {
    const actual = await judge(broken, apiKey);
    expect(expected.rules.filter(({ outcome }) => outcome === 'fail').length).toBeGreaterThan(8);
    expect(ours(actual)).toEqual(ours(expected));
    expect(actual.target).toBe('http://service.example');
  });
});
