import { readFileSync } from 'node:fs';

/** Maximum growth of a process during one call. */
const MAX_GROWTH_BYTES = 256 * 2 ** 20;
const CHECK_EVERY_MS = 20;
const PAGE_BYTES = 4_096;

/**
 * Returns the result of the work, and calls `onExcess` if a process grows by more than the maximum
 * meanwhile. Only Linux reports the memory of a process; on other systems nothing is watched.
 */
export async function watchMemory<Result>(
  pid: number,
  work: () => Promise<Result>,
  onExcess: () => void,
): Promise<Result> {
  const before = residentBytes(pid);
  if (before === undefined) return work();
  const timer = setInterval(() => {
    if ((residentBytes(pid) ?? 0) - before > MAX_GROWTH_BYTES) onExcess();
  }, CHECK_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

function residentBytes(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    // The process has ended, or the system has no such file.
    return undefined;
  }
}
