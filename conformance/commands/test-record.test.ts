import { existsSync, symlinkSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import type { Report } from '../model/report.ts';
import { judgesMissingReplies } from '../model/rule.ts';
import { CATALOG } from '../rules/catalog.ts';
import { tinyAnswer, tinyService } from '../runner/tiny-service.testing.ts';
import { createCheckCommand } from './check-command.ts';
import { createTestCommand } from './test-command.ts';

/**
 * Rules whose results depend on facts about the service. A recording provides the facts from
 * lookups from the first reply on, but not the trades that discovery found.
 */
const BY_FACTS =
  /\/repeats?$|as-listed$|token-echoed$|-price$|among-sources$|router-available$|native-sides-flagged$|no-server-error$/;
const noSubject = () => Promise.reject(new Error('started'));

test('test --record, then check -> the same verdicts from the rules on replies', async () => {
  const { at, readJson } = useFolder(onTestFinished);
  const { url, close } = await serve((request, response) => {
    const url = new URL(request.url ?? '', 'http://a');
    const { body } = tinyAnswer(url);
    // For every third amount, the plan has a wrong router name.
    const isWrong =
      url.pathname.endsWith('/swap') && Number(url.searchParams.get('sellAmount')) % 3 === 0;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isWrong ? { ...(body as object), router: 7 } : body));
  });
  onTestFinished(close);
  const [recorded, run, checked] = [at('run.ndjson'), at('run.json'), at('check.json')];
  await runCommand(createTestCommand(noSubject), [
    ...[
      url,
      '--api-key',
      'a-key-0f-mine',
      '--max-requests',
      '150',
      '--record',
      recorded,
      '--report',
      `json=${run}`,
    ],
  ]);
  await runCommand(createCheckCommand(), [recorded, '--report', `json=${checked}`]);
  const onReplies = CATALOG.filter((rule) => rule.kind === 'reply' && !judgesMissingReplies(rule));
  const ofReplies = new Set(onReplies.map(({ id }) => id));
  const outcomes = (report: Report) =>
    report.rules
      .filter(({ id }) => ofReplies.has(id))
      .map(({ id, outcome, checks }) => ({ id, outcome, checks }));
  const again = outcomes(readJson('check.json'));
  // The file lacks the prices and pairs that discovery found.
  const knew = new Map(again.map((rule) => [rule.id, rule]));
  const before = outcomes(readJson('run.json')).filter(
    ({ id }) => knew.get(id)?.outcome !== 'not-applicable',
  );
  expect(before.filter(({ outcome }) => outcome === 'fail').length).toBeGreaterThan(0);
  expect(before.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(30);
  for (const { id, outcome, checks } of before) {
    expect(knew.get(id)?.outcome, id).toBe(outcome);
    if (!BY_FACTS.test(id)) expect(knew.get(id)?.checks, id).toBe(checks);
  }
});

test.skipIf(!existsSync('/dev/full'))(
  'test --record to a full disk -> the run continues and is reported, then an error names the file',
  async () => {
    const { at, read, readJson } = useFolder(onTestFinished);
    const { url, close } = await serve(tinyService);
    onTestFinished(close);
    const full = at('full.ndjson');
    symlinkSync('/dev/full', full);
    const run = runCommand(createTestCommand(noSubject), [
      ...[url, '--api-key', 'a-key-0f-mine', '--only', '2.7', '--request', '/api/v1.0/chains?a'],
      ...['--record', full, '--record', at('run.ndjson'), '--report', `json=${at('r.json')}`],
    ]);
    await expect(run).rejects.toThrow(`${full} lacks the last exchanges`);
    expect(readJson('r.json').verdict).toBe('conforming');
    expect(read('run.ndjson')).toContain('/api/v1.0/chains');
  },
);

test('--record with an unknown rule -> rejected, and the earlier recording is unchanged', async () => {
  const { read, write } = useFolder(onTestFinished);
  const recording = write('run.ndjson', 'earlier');
  const { code, text } = await runCommand(createTestCommand(noSubject), [
    ...['http://127.0.0.1:1', '--api-key', 'k', '--record', recording, '--only', 'plan/acylic'],
  ]);
  expect(code).toBe(2);
  expect(text).toContain('--only: no rule and no clause is called "plan/acylic"');
  expect(read('run.ndjson')).toBe('earlier');
});
