import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Subject } from '../../load/commands/subject.ts';
import type { ExportEngine } from '../../load/distributed/export-targets.ts';
import { median, printRow, takeTurns, timeCommand } from './kit.ts';

/*
 * The whole command, and the engines that it exports to, at one rate with one
 * mix: processor time of all their processes, ours with its judging and Locust
 * without. What they take to start and to end is in a short run as in a long
 * one, so the difference of the two is counted.
 */

const SHORT_S = 2;
const LONG_S = 7;
const SWAPCHECK = `${process.execPath} ${fileURLToPath(new URL('../swapcheck.js', import.meta.url))}`;

/** One line per request exceeds the captured output of a command. */
const K6_LINES = '--log-format=raw --console-output=requests.ndjson';

type Play = (seconds: number) => Promise<number | undefined>;

/** Prints a row for each of them. */
export async function printEngines(
  { url, apiKey }: Subject,
  rate: number,
  connections: number,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'swapcheck-bench-'));
  const env = { ...process.env, SWAPCHECK_API_KEY: apiKey, SWAPCHECK: 'true' };
  const flags = (seconds: number): string =>
    `--profile steady --rate ${rate} --duration ${seconds} --warm-up 0 --connections ${connections}`;
  const run = async (line: string, cwd?: string): Promise<number | undefined> =>
    (await timeCommand(line, cwd === undefined ? { env } : { env, cwd }))?.cpuS;
  const playExport = async (
    engine: ExportEngine,
    line: string,
    seconds: number,
  ): Promise<number | undefined> => {
    const out = join(folder, `${engine}-${seconds}`);
    const write = `${SWAPCHECK} load export ${url} --engine ${engine} --out ${out} ${flags(seconds)}`;
    if (!existsSync(out)) await run(write);
    return run(line, out);
  };
  const ways = {
    'swapcheck load': cores((seconds) => run(`${SWAPCHECK} load ${url} ${flags(seconds)}`)),
    Locust: cores((seconds) =>
      playExport('locust', `locust --config locust.conf -H ${url}`, seconds),
    ),
    k6: cores((seconds) => playExport('k6', `k6 run --quiet ${K6_LINES} script.js`, seconds)),
  };
  try {
    for (const [name, all] of Object.entries(await takeTurns(ways))) {
      const measured = all.filter((value) => value !== undefined);
      const shown = measured.length === 0 ? 'not installed' : median(measured).toFixed(3);
      printRow(['the reference', `cores at ${rate}/s, ${name}, all processes`, shown, '', '']);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the cost of one more second. */
function cores(play: Play): () => Promise<number | undefined> {
  return async () => {
    const short = await play(SHORT_S);
    const long = short === undefined ? undefined : await play(LONG_S);
    return short === undefined || long === undefined
      ? undefined
      : (long - short) / (LONG_S - SHORT_S);
  };
}
