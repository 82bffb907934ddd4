import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ReportFormats, ReportOption } from './report-option.ts';

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
export async function writeReports<Subject, Format extends string>(
  subject: Subject,
  requests: readonly ReportOption<Format>[],
  formats: ReportFormats<Subject, Format>,
  stdout: StandardOutput,
): Promise<readonly string[]> {
  const written: string[] = [];
  const failed: string[] = [];
  const causes: unknown[] = [];
  for (const { format, path } of requests) {
    try {
      const { write } = formats[format];
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

/** Writes a file by renaming a finished one; what is no plain file (a pipe, `/dev/stdout`) is written to. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const existing = await stat(path).catch(() => undefined);
  if (existing !== undefined && !existing.isFile()) return writeFile(path, text);
  const target = existing === undefined ? path : await realpath(path);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    await writeFile(temporary, text);
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
}

/** Some reports could not be written. */
export class ReportWriteError extends AggregateError {
  override readonly name = 'ReportWriteError';

  constructor(failed: readonly string[], causes: readonly unknown[]) {
    super(causes, `could not write ${failed.join('; ')}`);
  }
}
