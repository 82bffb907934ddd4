import { randomUUID } from 'node:crypto';
import { openSync, type Stats } from 'node:fs';
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
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { messageOf } from '../contract/message-of.ts';
import type { ReportRequest } from './report-formats.ts';
import { notify, wantsColor } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export type PublishOptions = {
  /** The verdict and its reason, written to standard error if no text report shows them. */
  readonly verdict?: string | undefined;
  /** True if the text on standard output is short. */
  readonly isBrief?: boolean | undefined;
  /** The stream for reports with the path `-`. Default: standard output. */
  readonly stdout?: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;
};

/**
 * Writes every requested report, each file completely or not at all. Then writes to standard error
 * the paths of the files, and the verdict if no text report has shown it.
 *
 * @throws {ReportWriteError} after the last report, if some could not be written.
 */
export async function publishReports<Subject>(
  subject: Subject,
  requests: readonly ReportRequest<Subject>[],
  { verdict, isBrief = false, stdout = process.stdout }: PublishOptions = {},
): Promise<void> {
  const written: string[] = [];
  const failed: string[] = [];
  const causes: unknown[] = [];
  for (const { format, path, load } of requests) {
    try {
      const { write } = await load();
      if (path === '-') {
        stdout.write(write(subject, { color: wantsColor(stdout, process.env), isBrief }));
        continue;
      }
      await writeWhole(path, write(subject));
      written.push(path);
    } catch (cause) {
      failed.push(`${format} to ${path}: ${messageOf(cause)}`);
      causes.push(cause);
    }
  }
  if (written.length > 0) notify(`Wrote ${written.join(', ')}`);
  const isShown = withoutShownText(requests).length < requests.length;
  if (verdict !== undefined && !isShown) notify(verdict);
  if (failed.length > 0) throw new ReportWriteError(failed, causes);
}

/**
 * Checks before a run that its reports can be written. Creates the folders, and briefly creates a
 * temporary file next to each path.
 *
 * @throws {UsageError} with a path that cannot be written.
 */
export async function tryReportPaths(
  requests: readonly Pick<ReportRequest<never>, 'format' | 'path'>[],
): Promise<void> {
  for (const { format, path } of requests) {
    if (path !== '-') await tryFile(path, `--report ${format}=${path}`);
  }
}

/**
 * Checks that the file of an option can be written.
 *
 * @throws {UsageError} with the option, if it cannot.
 */
export async function tryFile(path: string, option: string): Promise<void> {
  try {
    await tryPath(path);
  } catch (cause) {
    const why = messageOf(cause);
    throw new UsageError(`${option} cannot be written: ${why}`, { cause });
  }
}

async function tryPath(path: string): Promise<void> {
  const existing = await createFolderAndStat(path);
  if (existing?.isDirectory() === true) throw new Error('it is a folder');
  // A pipe must not be opened before the report is written.
  if (existing !== undefined && !existing.isFile()) return access(path, constants.W_OK);
  const temporary = temporaryPathFor(existing === undefined ? path : await realpath(path));
  try {
    await writeFile(temporary, '');
    await rm(temporary);
  } catch (cause) {
    if (existing === undefined || !isReplacementForbidden(cause)) throw cause;
    await access(path, constants.W_OK);
  }
}

/** Returns all requests except the text report on standard output. */
export function withoutShownText<Subject>(
  requests: readonly ReportRequest<Subject>[],
): readonly ReportRequest<Subject>[] {
  return requests.filter(({ format, path }) => format !== 'text' || path !== '-');
}

/**
 * Writes a file by renaming a complete temporary file over it. Writes directly to a special file (a
 * pipe with a reader, `/dev/stdout`), and to a file that cannot be replaced, because it is a mount
 * or its folder is not writable.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const existing = await createFolderAndStat(path);
  if (existing?.isFIFO()) return writePipe(path, text);
  if (existing !== undefined && !existing.isFile()) return writeFile(path, text);
  const target = existing === undefined ? path : await realpath(path);
  const temporary = temporaryPathFor(target);
  try {
    await writeFile(temporary, text);
    // The new file gets the permissions of the old one.
    if (existing !== undefined) await chmod(temporary, existing.mode);
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    if (existing === undefined || !isReplacementForbidden(cause)) throw cause;
    await writeFile(path, text);
  }
}

/** Maximum time for which a pipe's reader may read nothing. */
const MAX_PIPE_STALL_MS = 10_000;

/** Never waits for a pipe's reader without a limit, since it may never come or stop reading. */
async function writePipe(path: string, text: string): Promise<void> {
  const fd = openPipe(path);
  const pipe = new Socket({ fd, readable: false, writable: true });
  pipe.setTimeout(MAX_PIPE_STALL_MS, () =>
    pipe.destroy(new Error(`its reader read nothing for ${MAX_PIPE_STALL_MS / 1000} s`)),
  );
  pipe.end(text);
  await finished(pipe, { readable: false });
  pipe.destroy();
}

function openPipe(path: string): number {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw code === 'ENXIO' ? new Error('nothing reads from this pipe', { cause }) : cause;
  }
}

async function createFolderAndStat(path: string): Promise<Stats | undefined> {
  await mkdir(dirname(path), { recursive: true });
  return stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw cause;
  });
}

/** Distinguishes missing permissions and mounts from disk errors. */
function isReplacementForbidden(cause: unknown): boolean {
  const { code = '' } = cause as NodeJS.ErrnoException;
  return ['EACCES', 'EPERM', 'EBUSY', 'EROFS'].includes(code);
}

/**
 * Returns a path whose file name is short and random. The process id would not make a name unique,
 * since containers reuse the same ids.
 */
function temporaryPathFor(target: string): string {
  return join(dirname(target), `.${randomUUID()}.tmp`);
}

export class ReportWriteError extends AggregateError {
  override readonly name = 'ReportWriteError';

  constructor(failed: readonly string[], causes: readonly unknown[]) {
    super(causes, `could not write ${failed.join('; ')}`);
  }
}
