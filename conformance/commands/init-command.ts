import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { Command, Option } from 'commander';
import { isMap, isSeq, parseDocument } from 'yaml';
import { parseBaseUrl } from '../client/base-url.ts';
import { API_PREFIX } from '../contract/paths.ts';
import { UsageError } from '../output/usage-error.ts';
import { writeWhole } from '../output/write-reports.ts';
import {
  ARTIFACT_REPORTS,
  githubJob,
  gitlabJob,
  jobName,
  type Project,
  type Source,
  type Stack,
} from './init-jobs.ts';

type CiSystem = 'github' | 'gitlab' | 'none';

type ServiceKind = 'node' | 'python' | 'go' | 'url';

type InitFlags = { readonly ci: CiSystem; readonly kind?: ServiceKind; readonly force?: boolean };

/** Returns `swapcheck init`, which sets up a project to be judged in continuous integration. */
export function createInitCommand(): Command {
  return new Command('init')
    .argument('[BASE_URL]', 'base URL of the service, such as https://api.example.org')
    .addOption(
      new Option(
        '--kind <kind>',
        'write the command that starts a service of this kind (default: detected from the files)',
      ).choices(['node', 'python', 'go', 'url']),
    )
    .addOption(
      new Option('--ci <system>', 'write the job for this system')
        .choices(['github', 'gitlab', 'none'])
        .default('github'),
    )
    .option('--force', 'write the configuration and the job again if they exist')
    .action(async (baseUrl: string | undefined, flags: InitFlags) => {
      process.stdout.write(
        await initProject(process.cwd(), baseUrl, { ...flags, source: findOwnSource() }),
      );
    });
}

/** A file with its new text; `text` is undefined if the file exists and remains as it is. */
type Change = {
  readonly path: string;
  readonly text: string | undefined;
  readonly verb: 'wrote' | 'added the job to' | 'added reports/ to';
};

/**
 * Writes a configuration and a job into a project, without prompts. Files that exist remain as they
 * are; a pipeline or a `.gitignore` of the project gets an addition. Returns a list of the written
 * files and the next steps.
 *
 * @throws {UsageError} if a pipeline of the project cannot be read; then, nothing is written
 */
export async function initProject(
  folder: string,
  baseUrl: string | undefined,
  { ci, force = false, source, kind: wanted }: InitFlags & { readonly source: Source | undefined },
): Promise<string> {
  const given = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl).href.replace(/\/$/, '');
  const isElsewhere = given !== undefined && !LOOPBACK.test(new URL(given).hostname);
  const stack = STACKS[wanted ?? (isElsewhere ? 'url' : detectKind(folder))];
  const root = findRepository(folder);
  const subfolder = root === undefined ? '' : relative(root, folder).split(sep).join('/');
  const goVersion = readGoVersion(folder);
  const project: Project = { subfolder, stack, goVersion, source };
  const { start, port } = stack;
  const url = given ?? (start === undefined ? EXAMPLE_URL : `http://127.0.0.1:${port}`);
  const config = { path: 'swapcheck.yaml', text: formatConfig(url, start), verb: 'wrote' } as const;
  const job = ci === 'none' ? undefined : jobChange(ci, root ?? folder, project, force);
  const changes: readonly Change[] = [
    existsSync(join(folder, config.path)) && !force ? { ...config, text: undefined } : config,
    ...(job === undefined
      ? []
      : [{ ...job, path: relative(folder, join(root ?? folder, job.path)) }]),
    ...ignoreChange(folder, root),
  ];
  for (const { path, text } of changes) {
    if (text !== undefined) await writeWhole(join(folder, path), text);
  }
  const listed = changes.map(({ path, text, verb }) =>
    text === undefined
      ? `kept ${path}, which exists (--force writes it again)\n`
      : `${verb} ${path}\n`,
  );
  const check =
    start === undefined || changes[0]?.text === undefined
      ? ''
      : 'check: url, start and ready in swapcheck.yaml; the service must listen at $PORT or at the port of url\n';
  const next = [
    ...(url === EXAMPLE_URL && changes[0]?.text !== undefined ? [NEXT_URL] : []),
    ...(ci === 'none' ? [] : [NEXT_SECRET[ci]]),
    ...(ci === 'none' || source !== undefined ? [] : [NEXT_SOURCE]),
  ];
  return `${listed.join('')}${check}${next.map((each) => `next: ${each}\n`).join('')}try:  SWAPCHECK_API_KEY=... swapcheck test\n`;
}

const NEXT_URL = 'set url in swapcheck.yaml to the base URL of the service';
const EXAMPLE_URL = 'https://swap.example.org';
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const NEXT_SECRET = {
  github: 'add the secret SWAPCHECK_API_KEY to the repository',
  gitlab: 'add the masked variable SWAPCHECK_API_KEY to the project',
};
const NEXT_SOURCE =
  'set SWAPCHECK_REPOSITORY and SWAPCHECK_COMMIT in the job: the source from which swapcheck is built';

const STACKS: Readonly<Record<ServiceKind, Stack>> = {
  node: {
    ...{ files: ['package.json'], language: 'node', start: 'npm start', port: 3000 },
    install: 'npm install --no-audit --no-fund',
  },
  python: {
    files: ['pyproject.toml', 'requirements.txt', 'app.py', 'main.py'],
    ...{ language: 'python', start: 'python3 app.py', port: 8000 },
    install: 'if [ -f requirements.txt ]; then python3 -m pip install -r requirements.txt; fi',
  },
  go: {
    ...{ files: ['go.mod'], language: 'go', start: 'go run .', port: 8080 },
    install: 'go build ./...',
  },
  url: { files: [] },
};

