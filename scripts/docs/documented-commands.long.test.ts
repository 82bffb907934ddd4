import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { globSync } from 'tinyglobby';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sampleReport } from '../../conformance/report/sample-report.testing.ts';
import { tinyPlan } from '../../conformance/runner/tiny-service.testing.ts';
import { PROGRAM } from '../../fixtures/testing/built-program.testing.ts';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { startProgram } from '../../fixtures/testing/start-program.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { type RunningReference, startReference } from '../../reference/server/app.ts';
import { createProgram } from '../cli/program.ts';
import { commandsOf, problemsOf } from './command-pages.ts';
import {
  argumentsOf,
  type Block,
  blocksOf,
  linesOf,
  readPages,
  type ShellLine,
} from './documented-commands.testing.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const pages = [...readPages(ROOT)];
const blocks = pages.flatMap(([file, page]) => blocksOf(file, page));
const LONG_MS = 900_000;
const isLong = process.env['SWAPCHECK_LONG'] === '1';
const { folder, write } = useFolder();
const VARIABLES = {
  SWAPCHECK_API_KEY: 'demo',
  GITHUB_STEP_SUMMARY: 'summary.md',
};

let reference: RunningReference;
const before = process.cwd();

beforeAll(async () => {
  reference = await startReference({ apiKeys: ['demo'] });
  for (const name of ['fixtures', 'examples']) symlinkSync(join(ROOT, name), join(folder, name));
  write('replies/plan.json', tinyPlan('1000'));
  const body = JSON.stringify(tinyPlan('1000'));
  const request = { method: 'GET', url: 'https://swap.example.org/api/v1.0/swap' };
  const response = { status: 200, headers: [], content: { text: body } };
  write('capture.har', { log: { entries: [{ request, response }] } });
  write('before.json', sampleReport());
  write('after.json', sampleReport());
  write('node-url', 'http://127.0.0.1:1');
  write('my-market.json', readFileSync(join(ROOT, 'fixtures/markets/31337.json'), 'utf8'));
  for (const { info, text } of blocks) {
    const [, name] = /^# (\S+\.yaml)\n/.exec(text) ?? [];
    if (info === 'yaml' && name !== undefined) write(name, text);
  }
  process.chdir(folder);
  for (const [name, value] of Object.entries(VARIABLES)) vi.stubEnv(name, value);
});

afterAll(async () => {
  process.chdir(before);
  vi.unstubAllEnvs();
  await reference.close();
});

async function programOf(words: readonly string[]): Promise<Command> {
  const all = await createProgram(words);
  for (const { command } of commandsOf(all)) {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
  }
  return all;
}

function shellBlocks(...infos: readonly string[]): readonly Block[] {
  return blocks.filter(({ info }) => infos.includes(info));
}

test('every command -> has a page that matches its definition', async () => {
  expect(problemsOf(await createProgram())).toEqual([]);
});

