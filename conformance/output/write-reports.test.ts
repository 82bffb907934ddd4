import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReportWriteError, writeReports } from './write-reports.ts';

let folder: string;
let printed: string[];
const stdout = { write: (text: string) => void printed.push(text), style: {} };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reports-'));
  printed = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A request for a report that says its format and its subject. */
function request(format: string, path: string) {
  const write = (subject: string) => `${subject} as ${format}`;
  return { format, path, load: async () => ({ write }) };
}

describe('writeReports', () => {
  test('files in folders that do not exist, and standard output -> all written, nothing else left', async () => {
    const json = join(folder, 'a', 'b', 'r.json');
    const html = join(folder, 'r.html');
    const requests = [request('json', json), request('text', '-'), request('html', html)];
    expect(await writeReports('a run', requests, stdout)).toEqual([json, html]);
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
    await writeReports('a run', [request('json', link)], stdout);
    expect(readFileSync(path, 'utf8')).toBe('a run as json');
    expect(readdirSync(folder).sort()).toEqual(['link.json', 'r.json']);
  });

  test('a device -> written to, not replaced', async () => {
    await writeReports('a run', [request('json', '/dev/null')], stdout);
    expect(readFileSync('/dev/null', 'utf8')).toBe('');
  });

  test('a path that cannot be written -> the others are written, then an error names it', async () => {
    const blocked = join(folder, 'file');
    writeFileSync(blocked, '');
    chmodSync(blocked, 0o444);
    const good = join(folder, 'r.json');
    const bad = join(blocked, 'r.xml');
    const run = writeReports('a run', [request('junit', bad), request('json', good)], stdout);
    await expect(run).rejects.toThrow(ReportWriteError);
    await expect(run).rejects.toThrow(`could not write junit to ${bad}: `);
    expect(readFileSync(good, 'utf8')).toBe('a run as json');
  });
});
