import { access, constants, mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ReportRequest } from './report-formats.ts';
import { wantsColour } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Where text for `-` goes, and whether it may be coloured. */
export type StandardOutput = {
  readonly write: (text: string) => void;
  readonly colour: boolean;
};

/**
 * Writes every report asked for and returns the paths of the files. A file
 * appears whole or not at all; one that cannot be written does not keep the
 * others from being written.
 *
 * @throws ReportWriteError after the last report, when some could not be written.
 */
export async function writeReports<Subject>(
  subject: Subject,
  requests: readonly ReportRequest<Subject>[],
  stdout: StandardOutput,
): Promise<readonly string[]> {
  const written: string[] = [];
  const failed: string[] = [];
  const causes: unknown[] = [];
  for (const { format, path, load } of requests) {
    try {
      const { write } = await load();
      if (path === '-') {
        stdout.write(write(subject, stdout.colour));
        continue;
      }
      await replaceFile(path, write(subject));
      written.push(path);
    } catch (cause) {
      failed.push(`${format} to ${path}: ${cause instanceof Error ? cause.message : cause}`);
      causes.push(cause);
    }
  }
  if (failed.length > 0) throw new ReportWriteError(failed, causes);
  return written;
}

/**
 * Makes sure, before a run, that its reports can be written: folders are made,
 * and a file is put beside where each is to stand.
 *
 * @throws {UsageError} naming the path where that is not so.
 */
export async function tryReportPaths(
  requests: readonly Pick<ReportRequest<never>, 'format' | 'path'>[],
): Promise<void> {
  for (const { format, path } of requests) {
    if (path === '-') continue;
    try {
      await tryPath(path);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : cause;
      throw new UsageError(`--report ${format}=${path} cannot be written: ${why}`, { cause });
    }
  }
}

async function tryPath(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory() === true) throw new Error('it is a folder');
  // A pipe must not be opened before there is something to write.
  if (existing !== undefined && !existing.isFile()) return access(path, constants.W_OK);
  const target = existing === undefined ? path : await realpath(path);
  const temporary = temporaryBeside(target);
  await writeFile(temporary, '');
  await rm(temporary);
}

/** Writes the reports that a command was asked for and returns the paths of the files. */
export function publishReports<Subject>(
  subject: Subject,
  requests: readonly ReportRequest<Subject>[],
): Promise<readonly string[]> {
  return writeReports(subject, requests, {
    write: (text) => process.stdout.write(text),
    colour: wantsColour(process.stdout, process.env),
  });
}

/** Leaves out the text on standard output. */
export function withoutShownText<Subject>(
  requests: readonly ReportRequest<Subject>[],
): readonly ReportRequest<Subject>[] {
  return requests.filter(({ format, path }) => format !== 'text' || path !== '-');
}

/** Writes a file by renaming a finished one; what is no plain file (a pipe, `/dev/stdout`) is written to. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const existing = await stat(path).catch(() => undefined);
  if (existing !== undefined && !existing.isFile()) return writeFile(path, text);
  const target = existing === undefined ? path : await realpath(path);
  const temporary = temporaryBeside(target);
  try {
    await writeFile(temporary, text);
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
}

function temporaryBeside(target: string): string {
  return join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
}

export class ReportWriteError extends AggregateError {
  override readonly name = 'ReportWriteError';

  constructor(failed: readonly string[], causes: readonly unknown[]) {
    super(causes, `could not write ${failed.join('; ')}`);
  }
}
