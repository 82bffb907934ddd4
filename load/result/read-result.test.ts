import { expect, test } from 'vitest';
import { readLoadResult } from './read-result.ts';
import { sampleResult } from './sample-result.testing.ts';

test('a result that lacks a field -> rejected, with what to do', () => {
  const { series, ...rest } = sampleResult();
  const text = JSON.stringify({ ...rest, series: series.map(({ sent: _, ...each }) => each) });
  expect(() => readLoadResult(text, 'old.json')).toThrow(
    /^old\.json is not a load result: \/series\/0 must have .*'sent'\. Run the profile again with this version$/,
  );
  expect(() => readLoadResult('{"kind":"study"}', 'x.json')).toThrow(/^x\.json is not .*'\w+'$/);
});
