import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  access,
  chmod,
  constants,
  mkdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { printable } from './printable.ts';
import type { ReportRequest } from './report-formats.ts';
import { wantsColour } from './terminal.ts';
import type { TextStyle } from './text.ts';
import { UsageError } from './usage-error.ts';

/** Where text for `-` goes, and how it is shown there. */
export type StandardOutput = {
  readonly write: (text: string) => void;
  readonly style: TextStyle;
};

/** What is told beside the reports. */
export type PublishOptions = {
  /** The verdict and its reason, told on standard error where no text shows them. */
  readonly verdict?: string | undefined;
  /** Whether the text on standard output is short. */
  readonly isBrief?: boolean | undefined;
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
        stdout.write(write(subject, stdout.style));
        continue;
      }
      await writeWhole(path, write(subject));
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
    if (path !== '-') await tryFile(path, `--report ${format}=${path}`);
  }
}

/** @throws {UsageError} with the option that names a file that cannot be written. */
export async function tryFile(path: string, option: string): Promise<void> {
  try {
    await tryPath(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new UsageError(`${option} cannot be written: ${why}`, { cause });
  }
}

async function tryPath(path: string): Promise<void> {
  const existing = await readyPlace(path);
  if (existing?.isDirectory() === true) throw new Error('it is a folder');
  // A pipe must not be opened before there is something to write.
  if (existing !== undefined && !existing.isFile()) return access(path, constants.W_OK);
  const temporary = temporaryBeside(existing === undefined ? path : await realpath(path));
  try {
    await writeFile(temporary, '');
    await rm(temporary);
  } catch (cause) {
    if (existing === undefined || !isForbidden(cause)) throw cause;
    await access(path, constants.W_OK);
  }
}

/**
 * Writes the reports that a command was asked for, then says on standard error
 * what the verdict is, where no text has shown it, and where the files are.
 */
export async function publishReports<Subject>(
  subject: Subject,
  requests: readonly ReportRequest<Subject>[],
  { verdict, isBrief = false }: PublishOptions = {},
): Promise<void> {
  const say = (text: string) => process.stderr.write(`${printable(text)}\n`);
  try {
    const written = await writeReports(subject, requests, {
      write: (text) => process.stdout.write(text),
      style: { colour: wantsColour(process.stdout, process.env), isBrief },
    });
    if (written.length > 0) say(`Wrote ${written.join(', ')}`);
  } finally {
    const isShown = withoutShownText(requests).length < requests.length;
    if (verdict !== undefined && !isShown) say(verdict);
  }
}

/** Leaves out the text on standard output. */
export function withoutShownText<Subject>(
  requests: readonly ReportRequest<Subject>[],
): readonly ReportRequest<Subject>[] {
  return requests.filter(({ format, path }) => format !== 'text' || path !== '-');
}

/**
 * Writes a file by renaming a finished one. What is no plain file (a pipe,
 * `/dev/stdout`) is written to, and so is one that cannot be replaced: one that
 * is mounted by itself, or stands in a folder of somebody else.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const existing = await readyPlace(path);
  if (existing !== undefined && !existing.isFile()) return writeFile(path, text);
  const target = existing === undefined ? path : await realpath(path);
  const temporary = temporaryBeside(target);
  try {
    await writeFile(temporary, text);
    // Who may not read the old one may not read the new one.
    if (existing !== undefined) await chmod(temporary, existing.mode);
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    if (existing === undefined || !isForbidden(cause)) throw cause;
    await writeFile(path, text);
  }
}

/** Makes the folder, and returns what stands at the path. */
async function readyPlace(path: string): Promise<Stats | undefined> {
  await mkdir(dirname(path), { recursive: true });
  return stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw cause;
  });
}

/** Whether a folder or a mount, not the disk, kept a file from being replaced. */
function isForbidden(cause: unknown): boolean {
  const { code = '' } = cause as NodeJS.ErrnoException;
  return ['EACCES', 'EPERM', 'EBUSY', 'EROFS'].includes(code);
}

/** Short, for any name that a file may have; of this writer alone, for process ids repeat from container to container. */
function temporaryBeside(target: string): string {
  return join(dirname(target), `.${randomUUID()}.tmp`);
}

export class ReportWriteError extends AggregateError {
  override readonly name = 'ReportWriteError';

  constructor(failed: readonly string[], causes: readonly unknown[]) {
    super(causes, `could not write ${failed.join('; ')}`);
  }
}
