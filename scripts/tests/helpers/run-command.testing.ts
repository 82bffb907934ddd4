import type { Command } from 'commander';
import { vi } from 'vitest';

/** Runs a command in this process and returns its exit code and output. `onStderr` receives text on standard error as it is written. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  onStderr: (text: string) => void = () => {},
) {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += text;
      if (name === 'stderr') onStderr(String(text));
      return true;
    }),
  );
  const before = process.exitCode;
  process.exitCode = undefined;
  let code: unknown;
  try {
    await command.exitOverride().parseAsync(args, { from: 'user' });
    code = process.exitCode ?? 0;
  } catch (error) {
    const { exitCode, name, message } = error as Error & { exitCode?: number };
    code = name === 'UsageError' ? 2 : exitCode;
    if (code === undefined) throw error;
    printed.stderr += message;
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
  return { code, text: printed.stdout + printed.stderr, ...printed };
}
