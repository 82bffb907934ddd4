import { expect, test } from 'vitest';
import { formatFailure } from './failure-parts.ts';
import { sampleFailure } from './sample-report.testing.ts';

test('a reply that belongs to another request -> its request and the ignored parameters', () => {
  const failure = sampleFailure({
    belongsTo: { part: 'reply', exchange: 812, target: '/', ignored: ['sellAmount'] },
  });
  expect(formatFailure(failure)).toContain(
    'Cause: this is the reply of request 812, which differs only in `sellAmount`: perhaps the key of a cache lacks it',
  );
});

test.each([
  ['fails', 1, 1, 'Alone: fails again'],
  ['fails-after-another', 2, 1, 'Alone: passes; fails only after the request that the command'],
  ['intermittent', 3, 0, 'Alone: intermittent: it failed again in 0 of 3 repeats'],
] as const)('a repeat that %s -> says so', (outcome, sent, failed, text) => {
  const failure = sampleFailure({ repeat: { outcome, requests: ['/a'], sent, failed } });
  expect(formatFailure(failure)).toContain(text);
});

test('repeats that could not be judged -> how many, and the reply', () => {
  const repeat = { requests: ['/a'], sent: 3, failed: 0 };
  const textWith = (outcome: 'intermittent' | 'not-judged', replies: number) =>
    formatFailure(
      sampleFailure({ repeat: { ...repeat, outcome, unjudged: { replies, reply: 'status 500' } } }),
    );
  expect(textWith('not-judged', 3)).toContain(
    'Alone: unclear: 3 of 3 repeats could not be judged (status 500)',
  );
  expect(textWith('intermittent', 1)).toContain(
    'failed again in 0 of 3 repeats, and 1 of 3 repeats could not be judged (status 500)',
  );
});

test.each([
  ['fails', "Again: failed when all of the rule's requests were sent again"],
  ['intermittent', "Again: intermittent: passed when all of the rule's requests were sent again"],
] as const)('a repeat of all requests of a rule that %s -> says so', (outcome, text) => {
  expect(formatFailure(sampleFailure({ repeat: { outcome } }))).toContain(text);
});
