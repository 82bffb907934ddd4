import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { shortProfile } from '../../load/distributed/exports.testing.ts';

const run = promisify(execFile);

describe('npm run build:binary', { timeout: 600_000 }, () => {
  const { at, read, readJson, write } = useFolder();
  const executable = at('binary', process.platform === 'win32' ? 'swapcheck.exe' : 'swapcheck');
  /** The PATH contains no program, not even Node. */
  const swapcheck = (...args: readonly string[]) =>
    run(executable, args, {
      cwd: at(),
      env: { PATH: at('nothing'), HOME: at('home'), XDG_CACHE_HOME: at('cache') },
    });

  beforeAll(async () => {
    const script = fileURLToPath(new URL('build-binary.ts', import.meta.url));
    await run(process.execPath, ['--import', 'tsx', script, at('binary')]);
  }, 600_000);

  test('--version and a wrong option -> the same output as from the package', async () => {
    expect((await swapcheck('--version')).stdout).toBe('0.1.0\n');
    await expect(swapcheck('test', '--sed', '1')).rejects.toMatchObject({ code: 2 });
    await expect(run('node', ['--version'], { env: { PATH: at('nothing') } })).rejects.toThrow();
  });

  test('the embedded reference, settled by the bundled Anvil -> conforming, and reports are written', async () => {
    await swapcheck(
      ...['test', '--only', 'execution/settles', '--report', 'json=out/report.json'],
      ...['--report', 'html=out/report.html'],
    );
    const report = readJson('out/report.json');
    expect(report.verdict).toBe('conforming');
    expect(report.rules[0]).toMatchObject({ id: 'execution/settles', outcome: 'pass' });
    expect(read('out/report.html')).toContain('conforming');
  });

  test('explain -> the page of a rule', async () => {
    expect((await swapcheck('explain', 'plan/acyclic')).stdout).toContain('Harm to clients');
  });

  test('serve -> the page at /, and its script', async () => {
    const serving = execFile(executable, ['serve', '--port', '0'], {
      env: { PATH: at('nothing'), HOME: at('home'), XDG_CACHE_HOME: at('cache') },
    });
    let output = '';
    serving.stderr?.on('data', (text) => {
      output += text;
    });
    try {
      await expect.poll(() => output).toMatch(/http:\S+/);
      const url = /http:\/\/[\w.]+:\d+/.exec(output)?.[0] ?? '';
      const page = await (await fetch(url)).text();
      const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? [];
      const reply = await fetch(new URL(script, url));
      expect(reply.headers.get('content-type')).toMatch(/javascript/);
      expect(await reply.text()).toContain('viem');
    } finally {
      serving.kill();
    }
  });

  test('load, in separate processes -> a report', async () => {
    const profile = write('profile.json', shortProfile(2));
    await swapcheck('load', '--profile', profile, '--report', 'html=out/load.html');
    expect(read('out/load.html')).toContain('uPlot');
  });

  test('NOTICES.txt -> the licenses of the bundled packages', () => {
    const notices = read('binary/NOTICES.txt');
    for (const name of ['viem', 'koa', 'ajv', 'uplot']) {
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+, `, 'm'));
    }
    expect(existsSync(at('binary', 'blob'))).toBe(false);
  });
});
