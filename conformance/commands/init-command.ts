import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import { parseBaseUrl } from '../client/base-url.ts';
import { API_PREFIX } from '../contract/paths.ts';
import { UsageError } from '../output/usage-error.ts';

type CiSystem = 'github' | 'gitlab' | 'none';

type ServiceKind = 'node' | 'python' | 'go' | 'url';

/**
 * Repository and commit from which the CI job builds swapcheck. No public registry has the package.
 */
export type Source = { readonly repository: string; readonly commit: string };

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
    .option('--force', 'overwrite existing files')
    .action((baseUrl: string | undefined, flags: InitFlags) => {
      process.stdout.write(
        initProject(process.cwd(), baseUrl, { ...flags, source: findOwnSource() }),
      );
    });
}

/**
 * Writes a configuration and a job into a project, without prompts. Returns a list of the written
 * files and the next steps.
 *
 * @throws {UsageError} if files exist and `force` is not set; then, nothing is written
 */
export function initProject(
  folder: string,
  baseUrl: string | undefined,
  { ci, force, source, kind: wanted }: InitFlags & { readonly source: Source | undefined },
): string {
  const given = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl).href.replace(/\/$/, '');
  const isElsewhere = given !== undefined && !LOOPBACK.test(new URL(given).hostname);
  const kind = wanted ?? (isElsewhere ? 'url' : detectKind(folder));
  const { start, port } = STACKS[kind];
  const url = given ?? (start === undefined ? EXAMPLE_URL : `http://127.0.0.1:${port}`);
  const job = JOBS[ci];
  const files = [
    ['swapcheck.yaml', formatConfig(url, start)],
    ...(job === undefined ? [] : [[job.path, job.text(kind, source)] as const]),
  ] as const;
  const present = files.map(([path]) => path).filter((path) => existsSync(join(folder, path)));
  if (present.length > 0 && !force) {
    throw new UsageError(`${present.join(', ')}: exists already; pass --force to overwrite it`);
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const wrote = files.map(([path]) => `wrote ${path}\n`).join('');
  const next = job === undefined ? [] : [job.next, ...(source === undefined ? [NEXT_SOURCE] : [])];
  const check = start === undefined ? '' : 'check: url, start and ready in swapcheck.yaml\n';
  return `${wrote}${check}${next.map((each) => `next: ${each}\n`).join('')}try:  SWAPCHECK_API_KEY=... swapcheck test\n`;
}

const EXAMPLE_URL = 'https://swap.example.org';
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const NEXT_SOURCE =
  'set SWAPCHECK_REPOSITORY and SWAPCHECK_COMMIT in the job: the source from which swapcheck is built';

type Stack = {
  /** Files that identify a project in this language. */
  readonly files: readonly string[];
  readonly start?: string;
  readonly port?: number;
  /** The GitHub action that installs the language. */
  readonly setUp?: string;
  readonly install?: string;
};

const STACKS: Readonly<Record<ServiceKind, Stack>> = {
  node: {
    files: ['package.json'],
    start: 'npm start',
    port: 3000,
    install: 'npm install --no-audit --no-fund',
  },
  python: {
    files: ['pyproject.toml', 'requirements.txt', 'app.py', 'main.py'],
    start: 'python3 app.py',
    port: 8000,
    setUp: 'actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0',
    install: 'if [ -f requirements.txt ]; then python3 -m pip install -r requirements.txt; fi',
  },
  go: {
    files: ['go.mod'],
    start: 'go run .',
    port: 8080,
    setUp: 'actions/setup-go@d35c59abb061a4a6fb18e82ac0862c26744d6ab5 # v5.5.0',
    install: 'go build ./...',
  },
  url: { files: [] },
};

