import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts a program. `printed` is its output so far; `ended` resolves with its exit code and output. */
export function startProgram(program: string, args: readonly string[], options: SpawnOptions = {}) {
  const child = spawn(program, args, options);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    text: printed.stdout + printed.stderr,
    ...printed,
  }));
  return { child, printed, ended };
}
