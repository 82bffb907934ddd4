import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { findProgram } from '../../fixtures/testing/external-programs.testing.ts';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { createCheckCommand } from '../commands/check-command.ts';
import { tinyService } from '../runner/tiny-service.testing.ts';

const KEY = 'k3y-0f-a-client';

test('a HAR that mitmproxy recorded from a client -> check judges it, without the key', async () => {
  const { at, read, readJson } = useFolder(onTestFinished);
  const service = await serve((request, response) => {
    if (!request.url?.includes('sellAmount=3')) return tinyService(request, response);
    return response.setHeader('content-type', 'application/json').end(`{"error":"${KEY}"}`);
  });
  onTestFinished(service.close);
  const proxy = spawn(
    findProgram('mitmdump'),
    [
      ...['--mode', `reverse:${service.url}`, '--listen-host', '127.0.0.1', '--listen-port', '0'],
      ...['--set', `hardump=${at('traffic.har')}`, '--set', `confdir=${at('mitmproxy')}`],
    ],
    // Otherwise, Python buffers its output and prints the port only when the program ends.
    { env: { ...process.env, PYTHONUNBUFFERED: '1' } },
  );
  onTestFinished(() => void proxy.kill('SIGKILL'));
  let output = '';
  for (const stream of [proxy.stdout, proxy.stderr]) stream.on('data', (text) => (output += text));
  const port = () => /listening at 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
  await expect.poll(port, { timeout: 60_000 }).toBeDefined();
  for (const path of [
    'chains?',
    'tokens?chainId=7&',
    'swap?sellAmount=1000&',
    'swap?sellAmount=3&',
  ])
    await fetch(`http://127.0.0.1:${port()}/api/v1.0/${path}apiKey=${KEY}`);
  proxy.kill('SIGTERM');
  await once(proxy, 'exit');
  expect(read('traffic.har')).toContain(KEY);
  const reports = ['--report', `json=${at('r.json')}`, '--report', `text=${at('r.txt')}`];
  const { code } = await runCommand(createCheckCommand(), [at('traffic.har'), ...reports]);
  expect(code).toBe(1);
  expect(readJson('r.json')).toMatchObject({ verdict: 'nonconforming', replies: 4 });
  expect(read('r.txt')).toContain('apiKey=$SWAPCHECK_API_KEY');
  expect(read('r.json') + read('r.txt')).not.toContain(KEY);
});
