import { expect, test } from 'vitest';
import { readLoadResult } from './read-result.ts';
import { sampleResult } from './sample-result.testing.ts';

test('a result with the field names before 0.1.0 -> the same result', () => {
  const result = {
    ...sampleResult(),
    omitted: ['swap rfq: this service does not support such requests'],
    rateRequested: 100,
  };
  const before = JSON.stringify(result)
    .replaceAll('"omitted":', '"leftOut":')
    .replaceAll('"rateRequested":', '"rateAsked":')
    .replaceAll('"requested":', '"asked":')
    .replaceAll('"succeeded":', '"answered":');
  expect(before).not.toContain('"requested":');
  expect(readLoadResult(before, 'old.json')).toEqual(JSON.parse(JSON.stringify(result)));
});
