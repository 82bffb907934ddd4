import { expect, test } from 'vitest';
import { NO_FACTS } from '../../conformance/discovery/discover.ts';
import { prepareJudge } from './load-judge.ts';

test.each([
  [503, 'full', []],
  [302, '', []],
  [500, '[]', ['error/body']],
])('%d with the body `%s` -> the body is judged, but the status is not', (status, body, broken) => {
  const judge = prepareJudge(NO_FACTS);
  const faults = judge({
    target: '/api/v1.0/chains?apiKey=',
    status,
    rawHeaders: ['content-type', 'application/json'],
    body: Buffer.from(body),
  });
  expect(faults.map(({ rule }) => rule)).toEqual(broken);
});
