import { chmodSync, closeSync, existsSync, openSync, renameSync, writeSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { FILES_CHANGED, watchRuns } from './watch-runs.ts';

function watching(
  run: (signal: AbortSignal, nth: number, last: number | undefined) => unknown,
  streams?: readonly number[],
) {
  const files = useFolder(onTestFinished);
  files.write('main.py', '1');
  files.write('src/a.py', '1');
  const ending = new AbortController();
  const said: string[] = [];
  let nth = 0;
  const done = (folder = files.folder) =>
    watchRuns<number>({
      ...{ folder, outputs: [files.at('r.json')], signal: ending.signal },
      ...(streams && { streams }),
      notify: (text) => said.push(text),
      run: async (signal, last) => {
        nth++;
        await run(signal, nth, last);
        return nth;
      },
    });
  return { ...files, done, said, end: () => ending.abort() };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', resolve));

test('a changed file -> judged again, with the last result; files that runs write -> not', async () => {
  const results: unknown[] = [];
  const { done, write, said, end } = watching(async (_, nth, last) => {
    results.push(last);
    write('r.json', nth);
    write('reports/service.log', nth);
    if (nth === 3) return end();
    void soon().then(() => write(nth === 1 ? 'src/a.py' : 'main.py', nth + 1));
  });
  expect(await done()).toBe(3);
  expect(results).toEqual([undefined, 1, 2]);
  expect(said.filter((text) => text.endsWith('changed.'))).toEqual([
    'src/a.py changed.',
    'main.py changed.',
  ]);
});

test('an editor that renames a temporary file -> names the saved file', async () => {
  const { done, write, said, end, at } = watching(async (_, nth) => {
    if (nth === 2) return end();
    void soon().then(() => {
      write('sedA1b2', '2');
      renameSync(at('sedA1b2'), at('main.py'));
    });
  });
  await done();
  expect(said).toContain('main.py changed.');
});

test('a file that changes during a run -> the run ends with the reason, and its result is not used', async () => {
  const reasons: unknown[] = [];
  const { done, write, end } = watching(async (signal, nth, last) => {
    if (nth === 1) {
      void soon().then(() => write('main.py', 2));
      await aborted(signal);
      reasons.push(signal.reason);
    } else {
      reasons.push(last);
      end();
    }
  });
  expect(await done()).toBe(2);
  expect(reasons).toEqual([FILES_CHANGED, undefined]);
});

test('a file that the service writes in every run -> ignored after three', async () => {
  const { done, write, said, end, at } = watching(async (signal, nth) => {
    write('state.sqlite', nth);
    if (nth <= 3) await aborted(signal);
    else end();
  });
  expect(await done()).toBe(4);
  expect(existsSync(at('state.sqlite'))).toBe(true);
  expect(said).toContain(
    'The service itself seems to write state.sqlite, so it is ignored from now on.',
  );
});

test('the signal while it waits -> returns the last result, and has named the whole folder', async () => {
  const { done, end, folder, said } = watching(() => void soon().then(end));
  expect(await done(relative('.', folder))).toBe(1);
  expect(said).toEqual([`Waiting for changes in ${folder}. Ctrl-C ends.`]);
});

test('output that a shell redirects into the folder -> no change', async () => {
  const streams: number[] = [];
  const { done, write, said, end, at } = watching(async (_, nth) => {
    for (const stream of streams) writeSync(stream, `run ${nth}\n`);
    await soon();
    if (nth === 2) return end();
    void soon().then(() => write('main.py', 2));
  }, streams);
  for (const name of ['out.txt', 'src/err.txt']) streams.push(openSync(at(name), 'a'));
  onTestFinished(() => streams.forEach(closeSync));
  expect(await done()).toBe(2);
  expect(said.filter((text) => text.endsWith('changed.'))).toEqual(['main.py changed.']);
});

test('an ignored file that the service writes often -> Git is asked once, until .gitignore changes', async () => {
  const programs = useFolder(onTestFinished);
  programs.write(
    'git',
    `#!/bin/sh\necho "$5" >> "${programs.at('asked')}"\n[ "$5" = state.log ]\n`,
  );
  chmodSync(programs.at('git'), 0o755);
  vi.stubEnv('PATH', `${programs.folder}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { done, write, end, said } = watching(async () => {
    const writeOften = async () => {
      for (let times = 0; times < 5; times++) {
        write('state.log', times);
        await soon();
      }
    };
    await writeOften();
    write('.gitignore', 'state.log');
    await soon();
    await writeOften();
    end();
  });
  await done();
  expect(said).toEqual([]);
  const asked = programs.read('asked').split('\n');
  expect(asked.filter((path) => path === 'state.log')).toHaveLength(2);
});