function detectKind(folder: string): ServiceKind {
  const kinds = Object.entries(STACKS) as (readonly [ServiceKind, Stack])[];
  const found = kinds.find(([, { files }]) => files.some((file) => existsSync(join(folder, file))));
  return found?.[0] ?? 'url';
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
${['text', ...ARTIFACT_REPORTS].map((each) => `  - ${each}\n`).join('')}# level: should           # exit 1 for failed should rules, too
# rate: 5                  # requests per second, if the service limits them
# only: [plan/*, 2.2]      # rules, clauses or sections
# chain: [1, 10]
# waivers: waivers.yaml    # known failures, each with a reason and a date: swapcheck test --write-waivers
`;
}

const ARTIFACT_REPORTS = [
  'json=reports/swapcheck.json',
  'junit=reports/swapcheck.xml',
  'html=reports/swapcheck.html',
];

/**
 * Builds a pinned commit, unless a build of it is cached. Nobody has registered the package's name,
 * so it must never be installed by name.
 */
const BUILD = `if test -f "$SWAPCHECK_HOME/dist/scripts/swapcheck.js"; then exit 0; fi
test -n "$SWAPCHECK_REPOSITORY" && test -n "$SWAPCHECK_COMMIT" || { echo "set SWAPCHECK_REPOSITORY and SWAPCHECK_COMMIT"; exit 2; }
git init -q "$SWAPCHECK_HOME"
git -C "$SWAPCHECK_HOME" fetch -q --depth 1 "$SWAPCHECK_REPOSITORY" "$SWAPCHECK_COMMIT"
git -C "$SWAPCHECK_HOME" checkout -q FETCH_HEAD
(cd "$SWAPCHECK_HOME" && npm ci --no-audit --no-fund)`;

const JUDGE = 'node "$SWAPCHECK_HOME/dist/scripts/swapcheck.js" test';

function indent(text: string, by: number): string {
  return text.replace(/^/gm, ' '.repeat(by));
}

type Job = {
  readonly path: string;
  readonly text: (kind: ServiceKind, source: Source | undefined) => string;
  readonly next: string;
};

function githubJob(kind: ServiceKind, source: Source | undefined): string {
  const { setUp, install } = STACKS[kind];
  const language = setUp === undefined ? '' : `      - uses: ${setUp}\n`;
  const installing =
    install === undefined ? '' : `      - name: Install the service\n        run: ${install}\n`;
  return `name: swapcheck
on:
  push:
  schedule:
    - cron: '17 5 * * *'
  workflow_dispatch:
permissions:
  contents: read
jobs:
  judge:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    env:
      # No public registry has swapcheck yet, so the job builds it from this commit.
      SWAPCHECK_REPOSITORY: "${source?.repository ?? ''}"
      SWAPCHECK_COMMIT: "${source?.commit ?? ''}"
      SWAPCHECK_HOME: \${{ github.workspace }}/.swapcheck
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with:
          node-version: 22
${language}      - uses: actions/cache@5a3ec84eff668545956fd18022155c47e93e2684 # v4.2.3
        with:
          path: .swapcheck
          key: swapcheck-\${{ runner.os }}-\${{ env.SWAPCHECK_COMMIT }}
      - name: Build swapcheck
        run: |
${indent(BUILD, 10)}
${installing}      - name: Judge the service
        env:
          SWAPCHECK_API_KEY: \${{ secrets.SWAPCHECK_API_KEY }}
        # Options of the command line replace the list in swapcheck.yaml.
        run: ${JUDGE} --report annotations=- --report markdown="$GITHUB_STEP_SUMMARY" ${ARTIFACT_REPORTS.map((each) => `--report ${each}`).join(' ')}
      - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
        if: \${{ !cancelled() }}
        with:
          name: swapcheck
          path: reports
          if-no-files-found: ignore
`;
}

function gitlabJob(kind: ServiceKind, source: Source | undefined): string {
  const { install } = STACKS[kind];
  const languages: Partial<Record<ServiceKind, string>> = {
    python: 'apt-get update -qq && apt-get install -y -qq python3-pip',
    go: 'apt-get update -qq && apt-get install -y -qq golang',
  };
  const language = languages[kind];
  const installing = [...(language ? [language] : []), ...(install ? [install] : [])];
  return `swapcheck:
  image: node:22
  variables:
    # No public registry has swapcheck yet, so the job builds it from this commit.
    SWAPCHECK_REPOSITORY: "${source?.repository ?? ''}"
    SWAPCHECK_COMMIT: "${source?.commit ?? ''}"
    SWAPCHECK_HOME: $CI_PROJECT_DIR/.swapcheck
  cache:
    key: swapcheck-$SWAPCHECK_COMMIT
    paths: [.swapcheck]
  script:
    # These commands run in a shell without the key, so that installed packages cannot read it.
    - |
      (
      unset SWAPCHECK_API_KEY
${indent(BUILD, 6)}
      )
${installing.map((each) => `    - |\n      ( unset SWAPCHECK_API_KEY; ${each} )\n`).join('')}    - ${JUDGE}
  artifacts:
    when: always
    paths: [reports]
    reports:
      junit: reports/swapcheck.xml
`;
}

const JOBS: Readonly<Record<CiSystem, Job | undefined>> = {
  github: {
    path: '.github/workflows/swapcheck.yml',
    next: 'add the secret SWAPCHECK_API_KEY to the repository',
    text: githubJob,
  },
  gitlab: {
    path: '.gitlab-ci.yml',
    next: 'add the masked variable SWAPCHECK_API_KEY to the project',
    text: gitlabJob,
  },
  none: undefined,
};
