import { expect, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { sampleStudy } from '../report/sample-study.testing.ts';
import { readEarlierStudy } from './earlier-study.ts';

const { write } = useFolder();

test('a study with the field names before 0.1.0 -> the same study', () => {
  const text = JSON.stringify(sampleStudy());
  const names = { metrics: 'figures', distinguished: 'told', rejections: 'refusals' };
  const before = Object.entries({ ...names, requested: 'asked' })
    .reduce((json, [now, old]) => json.replaceAll(`"${now}":`, `"${old}":`), text)
    .replaceAll('"kind":"rejected"', '"kind":"refused"');
  expect(before).toContain('"kind":"refused"');
  const urls = sampleStudy().services.map(({ url }) => url);
  expect(readEarlierStudy(write('old.json', before), urls)).toEqual(JSON.parse(text));
});
