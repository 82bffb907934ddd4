import { expect, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { sampleStudy } from '../report/sample-study.testing.ts';
import { finishedTrades, readEarlierStudy } from './earlier-study.ts';

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

test('trades that failed, or lack a block -> requested again, unless the study was complete', () => {
  const study = sampleStudy();
  const [first, second, third, ...others] = study.trades;
  if (first === undefined || second === undefined || third === undefined) throw new Error('few');
  const failed = { ...first, answers: [{ kind: 'failed' as const, why: 'no reply' }] };
  const [answer] = second.answers;
  if (answer?.kind !== 'quoted') throw new Error('no quote');
  const cut = { ...second, answers: [{ ...answer, outcomes: answer.outcomes.slice(1) }] };
  const trades = [failed, cut, third, ...others];
  const ended = { ...study, verdict: 'incomplete' as const, trades };
  expect(finishedTrades(ended)).toEqual([third, ...others]);
  expect(finishedTrades({ ...ended, verdict: 'complete' })).toEqual(trades);
});
