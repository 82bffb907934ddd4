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
