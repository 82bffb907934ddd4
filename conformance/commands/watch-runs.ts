import { spawnSync } from 'node:child_process';
import { existsSync, type FSWatcher, fstatSync, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The reason for aborting a run because files of the service changed. */
export const FILES_CHANGED = 'files of the service changed';

/** Pause before the next run, because an editor may save several files, or one in several steps. */
const QUIET_MS = 150;

/** After this many runs in a row that one file ended, the service itself must write the file. */
const MAX_RUNS_ENDED_BY_ONE_FILE = 3;

/** Folders that a service or its tools write, besides what Git ignores. */
const IGNORED_FOLDERS: readonly string[] = [
  '.git',
  'node_modules',
  '__pycache__',
  '.venv',
  'reports',
];

const STANDARD_STREAMS = [1, 2];

type WatchOptions<Result> = {
  /** The folder of the service. */
  readonly folder: string;
  /** Files that runs write. */
  readonly outputs: readonly string[];
  /**
   * Descriptors of streams whose files are no changes, since a shell may redirect our output into
   * the folder. Default: standard output and standard error.
   */
  readonly streams?: readonly number[];
  /** Ends the watching. A run that is under way ends early and still reports. */
  readonly signal: AbortSignal;
  readonly notify: (text: string) => void;
  /** Judges once, given the result of the previous run. Its signal also aborts if files change. */
  readonly run: (signal: AbortSignal, last: Result | undefined) => Promise<Result>;
};

/**
 * Runs, waits until files in a folder change, and runs again, until the signal aborts. Returns the
 * last result.
 *
 * @throws {UsageError} if the first run does.
 */
export async function watchRuns<Result>(options: WatchOptions<Result>): Promise<Result> {
  const { folder, outputs, streams = STANDARD_STREAMS, signal, notify, run } = options;
  const changes = watchFolder(folder, outputs, streams);
  const endedBy = new Map<string, number>();
  let last: Result | undefined;
  try {
    for (;;) {
      changes.forget();
      const aborting = new AbortController();
      const stopListening = changes.listen(() => aborting.abort(FILES_CHANGED));
      const result = await run(AbortSignal.any([signal, aborting.signal]), last);
      stopListening();
      const isComplete = !aborting.signal.aborted || signal.aborted;
      if (isComplete) {
        last = result;
        endedBy.clear();
      }
      if (signal.aborted) return last ?? result;
      if (isComplete) {
        notify(`Waiting for changes in ${resolve(folder)}. Ctrl-C ends.`);
        await changes.next(signal);
        if (signal.aborted) return last ?? result;
      }
      await sleep(QUIET_MS, undefined, { signal }).catch(() => undefined);
      const seen = changes.seen();
      // Some editors write a temporary file first, and rename it.
      const path = seen.find((each) => existsSync(join(folder, each))) ?? seen[0] ?? '';
      notify(`${path} changed.`);
      if (isComplete) continue;
      endedBy.set(path, (endedBy.get(path) ?? 0) + 1);
      if (endedBy.get(path) === MAX_RUNS_ENDED_BY_ONE_FILE) {
        notify(`The service itself seems to write ${path}, so it is ignored from now on.`);
        changes.ignore(path);
      }
    }
  } finally {
    changes.close();
  }
}

/** Watches the files in a folder that Git does not ignore. */
function watchFolder(folder: string, outputs: readonly string[], streams: readonly number[]) {
  const ignored = new Set(outputs.map((path) => relative(folder, resolve(path))));
  const { isIgnored, forget } = createIgnoreRules(folder);
  const changed = new Set<string>();
  const listeners = new Set<() => void>();
  const onChange = (path: string) => {
    if (basename(path) === '.gitignore') forget();
    if (ignored.has(path) || changed.has(path) || isIgnored(path)) return;
    if (isOutput(join(folder, path), streams)) return;
    changed.add(path);
    for (const listener of listeners) listener();
  };
  const watchers: FSWatcher[] = [];
  const watchPath = (path: string, recursive: boolean) => {
    const watcher = watch(join(folder, path), { recursive }, (_, name) => {
      if (name !== null) onChange(join(path, name.toString()));
    });
    // A folder that is removed ends its watcher; the watcher of its parent reports the change.
    watcher.on('error', () => watcher.close());
    watchers.push(watcher);
  };
  watchPath('', false);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && !isIgnored(entry.name)) watchPath(entry.name, true);
  }
  const listen = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    /** Calls the listener with each change until the returned function is called. */
    listen,
    /** Returns the changed files since the last `forget`. */
    seen: () => [...changed],
    forget: () => changed.clear(),
    ignore: (path: string) => void ignored.add(path),
    /** Waits for a change, unless there was one since the last `forget`. */
    next: (signal: AbortSignal): Promise<void> =>
      new Promise((done) => {
        if (changed.size > 0 || signal.aborted) return done();
        const stop = listen(() => end());
        const end = () => {
          stop();
          signal.removeEventListener('abort', end);
          done();
        };
        signal.addEventListener('abort', end);
      }),
    close: () => {
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** Returns whether a stream is redirected into a file. */
function isOutput(path: string, streams: readonly number[]): boolean {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (file === undefined) return false;
  return streams.some((stream) => {
    const { dev, ino } = fstatSync(stream, { bigint: true });
    return dev === file.dev && ino === file.ino;
  });
}

/**
 * Returns whether a path in the folder is ignored, by Git or because a service or its tools write
 * it. Git is asked once for each path, since a service may write its log many times a second.
 */
function createIgnoreRules(folder: string) {
  const known = new Map<string, boolean>();
  const isIgnored = (path: string): boolean => {
    const cached = known.get(path);
    if (cached !== undefined) return cached;
    const parent = dirname(path);
    const result =
      IGNORED_FOLDERS.includes(basename(path)) ||
      /^\.|~$|\.tmp$/.test(basename(path)) ||
      (parent !== '.' && isIgnored(parent)) ||
      spawnSync('git', ['-C', folder, 'check-ignore', '-q', path]).status === 0;
    known.set(path, result);
    return result;
  };
  return { isIgnored, forget: () => known.clear() };
}