test('no page or example runs swapcheck by its name in the registry, which is unclaimed', () => {
  const files = globSync(
    ['*.md', 'docs/**/*.md', 'examples/**/*', '{conformance,load,study,reference,scripts}/**/*'],
    {
      cwd: ROOT,
      ignore: ['docs/releasing.md', 'docs/node_modules/**', 'scripts/docs/documented-commands*'],
    },
  );
  const taught = files.filter((file) =>
    /npx (-\S+ )*swapcheck/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(taught).toEqual([]);
});

describe('commands in README and docs', () => {
  test(`are in sh blocks: ${shellBlocks('sh').length} run here, ${shellBlocks('sh long').length} run in test:long, ${shellBlocks('sh no-run').length} are not run`, () => {
    const known = shellBlocks('sh', 'sh long', 'sh no-run');
    const unmarked = blocks.filter(
      (block) =>
        !known.includes(block) &&
        (block.info.startsWith('sh') ||
          (block.info === '' && /^(\$ )?(npx |npm |swapcheck |curl )/m.test(block.text))),
    );
    expect(unmarked.map(({ place }) => `${place}: mark it as sh, sh long or sh no-run`)).toEqual(
      [],
    );
  });

  test('every line that runs swapcheck -> an existing command and options', async () => {
    const wrong: string[] = [];
    process.env['SWAPCHECK_RPC_1'] = 'http://127.0.0.1:1';
    for (const line of shellBlocks('sh', 'sh long', 'sh no-run').flatMap((block) =>
      linesOf(block, VARIABLES),
    )) {
      const args = argumentsOf(line);
      if (args === undefined) continue;
      const parser = await programOf(args);
      for (const { command } of commandsOf(parser)) command.action(() => undefined);
      await parser.parseAsync([...args], { from: 'user' }).catch((error: Error) => {
        wrong.push(`${line.place}: ${line.text}: ${error.message}`);
      });
    }
    delete process.env['SWAPCHECK_RPC_1'];
    expect(wrong).toEqual([]);
  });

  test('every command in a sentence or a table -> has existing options', async () => {
    const commands = new Map(
      commandsOf(await createProgram()).map(({ name, command }) => [name, command]),
    );
    const wrong = pages.flatMap(([file, page]) =>
      [...page.matchAll(/`swapcheck ((?:load (?:export|merge)|[a-z]+)\b)([^`]*)`/g)].flatMap(
        ([mention, name = '', rest = '']) => {
          const known = commands.get(name)?.options.map(({ long }) => long);
          if (known === undefined) return [`${file}: ${mention}: no such command`];
          const options = rest.match(/(?<=\s)--[a-z-]+/g) ?? [];
          return options
            .filter((option) => !known.includes(option))
            .map((option) => `${file}: ${mention}: no option ${option}`);
        },
      ),
    );
    expect(wrong).toEqual([]);
  });

  test.each(
    shellBlocks('sh', ...(isLong ? ['sh long'] : [])).map((block) => [block.place, block] as const),
  )('%s -> runs, and exits 0', isLong ? { timeout: LONG_MS } : {}, async (_, block) => {
    const text = block.text
      .replaceAll('http://127.0.0.1:8080', reference.url)
      .replaceAll(/https:\/\/(swap|api)\.example\.org/g, reference.url);
    const variables = { ...VARIABLES, SERVICE_URL: reference.url };
    for (const line of linesOf({ ...block, text }, variables)) await runLine(line);
  });
});

/**
 * Runs a line. Uses a child process if the line needs signals, threads, imports or standard input.
 */
async function runLine(line: ShellLine): Promise<void> {
  if (line.words[0] === 'export') return;
  const args = argumentsOf(line);
  if (args === undefined)
    throw new Error(`${line.place}: cannot run '${line.text}': mark the block \`sh no-run\``);
  const needsProcess =
    ['serve', 'load', '--rules'].some((word) => args.includes(word)) || line.input !== undefined;
  const whole = withTestOptions(args);
  const { code, text, stdout } = await (needsProcess
    ? runProcess(whole, line.input)
    : runCommand(await programOf(whole), whole));
  expect({ line: line.text, code, text }).toEqual({ line: line.text, code: 0, text });
  if (line.output !== undefined) writeFileSync(line.output, stdout);
}

/**
 * Options that avoid occupied ports, time limits that a busy machine exceeds, and requests that
 * only the long run should send.
 */
const TEST_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  ...(!isLong && { test: ['--profile', 'quick'] }),
  serve: ['--port', '0'],
  load: ['--max-client-lag', '10000'],
};

/** Adds the test options, unless the line already has them. */
function withTestOptions([name = '', ...others]: readonly string[]): readonly string[] {
  const [option, ...values] = TEST_OPTIONS[name] ?? [];
  if (option === undefined || others.includes(option)) return [name, ...others];
  return [name, option, ...values, ...others];
}

/** Runs swapcheck in a child process. Ends `serve` as soon as it listens. */
async function runProcess(args: readonly string[], input: string | undefined) {
  const { child, ended } = startProgram(process.execPath, [PROGRAM, ...args]);
  child.stdin?.end(input === undefined ? '' : readFileSync(input));
  if (args[0] === 'serve') child.stderr?.once('data', () => child.kill());
  return ended;
}