function detectKind(folder: string): ServiceKind {
  const kinds = Object.entries(STACKS) as (readonly [ServiceKind, Stack])[];
  const found = kinds.find(([, { files }]) => files.some((file) => existsSync(join(folder, file))));
  return found?.[0] ?? 'url';
}

/** Returns the root of the Git repository; undefined outside any. */
function findRepository(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Returns the text of a file; undefined if there is none. */
function readIfPresent(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/**
 * Returns the Go version that `go.mod` selects: its toolchain or, without one, its language
 * version.
 *
 * @see https://go.dev/doc/toolchain: from 1.21 on, releases have three numbers
 */
function readGoVersion(folder: string): string | undefined {
  const text = readIfPresent(join(folder, 'go.mod')) ?? '';
  const toolchain = /^toolchain\s+go(\d+\.\d+(?:\.\d+|rc\d+)?)/m.exec(text)?.[1];
  const language = /^go\s+(\d+\.\d+(?:\.\d+|rc\d+)?)/m.exec(text)?.[1];
  const version = toolchain ?? language;
  const minor = /^1\.(\d+)$/.exec(version ?? '')?.[1];
  return minor !== undefined && Number(minor) >= 21 ? `${version}.0` : version;
}

function jobChange(
  ci: 'github' | 'gitlab',
  root: string,
  project: Project,
  force: boolean,
): Change {
  if (ci === 'gitlab') return gitlabChange(root, project, force);
  const path = `.github/workflows/${jobName(project)}.yml`;
  const isKept = existsSync(join(root, path)) && !force;
  return { path, verb: 'wrote', text: isKept ? undefined : githubJob(project) };
}

/** Adds the job to the project's pipeline, whose other text remains byte for byte. */
function gitlabChange(root: string, project: Project, force: boolean): Change {
  const path = '.gitlab-ci.yml';
  const text = readIfPresent(join(root, path)) ?? '';
  const { contents, errors } = parseDocument(text, { logLevel: 'silent' });
  if (errors.length > 0 || !(contents === null || isMap(contents))) {
    throw new UsageError(
      `${path}: expected a YAML mapping, to which the job can be added${errors[0] ? `: ${errors[0].message}` : ''}`,
    );
  }
  const pairs = contents === null ? [] : contents.items;
  const stages = pairs.find(({ key }) => String(key) === 'stages')?.value;
  const names = isSeq(stages) ? stages.items.map(String) : ['test'];
  const job = gitlabJob(project, names.includes('test') ? undefined : names.at(-1));
  const at = pairs.findIndex(({ key }) => String(key) === jobName(project));
  const verb = contents === null ? 'wrote' : 'added the job to';
  if (at < 0) {
    const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
    return { path, verb, text: `${text}${gap}${job}` };
  }
  if (!force) return { path, verb, text: undefined };
  const { key, value } = pairs[at] as { readonly key: Ranged; readonly value: Ranged | null };
  const [start = 0] = key.range ?? [];
  const end = value?.range?.[1] ?? text.length;
  const rest = text.slice(end).replace(/^\s*/, '');
  return { path, verb, text: `${text.slice(0, start)}${job}${rest === '' ? '' : `\n${rest}`}` };
}

/** A node with the offsets of its start, its end, and the end of the comment after it. */
type Ranged = { readonly range?: readonly number[] | null };

const REPORTS_FOLDER = 'reports/';

/** Reports may contain replies of the service, and are not committed. */
function ignoreChange(folder: string, root: string | undefined): readonly Change[] {
  if (root === undefined) return [];
  const ofGit = ['-C', folder, 'check-ignore', '-q', `${REPORTS_FOLDER}swapcheck.json`];
  const path = '.gitignore';
  const text = readIfPresent(join(folder, path)) ?? '';
  if (spawnSync('git', ofGit).status === 0 || text.split(/\r?\n/).includes(REPORTS_FOLDER))
    return [];
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  return [{ path, verb: 'added reports/ to', text: `${text}${gap}${REPORTS_FOLDER}\n` }];
}

function findOwnSource(): Source | undefined {
  const root = dirname(createRequire(import.meta.url).resolve('#package'));
  const git = (...args: readonly string[]) =>
    spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' }).stdout?.trim() ?? '';
  if (!existsSync(join(root, '.git'))) return undefined;
  const repository = git('config', '--get', 'remote.origin.url').replace(/\/\/[^/@]*@/, '//');
  const commit = git('rev-parse', 'HEAD');
  return /^https:\/\//.test(repository) && commit !== '' ? { repository, commit } : undefined;
}

function formatConfig(url: string, start: string | undefined): string {
  const starting =
    start === undefined
      ? ''
      : `start: ${start}
ready:
  path: ${API_PREFIX}/chains
  seconds: 60
`;
  return `# Read by \`swapcheck test\` in this folder; the command line takes precedence. The key is read from SWAPCHECK_API_KEY.
# All options: docs/config.md, and the schema docs/config.schema.json.
url: ${url}
${starting}seed: 1
max-time: 600
report:
${['text', ...ARTIFACT_REPORTS].map((each) => `  - ${each}\n`).join('')}# fork: ['1']              # execute calldata on a fork of chain 1; SWAPCHECK_RPC_1 is the URL of a node
# require-fork: true       # exit 3 if calldata was not executed on a fork
# level: should            # exit 1 for failed should rules, too
# rate: 5                  # requests per second, if the service limits them
# only: [plan/*, 2.2]      # rules, clauses or sections
# chain: [1, 10]
# waivers: waivers.yaml    # known failures, each with a reason and a date: swapcheck test --write-waivers
`;
}
