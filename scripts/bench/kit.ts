import { type ChildProcess, execFile, fork } from 'node:child_process';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { medianOf } from '../../conformance/model/statistics.ts';

/** Number of measured rounds. `BENCH_ROUNDS` sets it. */
export const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7);

/**
 * Calls functions in turns, so that drift of the machine affects all of them equally. Returns the
 * values of each function by round. A warm-up round precedes the first round.
 */
export async function takeTurns<Ways extends Readonly<Record<string, () => unknown>>>(
  ways: Ways,
): Promise<{ readonly [Way in keyof Ways]: Awaited<ReturnType<Ways[Way]>>[] }> {
  const measured = Object.entries(ways).map(([way, measure]) => ({
    way,
    measure,
    samples: [] as unknown[],
  }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { measure, samples } of measured) {
      const sample = await measure();
      if (round > 0) samples.push(sample);
    }
  }
  return Object.fromEntries(measured.map(({ way, samples }) => [way, samples])) as {
    [Way in keyof Ways]: Awaited<ReturnType<Ways[Way]>>[];
  };
}

/**
 * Units of work per second of wall time, and per second of this process's CPU time. Other work on
 * the machine hardly changes the rate by CPU time.
 */
export type Rate = { readonly wall: number; readonly cpu: number };

/**
 * Measures the rate at which each function does `count` units of work. Prints a row for each
 * function, and returns the median rates.
 */
export async function compareRates<Way extends string>(
  things: string,
  count: number,
  ways: Readonly<Record<Way, () => unknown>>,
): Promise<Readonly<Record<Way, Rate>>> {
  const timed = mapEntries(ways, (work) => () => rateOf(count, work));
  const rates = await takeTurns(timed);
  const whole = (value: number) => Math.round(value).toLocaleString('en-US');
  printHead([
    `median of ${ROUNDS} rounds`,
    `${things} a second`,
    'range',
    `${things} per CPU second`,
  ]);
  return mapEntries(rates, (all, way) => {
    const wall = all.map((rate) => rate.wall);
    const middle = { wall: medianOf(wall), cpu: medianOf(all.map(({ cpu }) => cpu)) };
    const range = `${whole(Math.min(...wall))} to ${whole(Math.max(...wall))}`;
    printRow([way, whole(middle.wall), range, whole(middle.cpu)]);
    return middle;
  });
}

async function rateOf(count: number, work: () => unknown): Promise<Rate> {
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return {
    wall: count / ((performance.now() - start) / 1e3),
    cpu: count / ((user + system) / 1e6),
  };
}

function mapEntries<Key extends string, Value, Made>(
  record: Readonly<Record<Key, Value>>,
  make: (value: Value, key: Key) => Made,
): Record<Key, Made> {
  const entries = Object.entries(record) as [Key, Value][];
  return Object.fromEntries(entries.map(([key, value]) => [key, make(value, key)])) as Record<
    Key,
    Made
  >;
}

/**
 * Prints the head of a Markdown table. The first column is text, and the other columns are numbers.
 */
export function printHead(names: readonly string[]): void {
  printRow(names);
  printRow(names.map((_, column) => (column === 0 ? '---' : '--:')));
}

export function printRow(cells: readonly unknown[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

/**
 * Runs a line of bash. Resolves to its output and the CPU time of all its processes; undefined if
 * the program is not installed.
 */
export async function timeCommand(
  line: string,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<{ readonly stdout: string; readonly cpuS: number } | undefined> {
  const script = `TIMEFORMAT='cpu %U %S'; time ${line}`;
  const ended = (await promisify(execFile)('bash', ['-c', script], options).catch(
    (error: unknown) => error,
  )) as { readonly code?: number; readonly stdout: string; readonly stderr: string };
  if (ended.code === NOT_FOUND) return undefined;
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(ended.stderr) ?? [];
  return { stdout: ended.stdout, cpuS: Number(user) + Number(system) };
}

const NOT_FOUND = 127;
const programs: ChildProcess[] = [];

/**
 * Starts a program from this folder in a separate process, which runs until {@link stopPrograms}.
 */
export function startProgram(name: string): ChildProcess {
  const child = fork(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
  programs.push(child);
  return child;
}

/** Ends every started program. */
export function stopPrograms(): void {
  for (const program of programs) program.kill();
}
