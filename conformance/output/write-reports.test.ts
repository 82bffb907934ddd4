import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { UsageError } from './usage-error.ts';
import { publishReports, ReportWriteError, tryReportPaths } from './write-reports.ts';

let folder: string;
let printed: string[];
const stdout = { write: (text: string) => printed.push(text) > 0, isTTY: false };

beforeEach(() => {
  folder = useFolder(onTestFinished).folder;
  printed = [];
});

function request(format: string, path: string) {
  const write = (subject: string) => `${subject} as ${format}`;
  return { format, path, load: async () => ({ write }) };
}

/** On Windows, file modes do not contain permissions. */
const onPosix = test.skipIf(process.platform === 'win32');

describe('publishReports', () => {
  test('files in missing folders, and standard output -> all reports are written, and no other file remains', async () => {
    const json = join(folder, 'a', 'b', 'r.json');
    const html = join(folder, 'r.html');
    const requests = [request('json', json), request('text', '-'), request('html', html)];
    await publishReports('a run', requests, { stdout });
    expect(readFileSync(html, 'utf8')).toBe('a run as html');
    expect(readFileSync(json, 'utf8')).toBe('a run as json');
    expect(printed).toEqual(['a run as text']);
    expect(readdirSync(folder).sort()).toEqual(['a', 'r.html']);
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['r.json']);
  });

  test('a file that exists, or a link to one -> replaced', async () => {
    const path = join(folder, 'r.json');
    const link = join(folder, 'link.json');
    writeFileSync(path, 'old');
    symlinkSync(path, link);
    await publishReports('a run', [request('json', link)], { stdout });
    expect(readFileSync(path, 'utf8')).toBe('a run as json');
    expect(readdirSync(folder).sort()).toEqual(['link.json', 'r.json']);
  });

  onPosix.each([
    ['a', 'r.json'],
    ['the longest', `${'a'.repeat(250)}.json`],
  ])(
    '%s name of a file that only its owner can read -> replaced by a file with the same permissions',
    async (_, name) => {
      const path = join(folder, name);
      writeFileSync(path, 'old', { mode: 0o600 });
      const requests = [request('json', path)];
      await tryReportPaths(requests);
      await publishReports('a run', requests, { stdout });
      expect(readFileSync(path, 'utf8')).toBe('a run as json');
      expect(statSync(path).mode & 0o777).toBe(0o600);
    },
  );

  test('two reports written to one path at the same time -> one of the reports, complete', async () => {
    const path = join(folder, 'r.json');
    const runs = ['one', 'two'].map((run) =>
      publishReports(run, [request('json', path)], { stdout }),
    );
    await Promise.all(runs);
    expect(readFileSync(path, 'utf8')).toMatch(/^(one|two) as json$/);
    expect(readdirSync(folder)).toEqual(['r.json']);
  });

  onPosix('a file in a folder that is not writable -> written directly', async () => {
    const path = join(folder, 'r.json');
    const requests = [request('json', path)];
    writeFileSync(path, 'something longer than the report');
    chmodSync(path, 0o666);
    chmodSync(folder, 0o555);
    // File permissions do not apply to root.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      await tryReportPaths(requests);
      await publishReports('a run', requests, { stdout });
      await expect(tryReportPaths([request('html', join(folder, 'new.html'))])).rejects.toThrow(
        UsageError,
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(folder, 0o755);
    }
    expect(readFileSync(path, 'utf8')).toBe('a run as json');
    expect(readdirSync(folder)).toEqual(['r.json']);
  });

  test('a device -> written directly, not replaced', async () => {
    await publishReports('a run', [request('json', '/dev/null')], { stdout });
    expect(readFileSync('/dev/null', 'utf8')).toBe('');
  });

  onPosix('a pipe without a reader -> an error at once', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const requests = [request('json', path)];
    await tryReportPaths(requests);
    await expect(publishReports('a run', requests, { stdout })).rejects.toThrow(
      `could not write json to ${path}: nothing reads from this pipe`,
    );
  });

  onPosix('a pipe whose reader is slower than the report -> the whole report', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const reader = spawn('sh', ['-c', 'sleep 0.3; wc -c'], {
      stdio: [openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), 'pipe', 'inherit'],
    });
    const subject = 'x'.repeat(1_000_000);
    await publishReports(subject, [request('json', path)], { stdout });
    expect(Number(await text(reader.stdout as Readable))).toBe(`${subject} as json`.length);
  });

  test('a path that cannot be written -> the other reports are written, then an error names the path', async () => {
    const blocked = join(folder, 'file');
    writeFileSync(blocked, '');
    chmodSync(blocked, 0o444);
    const good = join(folder, 'r.json');
    const bad = join(blocked, 'r.xml');
    const run = publishReports('a run', [request('junit', bad), request('json', good)], { stdout });
    await expect(run).rejects.toThrow(ReportWriteError);
    await expect(run).rejects.toThrow(`could not write junit to ${bad}: `);
    expect(readFileSync(good, 'utf8')).toBe('a run as json');
  });
});
