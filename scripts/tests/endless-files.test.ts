import { execFileSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { createProgram } from '../cli/program.ts';

/**
 * Every way in which a command line names a file to read. `FILE` is replaced by a pipe that nobody
 * writes, a device without an end, and a file larger than any limit.
 */
const READERS: readonly (readonly string[])[] = [
  ['test', 'http://127.0.0.1:1', '--last-failed', 'FILE'],
  ['test', 'http://127.0.0.1:1', '--waivers', 'FILE'],
  ['test', 'http://127.0.0.1:1', '--rules', 'FILE'],
  ['test', 'http://127.0.0.1:1', '--config', 'FILE'],
  ['test', 'http://127.0.0.1:1', '--ca', 'FILE'],
  ['test', 'http://127.0.0.1:1', '--client-cert', 'FILE', '--client-key', 'FILE'],
  ['test', 'http://127.0.0.1:1', '--fork', '1=@FILE'],
  ['check', 'FILE'],
  ['replay', 'FILE'],
  ['load', 'http://127.0.0.1:1', '--profile', 'FILE'],
  ['load', 'merge', 'FILE', 'FILE'],
  ['compare', 'FILE', 'FILE'],
  ['study', 'http://127.0.0.1:1', '--fork', '1=http://127.0.0.1:1', '--market', 'FILE'],
  ['serve', '--port', '0', '--market', 'FILE'],
  ['serve', '--port', '0', '--pools', 'FILE', '--rpc', '1=http://127.0.0.1:1'],
  ['serve', '--port', '0', '--api-key-file', 'FILE'],
  ['route', '--market', 'FILE', '--sell', 'A', '--buy', 'B', '--sell-amount', '1'],
];

const REASON =
  /not a regular file|neither a file nor a folder|is larger than \d+ MiB|is too long|it is larger than 1 MiB/;

test.each(READERS.map((args) => [args.join(' '), args] as const))(
  '%s: a pipe, a device, a file of 8 GiB -> exit 2 at once, and the path in the error',
  async (_, args) => {
    const { at, write } = useFolder(onTestFinished);
    execFileSync('mkfifo', [at('pipe')]);
    truncateSync(write('huge', ''), 2 ** 33);
    const files = [at('pipe'), '/dev/zero', ...(args.includes('--rules') ? [] : [at('huge')])];
    for (const file of files) {
      const words = args.map((each) => each.replace('FILE', file));
      const { code, stderr } = await runCommand(await createProgram(words), words);
      expect([code, stderr]).toEqual([2, expect.stringMatching(REASON)]);
      expect(stderr).toContain(file);
    }
  },
);
