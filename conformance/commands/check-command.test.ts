import { execFileSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { TINY_BODIES } from '../runner/tiny-service.testing.ts';
import { createCheckCommand } from './check-command.ts';

const check = (...args: readonly string[]) => runCommand(createCheckCommand(), args);

test('a single reply without a failure -> not called conforming; the verdict names the reply, and the rules that had nothing to judge', async () => {
  const { at, readJson, write } = useFolder(onTestFinished);
  write('chains.json', TINY_BODIES.chains);
  const formats = ['text', `json=${at('r.json')}`].flatMap((each) => ['--report', each]);
  const { code, stdout } = await check(at('chains.json'), ...formats);
  expect(code).toBe(0);
  const { verdict, reason, summary } = readJson('r.json');
  expect(verdict).toBe('no-failure');
  expect(reason).toMatch(
    new RegExp(
      `^${summary.must.pass} \`must\` rules passed in 1 captured reply \\(1 of /chains\\)\\. ` +
        `No reply showed what ${summary.must.notApplicable} \`must\` rules judge: `,
    ),
  );
  expect(stdout).toContain(`NO FAILURE FOUND: ${reason}`);
});

test('a failed `should` rule -> counted in the verdict of every output', async () => {
  const { at, readJson, write } = useFolder(onTestFinished);
  const [chain] = TINY_BODIES.chains as readonly object[];
  write('chains.json', [{ ...chain, name: '' }]);
  const formats = ['text', `json=${at('r.json')}`, `markdown=${at('r.md')}`];
  await check(at('chains.json'), ...formats.flatMap((each) => ['--report', each]));
  const { reason, summary } = readJson('r.json');
  expect(summary.should.fail).toBeGreaterThan(0);
  expect(reason).toContain(`; ${summary.should.fail} \`should\` `);
});

test('a device, a pipe or a file that is too long -> exit 2 at once', async () => {
  const { at, write } = useFolder(onTestFinished);
  const neither = 'is neither a file nor a folder: pipe it into swapcheck check -';
  expect(await check('/dev/zero')).toMatchObject({ code: 2, stderr: `/dev/zero ${neither}` });
  execFileSync('mkfifo', [at('pipe.ndjson')]);
  expect(await check(at('pipe.ndjson'))).toMatchObject({
    code: 2,
    stderr: `${at('pipe.ndjson')} ${neither}`,
  });
  truncateSync(write('long.har', ''), 2 ** 33);
  expect(await check(at('long.har'))).toMatchObject({
    code: 2,
    stderr: `${at('long.har')} is too long to be read as one document: convert it to .ndjson`,
  });
});
