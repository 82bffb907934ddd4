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
import { REPORT_FORMATS } from '../report/formats.ts';
import { writeJson } from '../report/json.ts';
import { sampleReport } from '../report/sample-report.testing.ts';
import { ReportWriteError, writeReports } from './write-reports.ts';

let folder: string;
let printed: string[];
const stdout = { write: (text: string) => void printed.push(text), colour: false };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reports-'));
  printed = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('writeReports', () => {
  test('files in folders that do not exist, and standard output -> all written, nothing else left', async () => {
    const json = join(folder, 'a', 'b', 'r.json');
    const html = join(folder, 'r.html');
    const written = await writeReports(
      sampleReport(),
      [
        { format: 'json', path: json },
        { format: 'text', path: '-' },
        { format: 'html', path: html },
      ],
      REPORT_FORMATS,
      stdout,
    );
    expect(written).toEqual([json, html]);
    expect(readFileSync(json, 'utf8')).toBe(writeJson(sampleReport()));
    expect(printed).toEqual([REPORT_FORMATS.text.write(sampleReport())]);
    expect(readdirSync(folder).sort()).toEqual(['a', 'r.html']);
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['r.json']);
  });

  test('a file that exists, or a link to one -> replaced', async () => {
    const path = join(folder, 'r.json');
    const link = join(folder, 'link.json');
    writeFileSync(path, 'old');
    symlinkSync(path, link);
    await writeReports(sampleReport(), [{ format: 'json', path: link }], REPORT_FORMATS, stdout);
    expect(readFileSync(path, 'utf8')).toBe(writeJson(sampleReport()));
    expect(readdirSync(folder).sort()).toEqual(['link.json', 'r.json']);
  });

  test('a device -> written to, not replaced', async () => {
    await writeReports(
      sampleReport(),
      [{ format: 'json', path: '/dev/null' }],
      REPORT_FORMATS,
      stdout,
    );
    expect(readFileSync('/dev/null', 'utf8')).toBe('');
  });

  test('a path that cannot be written -> the others are written, then an error names it', async () => {
    const blocked = join(folder, 'file');
    writeFileSync(blocked, '');
    chmodSync(blocked, 0o444);
    const good = join(folder, 'r.json');
    const bad = join(blocked, 'r.xml');
    const run = writeReports(
      sampleReport(),
      [
        { format: 'junit', path: bad },
        { format: 'json', path: good },
      ],
      REPORT_FORMATS,
      stdout,
    );
    await expect(run).rejects.toThrow(ReportWriteError);
    await expect(run).rejects.toThrow(`could not write junit to ${bad}: `);
    expect(readFileSync(good, 'utf8')).toBe(writeJson(sampleReport()));
  });
});
