import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ReportRequest } from './report-formats.ts';
import { wantsColour } from './terminal.ts';

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
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    await writeFile(temporary, text);
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
}

export class ReportWriteError extends AggregateError {
  override readonly name = 'ReportWriteError';

  constructor(failed: readonly string[], causes: readonly unknown[]) {
    super(causes, `could not write ${failed.join('; ')}`);
  }
}
